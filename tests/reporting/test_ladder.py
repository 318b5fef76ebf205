"""The survival ladder says each of its four verdicts where it is due."""

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from plancheck.reporting.ladder import LADDER, VERDICTS, deciding, ladder, show, survival, verdict, verdict_counts
from plancheck.reporting.paired import arm
from plancheck.statistics.power import examples_needed_exactly

TIERS = {"direct": ["head", "random"], "rerank": ["rerank"]}
PLANNERS = {"perfect": "evidence", "null": "random_plan", "worse": "sft"}


def outcomes(count, seed=1):
    """Controls that are right on half of the questions, and planners that are always, as often, and never right."""
    generator = np.random.default_rng(seed)
    controls = {name: generator.integers(0, 2, count) for name in ("head", "random", "rerank")}
    return {
        **controls,
        "perfect": np.ones(count, dtype=int),
        "null": generator.integers(0, 2, count),
        "worse": np.zeros(count, dtype=int),
    }


def made(results, method, *, routers=None, planners=PLANNERS, budgets=(900,)):
    return ladder(
        results,
        planners,
        TIERS,
        budgets_chars=budgets,
        routers=routers or {},
        router_tier="router",
        router_budget_chars=900,
        method=method,
    )


@pytest.fixture
def results(study):
    return study(outcomes(120), sizes=(50, 10, 60))


def test_a_perfect_planner_is_supported_everywhere_a_worse_one_is_not_and_a_null_one_never(results, method):
    routers = {"forest": arm(results, "head", 900)}
    table = made(results, method, routers=routers)
    assert list(table.columns) == LADDER.names
    assert set(table.loc[table["planner"] == "perfect", "verdict"]) == {"supported"}
    assert set(table.loc[table["planner"] == "worse", "verdict"]) == {"opposite"}
    assert "supported" not in set(table.loc[table["planner"] == "null", "verdict"])
    assert set(table["tier"]) == {"direct", "rerank", "router"}


def test_every_tier_is_met_on_all_questions_and_on_test_and_one_of_several_is_picked_anew(results, method):
    routers = {"forest": arm(results, "head", 900)}
    table = made(results, method, planners={"perfect": "evidence"}, routers=routers)
    assert table[["tier", "pick", "split", "candidates"]].to_numpy().tolist() == [
        ["direct", "same_questions", "all", 2],
        ["direct", "nested", "test", 2],
        ["rerank", "declared", "all", 1],
        ["rerank", "declared", "test", 1],
        ["router", "declared", "all", 1],
        ["router", "declared", "test", 1],
    ]
    assert table["selector"].tolist() == ["evidence"] * 6
    assert table["questions"].tolist() == [120, 60] * 3


def test_no_effect_is_excluded_by_many_questions_and_left_open_by_few(study, method):
    same = {"head": [1, 0], "random": [1, 0], "rerank": [1, 0], "null": [1, 0]}
    planners = {"null": "random_plan"}
    many = study({name: row * 1000 for name, row in same.items()}, sizes=(500, 500, 1000))
    few = study({name: row * 7 for name, row in same.items()}, sizes=(5, 2, 7))
    assert set(made(many, method, planners=planners)["verdict"]) == {"not_supported"}
    assert set(made(few, method, planners=planners)["verdict"]) == {"cannot_tell"}


def test_chance_differences_are_excluded_or_open_by_their_number(study, method):
    planners = {"null": "random_plan"}
    many = made(study(outcomes(6000, seed=3), sizes=(100, 100, 5800)), method, planners=planners)
    few = made(study(outcomes(60), sizes=(30, 10, 20)), method, planners=planners)
    assert many[many["pick"] == "declared"]["verdict"].tolist() == ["not_supported"] * 2
    assert few[few["pick"] == "declared"]["verdict"].tolist() == ["cannot_tell"] * 2


