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
    columns = pd.MultiIndex.from_product([["other", "control"], ["margin"]])
    answers = pd.DataFrame(0.5, index=index, columns=columns)
    return Cases(features, table, answers, ("other", "control", "planner"))


def chosen(rows, router, among=None):
    return [
        (row["question_id"], row["policy"], row["correct"])
        for row in rows
        if row["router"] == router and among in (None, row["among"])
    ]


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


def test_the_best_single_policy_is_the_train_questions_and_ties_go_to_the_first_declared(small, pair, tiers):
    rows = routed(small, FIRST, pair, tiers, routers=["train_default"], seed=1)
    assert chosen(rows, "best_single") == [("q3", "planner", False)]
    assert small.of(["q1", "q2"]).best(small.policies) == "other"
    assert small.of([]).best(small.policies) == "other"
    assert small.of(["q1"]).best(small.policies) == "control"


def flipped(cases, question_ids):
    right = cases.right.copy()
    right.loc[list(question_ids)] = ~right.loc[list(question_ids)]
    return dataclasses.replace(cases, right=right)


@pytest.mark.parametrize("seed", [1, 2])
def test_other_outcomes_of_the_tested_questions_change_no_choice(make_cases, pair, tiers, seed):
    cases = make_cases(count=90, signal=0.5)
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_id="")
    for fold in stratified(questions, folds=3, by_context=False, seed=seed):
        before = routed(cases, fold, pair, tiers, routers=NAMES, seed=seed)
        after = routed(flipped(cases, fold.test), fold, pair, tiers, routers=NAMES, seed=seed)
        assert [row["policy"] for row in before] == [row["policy"] for row in after]
        assert all(one["correct"] != other["correct"] for one, other in zip(before, after, strict=True))


def test_other_outcomes_of_the_train_questions_do(make_cases, pair, tiers):
    cases = make_cases(count=90, signal=0.9)
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_id="")
    fold, *_ = stratified(questions, folds=3, by_context=False, seed=1)
    learned = (cases, flipped(cases, fold.train))
    before, after = (routed(each, fold, pair, tiers, routers=NAMES, seed=1) for each in learned)
    for router in ("logistic", "forest", "boosting", "best_single"):
        assert chosen(before, router) != chosen(after, router)


def test_a_fold_that_learns_from_nothing_stays_with_the_first(small, pair, tiers):
    rows = routed(small, Fold("stratified", 0, (), ("q0", "q1")), pair, tiers, routers=NAMES, seed=1)
    for router in NAMES:
        assert [policy for _, policy, _ in chosen(rows, router, "pair")] == ["control"] * 2
        assert [policy for _, policy, _ in chosen(rows, router, "controls")] == ["other"] * 2
    assert [policy for _, policy, _ in chosen(rows, "best_single")] == ["other"] * 2


def test_rows_come_by_entry_then_question(small, pair, tiers):
    rows = unfolded(small, pair)
    for number, (train, test) in enumerate([(("q0", "q1"), ("q2", "q3")), (("q2", "q3"), ("q0", "q1"))]):
        for scheme in ("leave_one_domain_out", "stratified"):
            rows += routed(small, Fold(scheme, number, train, test), pair, tiers, routers=["domain_rule"], seed=1)
    found = [
        (row["scheme"], row["router"], row["among"], row["kind"], row["question_id"])
        for row in in_order(rows, ["domain_rule"])
    ]
    assert found == [
        (entry.scheme, entry.router, entry.among, entry.kind, f"q{number}")
        for entry in entries(["domain_rule"])
        for number in range(4)
    ]


def test_cases_of_different_questions_are_refused(small):
    with pytest.raises(ValueError, match="the same questions"):
        Cases(small.features, small.right.iloc[::-1], small.answers, small.policies)
    with pytest.raises(ValueError, match="the same questions"):
        Cases(small.features, small.right, small.answers.iloc[1:], small.policies)
    with pytest.raises(ValueError, match="each once"):
        small.of(["q0", "q0"])
    assert np.array_equal(small.of(["q2", "q0"]).features.index, ["q2", "q0"])


def test_routers_among_controls_choose_among_the_best_of_each_tier_in_the_train_questions(make_cases, pair):
    cases = make_cases(count=90, signal=0.9)
    tiers = {"first": ["other", "planner"], "second": ["control"]}
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_id="")
    for fold in stratified(questions, folds=3, by_context=False, seed=1):
        best = cases.of(fold.train).best_of_tiers(tiers)
        right = cases.right.loc[list(fold.train)].sum()
        assert best["first"] == max(("other", "planner"), key=lambda name: right[name])
        assert list(best.values()) == sorted(best.values(), key=lambda name: -right[name])
        third = cases.answers[["other"]].rename(columns={"other": "planner"})
        answered = dataclasses.replace(cases, answers=cases.answers.join(third))
        rows = routed(answered, fold, pair, tiers, routers=NAMES, seed=1)
        assert {row["policy"] for row in rows if row["among"] == "controls"} <= set(best.values())


def test_routers_among_controls_know_nothing_of_a_planner(make_cases, pair, tiers):
    cases = make_cases(count=90, signal=0.9)
    columns = list(cases.known_to_controls({"weak": "other", "strong": "control"}))
    answers = [f"answer_{tier}_{name}" for tier in tiers for name in ("confidence", "margin", "entropy")]
    assert columns == ["domain", "sub_domain", "length", "bm25_top", *answers]
    blind = dataclasses.replace(
        cases,
        features=cases.features.assign(planner_margin=0.5, plan_bm25_mean_rank=1.0, plan_parsed=False),
        right=cases.right.assign(planner=~cases.right["planner"]),
    )
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_id="")
    fold, *_ = stratified(questions, folds=3, by_context=False, seed=1)
    first, second = (routed(each, fold, pair, tiers, routers=NAMES, seed=1) for each in (cases, blind))
    assert [row for row in first if row["among"] == "controls"] == [row for row in second if row["among"] == "controls"]


def test_the_best_single_policy_in_sample_is_that_of_all_questions(small, pair):
    rows = unfolded(small, pair)
    assert chosen(rows, "best_single") == [
        ("q0", "planner", True), ("q1", "planner", True), ("q2", "planner", False), ("q3", "planner", False),
    ]  # fmt: skip
    assert {(row["scheme"], row["kind"]) for row in rows if row["router"] == "best_single"} == {
        ("in_sample", "optimistic")
    }


def test_rows_say_how_many_questions_a_choice_was_learned_from(small, pair, tiers):
    rows = routed(small, FIRST, pair, tiers, routers=["train_default"], seed=1)
    assert {row["learned"] for row in rows} == {3}
    assert {(row["kind"], row["learned"]) for row in unfolded(small, pair)} == {("oracle", None), ("optimistic", 4)}
