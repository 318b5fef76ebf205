from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.mechanisms.choices import displacement, displacement_from_control, jaccard, mean_rank, overlap
from plancheck.mechanisms.measures import Case, Scored, measures
from plancheck.records import Atom

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
def test_displacement_from_the_control_is_what_it_shows_of_the_top_and_the_planner_does_not(
    top, shown, shown_by_control, expected
):
    assert displacement_from_control(top, shown, shown_by_control) == expected


@pytest.mark.parametrize(
    ("top", "shown", "expected"),
    [("abcd", "", 4), ("abcd", "dcba", 0), ("abcdefghij", "xa", 9), ("ab", "aa", 1), ("", "a", None)],
)
def test_displacement_as_published_counts_what_the_planner_does_not_show_of_the_top(top, shown, expected):
    assert displacement(top, shown) == expected


@given(IDS.filter(bool), IDS, IDS)
def test_what_is_displaced_from_a_control_is_part_of_what_is_not_shown(top, shown, by_control):
    assert displacement_from_control(top, shown, shown) == 0
    assert displacement_from_control(top, shown, top) == displacement(top, shown) / len(top)
    assert 0 <= displacement_from_control(top, shown, by_control) <= displacement(top, shown) / len(top) <= 1


@given(IDS, IDS)
def test_jaccard_is_symmetric_and_1_for_equal_sets_alone(first, second):
    assert jaccard(first, second) == jaccard(second, first)
    assert (jaccard(first, second) == 1) == (set(first) == set(second))


def test_the_mean_rank_is_of_atoms_that_have_one():
    assert mean_rank(["a", "b", "x"], {"a": 1, "b": 4}) == 2.5
    assert mean_rank(["x"], {"a": 1}) is None
    assert mean_rank([], {"a": 1}) is None


ATOMS = {name: Atom(name, "c", 10 * place, 10 * place + 10, 0) for place, name in enumerate("abc")}


def test_spans_are_compared_with_atoms_by_their_characters():
    span = Atom("5-25", "c", 5, 25, 0)
    assert overlap([span], [ATOMS["a"]]) == 5 / 25
    assert overlap([span, Atom("8-12", "c", 8, 12, 0)], [ATOMS["a"], ATOMS["b"]]) == 15 / 25
    assert overlap([ATOMS["a"]], [ATOMS["a"], ATOMS["b"]]) == 0.5
    assert measures(case(selected=[span]), top=2)["jaccard", "rerank"] == 15 / 25


def case(more=MappingProxyType({}), **changes):
    ranks = {"bm25": {"c": 1, "a": 2, "b": 3}}
    kinds = {"bm25": "bm25", "dense": "dense", "rerank": "cross_encoder", **more}
    scorers = {
        name: Scored(kind, ranks.get(name, {"a": 1, "b": 2, "c": 3}), [3.0, 2.0, 1.0]) for name, kind in kinds.items()
    }
    known = {"selected": [ATOMS["b"]], "atoms": ATOMS, "shown": ["b"], "shown_by_control": ["a", "b"]}
    return Case(**{**known, "scorers": scorers, "evidence_recall": 0.5, **changes})


def test_the_family_has_the_same_members_whatever_the_plan():
    made, failed = measures(case(), top=2), measures(case(selected=[]), top=2)
    assert list(made) == list(failed)
    assert len(made) == 2 + 3 + 3 + 3 * 4
    assert (made["jaccard", "rerank"], made["jaccard", "bm25"]) == (0.5, 0)
    assert (made["displacement", "rerank"], made["displacement_from_control", "rerank"]) == (1, 0.5)
    assert (made["mean_rank", "dense"], made["evidence_recall", ""]) == (2, 0.5)
    assert failed["jaccard", "rerank"] is None and failed["mean_rank", "bm25"] is None
    assert failed["displacement", "rerank"] == 1


def test_top_reaches_no_further_than_the_pool():
    assert measures(case(), top=10)["jaccard", "rerank"] == pytest.approx(1 / 3)


def test_any_scorer_has_its_measures_and_any_cross_encoder_its_displacement():
    found = measures(case({"mine": "cross_encoder", "e5": "dense"}), top=2)
    assert len(found) == 3 + 2 * 2 + 1 + 5 + 5 * 4
    assert found["displacement", "mine"] == found["displacement", "rerank"]
    assert {measure for measure, scorer in found if scorer == "e5"} == {
        "mean_rank", "normalised_entropy", "top_gap", "gini", "variation",
    }  # fmt: skip
