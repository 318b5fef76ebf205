"""The ladder with routers as the study makes them: a planner 10 points better passes their rung too."""

import numpy as np
import pandas as pd
import pytest

from plancheck.reporting.ladder import ladder, survival
from plancheck.reporting.routing_table import control_routers
from plancheck.routing.evaluation import Cases, Pair, in_order, routed, unfolded
from plancheck.routing.folds import stratified
from plancheck.routing.routers import ROUTERS

TIERS = {"direct": ["head"], "retrieval": ["bm25", "dense"], "rerank": ["rerank"]}
CONTROLS = [policy for policies in TIERS.values() for policy in policies]
DOMAINS = ("Books", "Code", "Talks")
COUNT = 503
SHARED = 0.74  # of what decides an answer, so that two equal policies differ on about 20 % of the questions


def studied(study, *, gain, seed=3):
    """A study whose controls are right on 32 % of the questions, the planner on ``gain`` more; with its routing."""
    generator = np.random.default_rng(seed)
    common = generator.random(COUNT)

    def answers_right(accuracy):
        numbers = np.where(generator.random(COUNT) < SHARED, common, generator.random(COUNT))
        return (numbers < accuracy).astype(int).tolist()

    outcomes = {name: answers_right(0.32) for name in CONTROLS} | {"planned": answers_right(0.32 + gain)}
    results = study(outcomes, sizes=(301, 50, 152))
    right = results.correct.droplevel("budget_chars", axis=1)
    features = pd.DataFrame({"domain": generator.choice(DOMAINS, COUNT), "sub_domain": "", "length": ""})
    features = features.assign(bm25_top=generator.random(COUNT), planner_margin=generator.random(COUNT))
    columns = pd.MultiIndex.from_product([CONTROLS, ["margin"]])
    answers = pd.DataFrame(generator.random((COUNT, len(columns))), index=right.index, columns=columns)
    cases = Cases(features.set_index(right.index), right, answers, tuple(right.columns))
    questions = cases.features.reset_index()[["question_id", "domain"]].assign(context_group="")
    pair = Pair("rerank", "planned")
    rows = unfolded(cases, pair)
    for fold in stratified(questions, folds=3, by_context=False, seed=seed):
        rows += routed(cases, fold, pair, TIERS, routers=list(ROUTERS), seed=seed)
    return results, pd.DataFrame(in_order(rows, list(ROUTERS)))


def climbed(results, routers, method):
    return ladder(
        results,
        {"planned": "planner"},
        TIERS,
        budgets_chars=[900],
        routers=routers,
        router_tier="router",
        router_budget_chars=900,
        method=method,
    )


@pytest.fixture(scope="module")
def better(study_of):
    return studied(study_of, gain=0.1)


def test_a_planner_that_is_truly_better_survives_every_tier_and_the_routers_too(better, method):
    results, routing = better
    table = climbed(results, control_routers(routing, results, budget_chars=900), method)
    assert len(table[table["tier"] == "router"]) == 2 * len(ROUTERS)
    assert set(table.loc[table["split"] == "all", "verdict"]) == {"supported"}
    assert survival(table)[["passed", "tiers"]].to_numpy().tolist() == [[4, 4]]


def test_no_control_router_ever_shows_the_planner_s_context(better):
    _, routing = better
    assert set(routing.loc[routing["among"] == "controls", "policy"]) <= set(CONTROLS)
    assert "planned" in set(routing.loc[routing["among"] == "pair", "policy"])


def test_against_routers_that_may_choose_the_planner_no_planner_could_survive(better, method):
    """Why the rung's routers choose among controls: the train default is the planner itself."""
    results, routing = better
    paired = routing.assign(among=routing["among"].map({"pair": "controls"}))
    table = climbed(results, control_routers(paired, results, budget_chars=900), method)
    default = table[(table["control"] == "train_default") & (table["split"] == "all")].iloc[0]
    assert (default["wins"], default["losses"], default["identical"]) == (0, 0, COUNT)
    assert survival(table)["passed"].tolist() == [3]


def test_a_planner_that_is_no_better_does_not_survive_the_routers(study_of, method):
    results, routing = studied(study_of, gain=0)
    table = climbed(results, control_routers(routing, results, budget_chars=900), method)
    assert "supported" not in set(table["verdict"])
