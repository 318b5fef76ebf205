"""Stage route on the study's own files: features, then one fold after the other."""

import pytest

from flows.route import settings_of
from plancheck.params.analyze import Analyze
from plancheck.params.answer import Route
from plancheck.params.pack import Pack, Policy
from plancheck.params.selectors import HarnessSelector, PlannerSelector
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, write_table
from plancheck.records import PREDICTIONS, ROUTING, router_features
from plancheck.routing.evaluation import in_order, unfolded
from plancheck.routing.folds import Fold
from tasks.route import read_cases, route_fold

NAMES = [f"q{number:02}" for number in range(24)]
ROUTERS = ["logistic", "forest", "boosting", "domain_rule", "train_default"]
SELECTORS = {
    "sft": PlannerSelector(kind="planner", adapter="last"),
    "evidence": HarnessSelector(kind="evidence"),
}
POLICIES = {
    "bm25": Policy(fill="bm25"),
    "head": Policy(fill="head"),
    "sft+bm25": Policy(selector="sft", fill="bm25"),
    "evidence+bm25": Policy(selector="evidence", fill="bm25"),
}


def feature_row(number, name):
    """Every third question is the planner's to win, as its margin says."""
    planners = number % 3 == 0
    row = {"question_id": name, "domain": "XY"[number % 2], "sub_domain": "", "length": ""}
    row |= {"context_chars": 900, "question_chars": 40, "atoms": 5, "candidates": 3}
    for scorer in ("bm25", "dense", "mine"):
        row |= {f"{scorer}_{statistic}": 0.5 for statistic in ("top", "mean", "entropy", "gap", "gini", "variation")}
        row |= {f"plan_{scorer}_mean_rank": None, f"plan_{scorer}_best_rank": None}
    row |= {"plan_parsed": False, "plan_atoms": 0, "plan_mine_overlap": None}
    for side in ("control", "planner"):
        row |= {f"{side}_answered": True, f"{side}_confidence": None, f"{side}_entropy": None}
        row[f"{side}_margin"] = 0.9 - number / 1000 if planners else 0.1 + number / 1000
    return row | {"letters_agree": False, "same_context": False}


def answer_row(number, name, policy, budget):
    right = policy == "evidence+bm25" or (policy == "sft+bm25") == (number % 3 == 0)
    nothing = dict.fromkeys(("failure", "probs", "prompt_tokens"))
    said = {"letter": "A", "gold": "A" if right else "B", "correct": right and budget == 100}
    return {"question_id": name, "policy": policy, "budget_chars": budget, "packed_id": "p", **said, **nothing}


def write_answers(names):
    answers = [
        answer_row(NAMES.index(name), name, policy, budget)
        for name in names for policy in POLICIES for budget in (100, 50)
    ]  # fmt: skip
    write_table(DATA / "predictions.parquet", answers, PREDICTIONS)


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    schema = router_features(["bm25", "dense", "mine"], ["mine"])
    write_table(DATA / "router_features.parquet", [feature_row(*item) for item in enumerate(NAMES)], schema)
    write_answers(NAMES)
    pack = Pack(budgets_chars=[100, 50], overflow="cut", merge_overlaps=False, policies=POLICIES)
    route = Route(seed=3, budget_chars=100, control="bm25", planner="sft+bm25", folds=2, routers=ROUTERS)
    analyze = Analyze.model_construct(tiers={"retrieval": ["bm25"], "direct": ["head"]})
    return settings_of(Params.model_construct(pack=pack, route=route, analyze=analyze, selectors=SELECTORS))


FOLD = Fold("stratified", 0, tuple(NAMES[:16]), tuple(NAMES[16:]))


def test_a_fold_gives_the_same_rows_again_and_they_fit_their_table(settings, tmp_path):
    rows = route_fold.fn(FOLD, settings)
    assert rows == route_fold.fn(FOLD, settings)
    assert len(rows) == 8 * (2 * len(ROUTERS) + 1)
    cases = read_cases(NAMES, settings)
    write_table(tmp_path / "routing.parquet", in_order(rows + unfolded(cases, settings.pair), ROUTERS), ROUTING)


def test_the_answers_are_those_at_the_routers_budget_and_the_harness_is_no_policy_to_choose(settings):
    rows = route_fold.fn(FOLD, settings)
    best = [row for row in rows if row["router"] == "best_single"]
    assert {row["policy"] for row in best} == {"bm25"}
    assert [row["correct"] for row in best] == [number % 3 != 0 for number in range(16, 24)]


def test_routers_find_a_signal_in_a_full_table_of_features(settings):
    rows = route_fold.fn(FOLD, settings)
    assert all(row["correct"] for row in rows if row["router"] == "logistic" and row["among"] == "pair")


def test_missing_answers_are_all_named(settings):
    write_answers(NAMES[:-2])
    with pytest.raises(StudyError) as caught:
        route_fold.fn(FOLD, settings)
    message = str(caught.value)
    assert message.startswith("data/predictions.parquet: no single answer at 100 characters for:")
    assert "q22, bm25" in message
    assert "q23, sft+bm25" in message
    assert "dvc repro -f answer" in message
