import pandas as pd
import pytest

from plancheck.reporting.routing_table import COLUMNS, deployable_routers, routing_table

IDS = ["q0000", "q0001", "q0002", "q0003"]


def rows(scheme, router, kind, policies, correct):
    return pd.DataFrame(
        {"question_id": IDS, "scheme": scheme, "router": router, "kind": kind, "policy": policies, "correct": correct}
    )


ROUTING = pd.concat(
    [
        rows("none", "oracle_pair", "oracle", ["bm25"] * 3 + ["sft"], [True, True, True, False]),
        rows("stratified", "forest", "deployable", ["bm25", "sft", "sft", "bm25"], [True, False, True, False]),
        rows("stratified", "domain_rule", "deployable", ["bm25"] * 4, [True, False, False, False]),
        rows("stratified", "best_single", "fixed", ["bm25"] * 4, [True, False, False, False]),
        rows("leave_one_domain_out", "forest", "deployable", ["sft"] * 4, [False, False, True, False]),
        rows("leave_one_domain_out", "best_single", "fixed", ["sft"] * 4, [False, False, True, False]),
        rows("in_sample", "domain_rule_in_sample", "optimistic", ["sft"] * 4, [False, False, True, False]),
    ]
)


@pytest.fixture
def results(study):
    return study({"bm25": [1, 0, 0, 0], "sft": [0, 0, 1, 0]}, sizes=(1, 1, 2))


def test_routers_are_compared_with_the_best_single_policy_of_their_scheme(results, method):
    table = routing_table(
        ROUTING.sample(frac=1, random_state=1).sort_values(["scheme"]), results, {"sft"}, method, budget_chars=900
    )
    assert list(table.columns) == list(COLUMNS)
    found = table.set_index(["scheme", "router"])
    assert found.loc[("stratified", "forest"), ["planner_share", "difference", "wins", "losses"]].tolist() == [
        0.5,
        0.25,
        1,
        0,
    ]
    assert found.loc[("stratified", "forest"), "identical"] == 2  # both sent those two to bm25
    assert found.loc[("leave_one_domain_out", "forest"), ["difference", "identical"]].tolist() == [0, 4]
    assert found.loc[("none", "oracle_pair"), "difference"] == 0.5


def test_tests_are_of_deployable_routers_by_scheme(results, method):
    table = routing_table(ROUTING, results, {"sft"}, method, budget_chars=900)
    deployable = table["kind"] == "deployable"
    assert table["p"].notna().tolist() == deployable.tolist()
    assert table.loc[deployable, "tests"].tolist() == [2, 2, 1]
    assert table.loc[table["kind"] == "fixed", "difference"].isna().all()


def test_the_ladder_takes_deployable_stratified_routers(results):
    found = deployable_routers(ROUTING, results, budget_chars=900)
    assert list(found) == ["forest", "domain_rule"]
    assert found["forest"].right.tolist() == [True, False, True, False]


def test_a_router_that_lacks_a_question_or_has_it_twice_is_an_error(results, method):
    for broken in (ROUTING.iloc[1:], pd.concat([ROUTING, ROUTING.iloc[:1]])):
        with pytest.raises(ValueError, match="oracle_pair: not one row"):
            routing_table(broken, results, set(), method, budget_chars=900)


def test_no_routing_makes_no_rows(results, method):
    assert routing_table(ROUTING.iloc[:0], results, set(), method, budget_chars=900).empty
    assert deployable_routers(ROUTING.iloc[:0], results, budget_chars=900) == {}
