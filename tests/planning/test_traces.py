import dataclasses
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.planning.plans import Selected
from plancheck.planning.traces import Outcome, best_traces, first_of_each, trace_rows
from plancheck.records import Question

QUESTION = Question("q", "", "", "", "", "Which?", ("one", "two", "three", "four"), "B", "context")

plans = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=3, unique=True).map(
        lambda ids: Selected(tuple(ids)) if ids else Selected((), "unparsable")
    ),
    max_size=8,
)


def trace(question_id="q", sample=0, atoms="ab", chars=10, reward=1):
    return {"question_id": question_id, "sample": sample, "atom_ids": list(atoms), "chars": chars, "reward": reward}


def test_plans_with_the_same_atoms_in_any_order_repeat_the_first():
    found = first_of_each([Selected(("a", "b")), Selected(("b",)), Selected(("b", "a")), Selected(("b",))])
    assert found == [None, None, 0, 1]


def test_failed_plans_repeat_nothing():
    assert first_of_each([Selected((), "unparsable"), Selected((), "unparsable")]) == [None, None]


@given(plans)
def test_a_repeated_plan_names_an_earlier_original_with_its_atoms(made):
    earlier = first_of_each(made)
    for number, first in enumerate(earlier):
        if first is not None:
            assert first < number and earlier[first] is None
            assert set(made[first].atom_ids) == set(made[number].atom_ids)
    originals = [
        set(plan.atom_ids) for plan, first in zip(made, earlier, strict=True) if first is None and plan.atom_ids
    ]
    assert all(one != other for one, other in itertools.combinations(originals, 2))


def test_every_sample_is_a_row_and_a_repeated_plan_has_the_first_ones_outcome():
    made = [Selected(("a", "b")), Selected((), "unparsable"), Selected(("b", "a")), Selected(("c",)), Selected(("d",))]
    outcomes = {0: Outcome(20, "B", None), 3: Outcome(9, "A", None), 4: Outcome(8, None, "too_long")}
    rows = trace_rows(QUESTION, made, outcomes)

    columns = ["sample", "atom_ids", "parsed", "failure", "chars", "letter", "correct", "reward", "duplicate_of"]
    assert [[row[column] for column in columns] for row in rows] == [
        [0, ["a", "b"], True, None, 20, "B", True, 1, None],
        [1, [], False, "unparsable", None, None, False, 0, None],
        [2, ["b", "a"], True, None, 20, "B", True, 1, 0],
        [3, ["c"], True, None, 9, "A", False, 0, None],
        [4, ["d"], True, "too_long", 8, None, False, 0, None],
    ]


def test_a_letter_with_the_text_of_the_gold_choice_is_rewarded():
    question = dataclasses.replace(QUESTION, choices=("two", "two ", "Two", "four"))
    made = [Selected((name,)) for name in "abc"]
    outcomes = {number: Outcome(9, letter, None) for number, letter in enumerate("ABC")}
    assert [row["reward"] for row in trace_rows(question, made, outcomes)] == [1, 1, 0]


@pytest.mark.parametrize(
    ("rows", "sample"),
    [
        ([trace(sample=0, atoms="abc", chars=1), trace(sample=1, atoms="ab", chars=99)], 1),
        ([trace(sample=0, chars=11), trace(sample=1, chars=10)], 1),
        ([trace(sample=1), trace(sample=0)], 0),
        ([trace(sample=0, atoms="a", reward=0), trace(sample=1, atoms="abcd")], 1),
    ],
)
def test_the_kept_plan_has_fewest_atoms_then_fewest_characters_then_is_earliest(rows, sample):
    assert best_traces(rows)["q"]["sample"] == sample


@given(
    st.lists(
        st.builds(
            trace,
            st.sampled_from("qrs"),
            st.integers(0, 5),
            st.sampled_from(["a", "ab", "abc"]),
            st.integers(1, 3),
            st.integers(0, 1),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_the_kept_plan_is_rewarded_and_depends_on_no_order(rows, random):
    found = best_traces(rows)
    assert set(found) == {row["question_id"] for row in rows if row["reward"]}
    assert all(row["reward"] == 1 for row in found.values())
    shuffled = random.sample(rows, len(rows))
    assert best_traces(shuffled) == found
