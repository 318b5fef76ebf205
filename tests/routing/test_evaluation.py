"""Rows of routing: oracles and single policies worked by hand, and that no test outcome decides a choice."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from plancheck.routing.entries import entries
from plancheck.routing.evaluation import Cases, in_order, routed, unfolded
from plancheck.routing.folds import Fold, stratified
from plancheck.routing.routers import ROUTERS

NAMES = tuple(ROUTERS)
FIRST = Fold("stratified", 0, ("q0", "q1", "q2"), ("q3",))


@pytest.fixture
def small():
    """Four questions; of every question the policies that are right."""
    right = [["planner"], ["control", "planner"], ["other"], []]
    index = pd.Index([f"q{number}" for number in range(4)], name="question_id")
    features = pd.DataFrame(
        {"domain": ["X", "X", "Y", "Y"], "sub_domain": "", "length": "", "bm25_top": 1.0}, index=index
    )
    table = pd.DataFrame(
        [{name: name in names for name in ("other", "control", "planner", "evidence")} for names in right], index=index
    )
    table["evidence"] = True
    return Cases(features, table, ("other", "control", "planner"))


def chosen(rows, router):
    return [(row["question_id"], row["policy"], row["correct"]) for row in rows if row["router"] == router]


def test_the_oracle_of_the_pair_leaves_the_control_only_for_a_gain(small, pair):
    assert chosen(unfolded(small, pair), "oracle_pair") == [
        ("q0", "planner", True), ("q1", "control", True), ("q2", "control", False), ("q3", "control", False),
    ]  # fmt: skip


def test_the_oracle_of_all_takes_the_first_declared_that_is_right_and_no_policy_of_the_harness(small, pair):
    assert chosen(unfolded(small, pair), "oracle_all") == [
        ("q0", "planner", True), ("q1", "control", True), ("q2", "other", True), ("q3", "other", False),
    ]  # fmt: skip


def test_the_rule_in_sample_is_marked_optimistic(small, pair):
    rows = [row for row in unfolded(small, pair) if row["router"] == "domain_rule_in_sample"]
    assert [(row["kind"], row["scheme"], row["fold"]) for row in rows] == [("optimistic", "in_sample", None)] * 4
    assert [row["policy"] for row in rows] == ["planner", "planner", "control", "control"]


def test_the_best_single_policy_is_the_train_questions_and_ties_go_to_the_first_declared(small, pair):
    rows = routed(small, FIRST, pair, routers=["train_default"], seed=1)
    assert chosen(rows, "best_single") == [("q3", "planner", False)]
    assert small.of(["q1", "q2"]).best_single() == "other"
    assert small.of([]).best_single() == "other"
    assert small.of(["q1"]).best_single() == "control"


def flipped(cases, question_ids):
    right = cases.right.copy()
    right.loc[list(question_ids)] = ~right.loc[list(question_ids)]
    return dataclasses.replace(cases, right=right)


@pytest.mark.parametrize("seed", [1, 2])
def test_other_outcomes_of_the_tested_questions_change_no_choice(make_cases, pair, seed):
    cases = make_cases(count=90, signal=0.5)
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_id="")
    for fold in stratified(questions, folds=3, by_context=False, seed=seed):
        before = routed(cases, fold, pair, routers=NAMES, seed=seed)
        after = routed(flipped(cases, fold.test), fold, pair, routers=NAMES, seed=seed)
        assert [row["policy"] for row in before] == [row["policy"] for row in after]
        assert all(one["correct"] != other["correct"] for one, other in zip(before, after, strict=True))


def test_other_outcomes_of_the_train_questions_do(make_cases, pair):
    cases = make_cases(count=90, signal=0.9)
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_id="")
    fold, *_ = stratified(questions, folds=3, by_context=False, seed=1)
    before, after = (routed(each, fold, pair, routers=NAMES, seed=1) for each in (cases, flipped(cases, fold.train)))
    for router in ("logistic", "forest", "boosting", "best_single"):
        assert chosen(before, router) != chosen(after, router)


def test_a_fold_that_learns_from_nothing_stays_with_the_control(small, pair):
    rows = routed(small, Fold("stratified", 0, (), ("q0", "q1")), pair, routers=NAMES, seed=1)
    for router in NAMES:
        assert [policy for _, policy, _ in chosen(rows, router)] == ["control"] * 2
    assert [policy for _, policy, _ in chosen(rows, "best_single")] == ["other"] * 2


def test_rows_come_by_entry_then_question(small, pair):
    rows = unfolded(small, pair)
    for number, (train, test) in enumerate([(("q0", "q1"), ("q2", "q3")), (("q2", "q3"), ("q0", "q1"))]):
        for scheme in ("leave_one_domain_out", "stratified"):
            rows += routed(small, Fold(scheme, number, train, test), pair, routers=["domain_rule"], seed=1)
    found = [(row["scheme"], row["router"], row["kind"], row["question_id"]) for row in in_order(rows, ["domain_rule"])]
    assert found == [
        (entry.scheme, entry.router, entry.kind, f"q{number}")
        for entry in entries(["domain_rule"])
        for number in range(4)
    ]


def test_cases_of_different_questions_are_refused(small):
    with pytest.raises(ValueError, match="the same questions"):
        Cases(small.features, small.right.iloc[::-1], small.policies)
    with pytest.raises(ValueError, match="each once"):
        small.of(["q0", "q0"])
    assert np.array_equal(small.of(["q2", "q0"]).features.index, ["q2", "q0"])
