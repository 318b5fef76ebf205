"""Routers: rules worked by hand, degenerate lessons, and that a learned router can win, and only by a signal."""

import typing

import numpy as np
import pandas as pd
import pytest

from plancheck.params.answer import RouterName
from plancheck.params.selectors import HarnessSelector
from plancheck.planning.harness import HARNESS
from plancheck.routing.evaluation import in_order, routed, unfolded
from plancheck.routing.folds import stratified
from plancheck.routing.routers import ROUTERS, Lesson, domain_rule, train_default

LEARNED = ("logistic", "forest", "boosting")
NAMES = tuple(ROUTERS)


def lesson(domains, gain):
    features = pd.DataFrame(
        {
            "domain": list(domains), "sub_domain": "", "length": "",
            "planner_margin": np.linspace(0, 1, len(gain)), "plan_bm25_mean_rank": np.nan, "plan_parsed": True,
        }
    )  # fmt: skip
    return Lesson(features, rights(gain))


def rights(gain):
    """Whether control and planner are right where the planner gains so much: neither is where it gains nothing."""
    return np.array([(value < 0, value > 0) for value in gain], dtype=bool).reshape(-1, 2)


def accuracies(cases, pair, seed=1, routers=NAMES):
    """By router of the pair, and of the best single policy; the only tier has one control, so none is learned there."""
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_id="")
    rows = []
    for fold in stratified(questions, folds=5, by_context=False, seed=seed):
        rows += routed(cases, fold, pair, {"weak": ["other"]}, routers=routers, seed=seed)
    table = pd.DataFrame(rows)
    return table[table["among"] != "controls"].groupby("router")["correct"].mean()


def test_the_tables_of_names_agree():
    assert set(ROUTERS) == set(typing.get_args(RouterName))
    assert set(typing.get_args(HarnessSelector.model_fields["kind"].annotation)) == set(HARNESS)


@pytest.mark.parametrize(
    ("gain", "planner"), [([1, 1, -1], True), ([1, -1, 0], False), ([-1, 0, 0], False), ([], False)]
)
def test_train_default_is_the_policy_that_is_right_more_often_and_the_control_when_both_are(gain, planner):
    found = lesson("X" * len(gain), gain)
    asked = lesson("YY", [0, 0]).features
    assert train_default(found, 0)(asked).tolist() == [int(planner)] * 2


def test_domain_rule_goes_by_domain_and_an_unseen_one_gets_the_default():
    found = lesson("XXXYYZZ", [1, 1, 1, -1, -1, 1, -1])
    assert domain_rule(found, 0)(lesson("XYZU", [0] * 4).features).tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("gain", "planner"),
    [([1, 1, 0, 0], True), ([-1, -1, 0, 0], False), ([0, 0, 0, 0], False), ([], False), ([1], True)],
)
def test_a_lesson_of_one_class_gives_its_constant(name, gain, planner):
    router = ROUTERS[name](lesson("X" * len(gain), gain), 7)
    assert router(lesson("XXX", [0] * 3).features).tolist() == [int(planner)] * 3


@pytest.mark.parametrize("name", LEARNED)
def test_what_is_even_goes_to_the_control(name):
    features = lesson("XX" * 10, [1, -1] * 10).features.assign(planner_margin=0.5)
    router = ROUTERS[name](Lesson(features, rights([1, -1] * 10)), 7)
    assert router(features).tolist() == [0] * 20


@pytest.mark.parametrize("name", LEARNED)
def test_unseen_categories_and_no_questions_are_routed(name):
    router = ROUTERS[name](lesson("XY" * 20, [-1] * 20 + [1] * 20), 7)
    assert router(lesson("UUUU", [0] * 4).features).shape == (4,)
    assert router(lesson("", []).features).shape == (0,)


