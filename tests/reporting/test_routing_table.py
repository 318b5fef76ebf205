import pandas as pd
import pytest

from plancheck.reporting.routing_table import ROUTING as DECLARED
from plancheck.reporting.routing_table import control_routers, routing_table

IDS = ["q0000", "q0001", "q0002", "q0003"]


def rows(scheme, router, among, kind, policies, correct):
    return pd.DataFrame(
        {
            "question_id": IDS, "scheme": scheme, "router": router, "among": among, "kind": kind,
            "learned": None if kind == "oracle" else 3, "policy": policies, "correct": correct,
        }
    )  # fmt: skip


ROUTING = pd.concat(
    [
        rows("none", "oracle_pair", "pair", "oracle", ["bm25"] * 3 + ["sft"], [True, False, True, False]),
        rows("stratified", "forest", "pair", "deployable", ["bm25", "sft", "sft", "bm25"], [True, False, True, False]),
        rows("stratified", "domain_rule", "pair", "deployable", ["bm25"] * 4, [True, False, False, False]),
        rows("stratified", "forest", "controls", "deployable", ["head", "bm25", "bm25", "bm25"], [False] * 4),
        rows("stratified", "best_single", "policies", "fixed", ["bm25"] * 4, [True, False, False, False]),
        rows("leave_one_domain_out", "forest", "pair", "deployable", ["sft"] * 4, [False, False, True, False]),
        rows("leave_one_domain_out", "best_single", "policies", "fixed", ["sft"] * 4, [False, False, True, False]),
        rows("in_sample", "domain_rule_in_sample", "pair", "optimistic", ["sft"] * 4, [False, False, True, False]),
        rows("in_sample", "best_single", "policies", "optimistic", ["head"] * 4, [False, True, True, True]),
    ]
)


@pytest.fixture
def results(study):
    return study({"bm25": [1, 0, 0, 0], "sft": [0, 0, 1, 0], "head": [0, 1, 1, 1]}, sizes=(1, 1, 2))


def test_routers_are_compared_with_the_best_single_policy_that_their_row_names(results, method):
    table = routing_table(
        ROUTING.sample(frac=1, random_state=1).sort_values(["scheme"]), results, {"sft"}, method, budget_chars=900
    )
    assert list(table.columns) == DECLARED.names
    found = table.set_index(["scheme", "among", "router"])
    forest = found.loc["stratified", "pair", "forest"]
    assert forest[["planner_share", "difference", "wins", "losses"]].tolist() == [0.5, 0.25, 1, 0]
    assert forest["identical"] == 2  # both sent those two to bm25
    assert forest[["baseline", "baseline_accuracy"]].tolist() == ["training_folds", 0.25]
    assert found.loc[("leave_one_domain_out", "pair", "forest"), ["difference", "identical"]].tolist() == [0, 4]
    oracle = found.loc["none", "pair", "oracle_pair"]
    assert oracle[["difference", "baseline", "baseline_accuracy"]].tolist() == [-0.25, "same_questions", 0.75]
    rule = found.loc["in_sample", "pair", "domain_rule_in_sample"]
    assert rule[["difference", "baseline", "baseline_accuracy"]].tolist() == [-0.5, "same_questions", 0.75]


def test_tests_are_of_deployable_routers_by_scheme_and_by_what_they_choose_among(results, method):
    table = routing_table(ROUTING, results, {"sft"}, method, budget_chars=900)
    deployable = table["kind"] == "deployable"
    assert table["p"].notna().tolist() == deployable.tolist()
    assert table.loc[deployable, "tests"].tolist() == [2, 2, 1, 1]
    single = table[table["router"] == "best_single"]
    assert len(single) == 3
    assert single[["difference", "baseline"]].isna().all(axis=None)


def test_the_ladder_takes_deployable_stratified_routers_that_choose_among_controls(results):
    found = control_routers(ROUTING, results, budget_chars=900)
    assert list(found) == ["forest"]
    assert found["forest"].right == dict.fromkeys(IDS, False)
    assert found["forest"].shown == dict(zip(IDS, ["head", "bm25", "bm25", "bm25"], strict=True))


def test_a_router_that_lacks_a_question_or_has_it_twice_is_an_error(results, method):
    for broken in (ROUTING.iloc[1:], pd.concat([ROUTING, ROUTING.iloc[:1]])):
        with pytest.raises(ValueError, match="oracle_pair: not one row"):
            routing_table(broken, results, set(), method, budget_chars=900)


def test_no_routing_makes_no_rows(results, method):
    assert routing_table(ROUTING.iloc[:0], results, set(), method, budget_chars=900).empty
    assert control_routers(ROUTING.iloc[:0], results, budget_chars=900) == {}


def test_where_a_fold_left_nothing_to_learn_from_nothing_is_compared(results, method):
    untaught = ROUTING.assign(learned=ROUTING["learned"].where(ROUTING["scheme"] != "leave_one_domain_out", 0))
    table = routing_table(untaught, results, {"sft"}, method, budget_chars=900)
    rows = table[table["scheme"] == "leave_one_domain_out"]
    assert set(rows["baseline"]) == {"nothing_learned"}
    assert rows[["difference", "p", "p_adjusted", "baseline_accuracy"]].isna().all(axis=None)
    assert table.loc[table["kind"] == "deployable", "tests"].isna().sum() == 1
    assert control_routers(ROUTING.assign(learned=0), results, budget_chars=900) == {}