def test_the_number_that_would_tell_allows_for_the_adjustment(study, method):
    table = made(study(outcomes(60), sizes=(30, 10, 20)), method, planners={"null": "random_plan"})
    for found in table.to_dict("records"):
        needed = examples_needed_exactly(method.margin, found["discordance"], alpha=0.05 / 2, power=method.power)
        assert found["tests"] == 2
        assert needed > found["needed"]
        assert f"about {needed:,} questions would tell a gain of 5.0 points with 80% power" in found["sentence"]


def row(**changes):
    return {"p_adjusted": 0.01, "low": 0.1, "high": 0.3, "wins": 30, "losses": 10, "ties": 60} | changes


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "supported"),
        ({"p_adjusted": 0.05}, "supported"),
        ({"p_adjusted": 0.051}, "cannot_tell"),
        ({"low": 0.0}, "cannot_tell"),
        ({"low": -0.3, "high": -0.1}, "opposite"),
        ({"low": -0.3, "high": -0.1, "p_adjusted": 0.2, "wins": 10, "losses": 30}, "not_supported"),
        ({"low": -0.1, "high": 0.05, "p_adjusted": 1, "wins": 10, "losses": 10}, "cannot_tell"),
        ({"low": 0.0, "high": 0.0, "p_adjusted": 1, "wins": 0, "losses": 0, "ties": 14}, "cannot_tell"),
        ({"low": 0.0, "high": 0.0, "p_adjusted": 1, "wins": 0, "losses": 0, "ties": 140}, "not_supported"),
    ],
)
def test_the_rule(changes, expected, method):
    assert verdict(row(**changes), method) == expected


def test_a_family_is_one_planner_at_one_budget_on_all_questions_or_on_test(study, method):
    results = study(outcomes(60), sizes=(20, 10, 30), budgets=(900, 600))
    routers = {name: arm(results, name, 900) for name in ("head", "random")}
    table = made(results, method, routers=routers, budgets=(900, 600))
    sizes = table.groupby(["budget_chars", "split"])["tests"].agg(set).to_dict()
    assert sizes[900, "all"] == sizes[900, "test"] == {4}  # two tiers, two routers
    assert sizes[600, "all"] == sizes[600, "test"] == {2}  # routers choose at their own budget
    assert set(table.loc[table["budget_chars"] == 600, "tier"]) == {"direct", "rerank"}


def test_another_planner_or_tier_changes_no_interval(results, method):
    alone = made(results, method, planners={"null": "random_plan"})
    table = made(results, method, routers={"forest": arm(results, "head", 900)})
    among = table[(table["planner"] == "null") & (table["tier"] != "router")]
    columns = ["low", "high", "plain_low", "plain_high", "p"]
    assert among[columns].to_numpy().tolist() == alone[columns].to_numpy().tolist()


def test_the_order_of_the_questions_changes_nothing(study, method):
    rows = outcomes(60)
    pd.testing.assert_frame_equal(
        made(study(rows, sizes=(20, 10, 30)), method), made(study(rows, sizes=(20, 10, 30), shuffle=5), method)
    )


def test_a_sentence_says_points_interval_p_and_number(results, method):
    table = made(results, method, planners={"perfect": "evidence"})
    found = table.iloc[0]
    assert found["sentence"].startswith(
        f"perfect against {found['control']} (direct; the best of 2 on the same questions): +"
    )
    assert all(
        part in found["sentence"] for part in ("(95% interval +", ", p < ", ", adj. p < ", "n = 120 all questions.")
    )
    assert found["sentence"].endswith("The gain is supported.")


def test_a_verdict_against_the_planner_says_when_the_pick_is_flattered(results, method):
    table = made(results, method, planners={"perfect": "evidence", "worse": "sft"})
    told = table["sentence"].str.endswith("These questions flatter the pick: the test row does not.")
    assert table[told][["planner", "pick"]].to_numpy().tolist() == [["worse", "same_questions"]]


