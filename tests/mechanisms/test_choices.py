import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.mechanisms.choices import displacement, jaccard, mean_rank
from plancheck.mechanisms.measures import SCORERS, Case, Scored, measures

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@pytest.mark.parametrize(
    ("top", "shown", "shown_by_control", "expected"),
    [
        ("abcd", "", "abcd", 1.0),
        ("abcd", "abcd", "abcd", 0.0),
        ("abcd", "ax", "abc", 0.5),  # b and c are pushed out; the control has no room for d either
        ("ab", "xy", "", 0.0),
        ("", "a", "a", None),
    ],
)
def test_displacement_is_what_the_control_shows_of_the_top_and_the_planner_does_not(
    top, shown, shown_by_control, expected
):
    assert displacement(top, shown, shown_by_control) == expected


@given(IDS.filter(bool), IDS)
def test_nothing_is_displaced_from_the_same_context_and_shares_lie_between_0_and_1(top, shown):
    assert displacement(top, shown, shown) == 0
    assert 0 <= displacement(top, shown, top) <= 1


@given(IDS, IDS)
def test_jaccard_is_symmetric_and_1_for_equal_sets_alone(first, second):
    assert jaccard(first, second) == jaccard(second, first)
    assert (jaccard(first, second) == 1) == (set(first) == set(second))


def test_the_mean_rank_is_of_atoms_that_have_one():
    assert mean_rank(["a", "b", "x"], {"a": 1, "b": 4}) == 2.5
    assert mean_rank(["x"], {"a": 1}) is None
    assert mean_rank([], {"a": 1}) is None


def case(**changes):
    scorers = {name: Scored({"a": 1, "b": 2, "c": 3}, [3.0, 2.0, 1.0]) for name in SCORERS}
    known = {"selected": ["b"], "reranked": ["a", "b", "c"], "shown": ["b"], "shown_by_control": ["a", "b"]}
    return Case(**{**known, "scorers": scorers, "evidence_recall": 0.5, **changes})


def test_the_family_has_the_same_members_whatever_the_plan():
    made, failed = measures(case(), top=2), measures(case(selected=[]), top=2)
    assert list(made) == list(failed)
    assert len(made) == 3 + 3 + 3 * 4
    assert (made["jaccard", "rerank"], made["displacement", "rerank"]) == (0.5, 0.5)
    assert (made["mean_rank", "dense"], made["evidence_recall", ""]) == (2, 0.5)
    assert failed["jaccard", "rerank"] is None and failed["mean_rank", "bm25"] is None
    assert failed["displacement", "rerank"] == 0.5


def test_top_reaches_no_further_than_the_pool():
    assert measures(case(), top=10)["jaccard", "rerank"] == pytest.approx(1 / 3)