@pytest.mark.parametrize("name", LEARNED)
def test_questions_that_both_policies_answer_alike_teach_nothing(name):
    found = lesson("XY" * 20, [-1] * 20 + [1] * 20)
    more = pd.concat([found.features, found.features.assign(planner_margin=5.0)], ignore_index=True)
    longer = Lesson(more, np.concatenate([found.right, np.repeat([[False, False], [True, True]], 20, axis=0)]))
    asked = lesson("XY" * 15, [0] * 30).features
    assert ROUTERS[name](found, 7)(asked).tolist() == ROUTERS[name](longer, 7)(asked).tolist()


def test_a_real_signal_lets_every_learned_router_win(make_cases, pair):
    found = accuracies(make_cases(signal=0.9), pair)
    for name in LEARNED:
        assert found[name] > max(found["best_single"], found["train_default"]) + 0.1


def test_noise_lets_no_router_win(make_cases, pair):
    gains = []
    for seed in range(4):
        found = accuracies(make_cases(count=300, signal=0, seed=100 + seed), pair, seed=seed)
        gains.append([found[name] - found["train_default"] for name in LEARNED])
    # Two standard errors of the mean difference where every choice is a coin's: 180 decided questions a draw, 4 draws.
    assert max(np.mean(gains, axis=0)) < 2 * (0.6 / 300 / 4) ** 0.5


def test_a_domain_that_decides_lets_the_domain_rule_win(make_cases, pair):
    cases = make_cases(signal=0)
    decided = cases.right["planner"] != cases.right["control"]
    better = cases.features["domain"] == "Code"
    cases.right.loc[decided, "planner"] = better[decided]
    cases.right.loc[decided, "control"] = ~better[decided]
    found = accuracies(cases, pair, routers=("domain_rule", "train_default"))
    assert found["domain_rule"] > max(found["best_single"], found["train_default"]) + 0.1


def test_the_same_questions_in_any_order_give_the_same_rows(make_cases, pair, tiers):
    cases = make_cases(count=60, signal=0.5)
    mixed = cases.of(cases.features.sample(frac=1, random_state=2).index.tolist())
    found = []
    for each in (cases, cases, mixed):
        questions = each.features.reset_index()[["question_id", "domain"]].assign(context_id="")
        rows = unfolded(each, pair)
        for fold in stratified(questions, folds=3, by_context=False, seed=1):
            rows += routed(each, fold, pair, tiers, routers=NAMES, seed=4)
        found.append(in_order(rows, NAMES))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", LEARNED)
def test_of_three_policies_the_one_that_a_signal_names_is_found(name):
    generator = np.random.default_rng(5)
    wanted = generator.integers(0, 3, 300)
    features = lesson("X" * 300, [0] * 300).features.assign(planner_margin=wanted + generator.normal(0, 0.1, 300))
    right = np.eye(3, dtype=bool)[wanted]
    right[::5] = True  # questions that all answer right, and others that none does, teach nothing
    right[1::5] = False
    choice = ROUTERS[name](Lesson(features[:200], right[:200]), 7)(features[200:])
    assert (choice == wanted[200:]).mean() > 0.95


@pytest.mark.parametrize("name", NAMES)
def test_a_router_with_one_policy_chooses_it(name):
    found = lesson("XY" * 5, [1, -1] * 5)
    assert ROUTERS[name](Lesson(found.features, found.right[:, :1]), 7)(found.features).tolist() == [0] * 10


def test_of_three_policies_that_are_even_the_first_is_chosen():
    features = lesson("XYXY", [0] * 4).features
    right = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0]], dtype=bool)
    found = Lesson(features, right)
    assert train_default(found, 0)(features).tolist() == [0] * 4
    assert domain_rule(found, 0)(features).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("name", LEARNED)
def test_of_policies_that_are_right_on_the_same_questions_the_earlier_is_chosen(name):
    generator = np.random.default_rng(1)
    numbers = pd.DataFrame(generator.normal(size=(40, 200)).T).add_prefix("feature_")
    features = lesson("X" * 200, [0] * 200).features.join(numbers)
    first, second = generator.random((2, 10)) < 0.5
    right = np.column_stack([first, second, first, second])  # fitting tells them apart by noise
    assert set(ROUTERS[name](Lesson(features[:10], right), 7)(features)) <= {0, 1}