def test_a_sentence_says_how_many_ties_saw_the_same_text_and_when_no_pair_could_differ(study, method):
    outcomes = {"head": [1, 0, 1, 1], "random": [0, 0, 0, 0], "rerank": [1, 0, 1, 0], "null": [1, 0, 0, 0]}
    shown = {"null": list("abcd"), "head": list("abyz"), "rerank": list("abxd")}
    results = study(outcomes, sizes=(1, 1, 2), shown=shown)
    table = made(results, method, planners={"null": "random_plan"}).set_index(["control", "split"])
    found = table["sentence"]
    assert ". Of 2 ties, 2 saw the same text. Cannot tell" in found["head", "all"]
    assert ". Of 3 ties, 3 saw the same text. Cannot tell" in found["rerank", "all"]
    assert table["identical"].to_dict() == {
        ("head", "all"): 2,
        ("head", "test"): 0,
        ("rerank", "all"): 3,
        ("rerank", "test"): 1,
    }
    assert "saw the same text" not in found["head", "test"]
    alike = study(outcomes | {"rerank": outcomes["null"]}, sizes=(1, 1, 2), shown=shown | {"rerank": shown["null"]})
    table = made(alike, method, planners={"null": "random_plan"}).set_index(["control", "split"])
    assert table.loc[("rerank", "all"), "sentence"].endswith(
        "n = 4 all questions. Both saw the same text in all 4 questions: this comparison says nothing."
    )


def test_survival_is_the_first_tier_that_is_not_supported(results, method):
    table = made(results, method)
    found = survival(table).set_index("planner")
    assert (found.loc["perfect", "passed"], found.loc["perfect", "tiers"]) == (2, 2)
    assert found.loc["null", ["passed", "tier"]].tolist() == [0, "direct"]
    assert sum(verdict_counts(table).values()) == 3 * 2
    assert tuple(verdict_counts(table)) == VERDICTS


@pytest.mark.parametrize(
    ("verdicts", "place"),
    [
        (["supported"], 0),
        (["supported", "supported"], 0),
        (["supported", "not_supported", "not_supported"], 1),
        (["not_supported", "cannot_tell", "cannot_tell"], 1),
        (["cannot_tell", "not_supported"], 0),
        (["supported", "cannot_tell", "not_supported", "opposite"], 3),
    ],
)
def test_a_tier_of_several_is_supported_only_as_a_whole_and_excluded_only_where_no_row_is_open(verdicts, place):
    assert deciding(verdicts) == place
    assert verdicts[::-1][deciding(verdicts[::-1])] == verdicts[place]


def test_survival_shows_the_deciding_router_in_whatever_order_they_come():
    verdicts = {"logistic": "not_supported", "forest": "supported", "boosting": "cannot_tell"}
    rows = [
        {"planner": "sft", "budget_chars": 900, "tier": tier, "control": name, "split": "all", "verdict": found,
         "difference": 0.0, "low": -0.1, "high": 0.1, "ties": 5, "identical": 2}
        for tier, name, found in [("rerank", "rerank", "supported"), *(("router", *row) for row in verdicts.items())]
    ]  # fmt: skip
    for order in (rows, rows[:1] + rows[:0:-1]):
        (found,) = survival(pd.DataFrame(order)).to_dict("records")
        assert (found["passed"], found["tiers"]) == (1, 2)
        assert (found["tier"], found["control"], found["verdict"]) == ("router", "boosting", "cannot_tell")


def test_the_console_shows_a_line_a_planner_within_100_columns(results, method, tmp_path):
    table = made(results, method, planners={"perfect": "evidence", "null": "random_plan"})
    table.loc[table["planner"] == "null", "identical"] = 3
    table.to_csv(tmp_path / "ladder.csv")
    output = io.StringIO()
    show(tmp_path / "ladder.csv", console=Console(file=output, width=100))
    lines = output.getvalue().splitlines()
    assert len([line for line in lines if line.strip().startswith(("perfect", "null"))]) == 2
    assert max(map(len, lines)) <= 100
    assert any("survives all" in line for line in lines if line.strip().startswith("perfect"))
    assert "at 900 characters" in lines[0]
    ties = table.loc[table["planner"] == "null", "ties"].iloc[0]
    assert f"both sides saw the same text: null 3 of {ties}." in output.getvalue()
