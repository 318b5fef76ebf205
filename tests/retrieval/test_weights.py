import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.retrieval.weights import Change, changed, counted


@pytest.mark.parametrize(
    ("ranking", "reference", "first_atom", "first_five"),
    [
        ((), (), False, False),
        ((0,), (0,), False, False),
        ((0, 1), (1, 0), True, False),
        ((0, 1, 2, 3, 4, 5), (0, 5, 4, 3, 2, 1), False, True),
        ((0, 1, 2, 3, 4, 5), (0, 4, 3, 2, 1, 5), False, False),
        ((0, 1, 2, 3, 4, 5), (5, 0, 1, 2, 3, 4), True, True),
    ],
)
def test_first_atoms_are_compared_by_place_and_first_five_as_a_set(ranking, reference, first_atom, first_five):
    assert changed(ranking, reference) == Change(first_atom, first_five)


@given(st.permutations(range(8)).map(tuple))
def test_a_ranking_does_not_differ_from_itself(ranking):
    assert changed(ranking, ranking) == Change(False, False)


def test_rankings_of_other_atoms_are_refused():
    with pytest.raises(ValueError, match="same atoms"):
        changed((0, 1), (0, 2))


def test_questions_with_a_weight_of_0_or_below_are_counted():
    changes = [Change(True, False), None, Change(True, True), Change(False, False)]
    assert counted("okapi", changes) == {
        "variant": "okapi",
        "questions": 4,
        "weight_0_or_below": 3,
        "first_atom_differs": 2,
        "first_five_differ": 1,
    }
