import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

from plancheck.reporting.comparison_tables import (
    BEST_OF_ALL,
    COMPARISONS,
    Declared,
    best_of_all_table,
    comparisons_table,
)
from plancheck.reporting.power_table import EFFECTS, power_table
from plancheck.statistics.equivalence import equivalence_test
from plancheck.statistics.pairs import Outcomes
from plancheck.statistics.power import examples_needed, examples_needed_exactly

POLICIES = ("bm25", "rerank", "sft+bm25", "sft+rerank")


@pytest.fixture
def results(study):
    generator = np.random.default_rng(4)
    rows = {name: generator.random(60) < share for name, share in zip(POLICIES, (0.4, 0.6, 0.5, 0.7), strict=True)}
    return study(rows, sizes=(20, 10, 30), budgets=(900, 600))


DECLARED = {
    "one": Declared(["sft+bm25"], ["bm25"], [900], "all"),
    "held_out": Declared(["sft+bm25"], ["bm25"], [900], "test"),
    "best": Declared(["sft+bm25"], ["bm25", "rerank"], [600], "all"),
}


def test_a_picked_control_has_a_row_on_the_same_questions_and_a_nested_one(results, method):
    table = comparisons_table(results, DECLARED, method)
    assert list(table.columns) == COMPARISONS.names
    assert table[["name", "pick", "split", "questions", "control_candidates", "tests"]].to_numpy().tolist() == [
        ["one", "declared", "all", 60, 1, 2],
        ["held_out", "declared", "test", 30, 1, 2],
        ["best", "same_questions", "all", 60, 2, 1],
        ["best", "nested", "test", 30, 2, 1],
    ]
    first = table.iloc[0]
    assert first["equivalence_p"] == equivalence_test(
        Outcomes(first["wins"], first["losses"], first["ties"]), margin=0.05
    )


def test_of_several_treatments_the_best_is_picked_beside_the_control_at_each_budget(study, method):
    rows = {
        "sft+bm25": [1, 1, 1, 0, 0, 0],
        "sft+rerank": [0, 1, 1, 1, 1, 0],
        "bm25": [0, 0, 0, 0, 1, 1],
        "rerank": [1, 1, 0, 0, 0, 0],
    }
    results = study(rows, sizes=(2, 1, 3), budgets=(900, 600))
    both = Declared(["sft+bm25", "sft+rerank"], ["bm25", "rerank"], [900, 600], "all", "table_4")
    alone = Declared(["sft+bm25", "sft+rerank"], ["bm25"], [900], "all")
    table = comparisons_table(results, {"both": both, "alone": alone}, method)
    columns = ["name", "budget_chars", "treatment", "control", "pick", "split", "treatment_candidates",
               "control_candidates", "wins", "losses", "ties", "family", "tests"]  # fmt: skip
    same = ["sft+rerank", "bm25", "same_questions", "all", 2]
    nested = ["sft+bm25", "rerank", "nested", "test", 2]
    assert table[columns].to_numpy().tolist() == [
        ["both", 900, *same, 2, 3, 1, 2, "table_4", 2],
        ["both", 900, *nested, 2, 0, 0, 3, "table_4", 2],
        ["both", 600, *same, 2, 3, 1, 2, "table_4", 2],
        ["both", 600, *nested, 2, 0, 0, 3, "table_4", 2],
        ["alone", 900, *same, 1, 3, 1, 2, "other", 1],
        ["alone", 900, "sft+bm25", "bm25", "nested", "test", 2, 1, 0, 2, 1, "other", 1],
    ]


@pytest.mark.parametrize("test_outcomes", [[0, 0], [1, 0], [1, 1]])
def test_the_nested_pick_of_a_treatment_never_looks_at_test_outcomes(study, method, test_outcomes):
    results = study({"a": [1, 1, 0, 0], "b": [0, 0, *test_outcomes], "c": [0, 1, 0, 1]}, sizes=(1, 1, 2))
    table = comparisons_table(results, {"one": Declared(["a", "b"], ["c"], [900], "all")}, method)
    nested = table[table["pick"] == "nested"].iloc[0]
    assert (nested["treatment"], nested["split"], nested["questions"]) == ("a", "test", 2)


def test_p_is_adjusted_over_the_rows_of_one_family_and_one_kind_of_pick(results, method):
    pairs = {
        "a": Declared(["sft+bm25"], ["bm25"], [900, 600], "all", "mine"),
        "b": Declared(["sft+rerank"], ["bm25"], [900], "all", "mine"),
        "c": Declared(["sft+rerank"], ["rerank"], [900], "all"),
        "d": Declared(["sft+rerank"], ["bm25", "rerank"], [900], "all", "mine"),
    }
    table = comparisons_table(results, pairs, method)
    assert table["tests"].tolist() == [3, 3, 3, 1, 1, 1]
    mine = table[table["tests"] == 3]
    assert mine["p_adjusted"].tolist() == pytest.approx(false_discovery_control(mine["p"]))
    alone = table[table["tests"] == 1]
    assert alone["p_adjusted"].tolist() == alone["p"].tolist()


@pytest.mark.parametrize(
    ("wins", "losses", "ties", "difference", "p"),
    [(56, 37, 410, 3.78, 0.061), (12, 20, 120, -5.26, 0.215), (68, 59, 376, 1.79, 0.478)],
)
def test_published_counts_give_the_published_difference_and_p(study, method, wins, losses, ties, difference, p):
    rows = {"sft+bm25": [1] * wins + [0] * losses + [1] * ties, "bm25": [0] * wins + [1] * losses + [1] * ties}
    row = comparisons_table(study(rows), {"one": DECLARED["one"]}, method).iloc[0]
    assert (row["wins"], row["losses"], row["ties"]) == (wins, losses, ties)
    assert (round(100 * row["difference"], 2), round(row["p"], 3)) == (difference, p)
    assert row["p_adjusted"] == row["p"]


def test_adding_a_comparison_changes_no_other_row(results, method):
    columns = ["low", "high", "plain_low", "plain_high", "p", "difference"]
    one = comparisons_table(results, {"one": DECLARED["one"]}, method)
    more = comparisons_table(results, {"best": DECLARED["best"], "one": DECLARED["one"]}, method)
    assert more.loc[more["name"] == "one", columns].to_numpy().tolist() == one[columns].to_numpy().tolist()


def test_the_best_planner_meets_the_best_control_at_each_budget(results, method):
    table = best_of_all_table(results, ["sft+bm25", "sft+rerank"], ["bm25", "rerank"], [900, 600], method)
    assert list(table.columns) == BEST_OF_ALL.names
    assert set(table["treatment_candidates"]) == set(table["control_candidates"]) == {2}
    assert table[["budget_chars", "pick", "split", "tests"]].to_numpy().tolist() == [
        [900, "same_questions", "all", 2],
        [900, "nested", "test", 2],
        [600, "same_questions", "all", 2],
        [600, "nested", "test", 2],
    ]
    assert table.iloc[0][["treatment", "control"]].tolist() == ["sft+rerank", "rerank"]
    assert table.iloc[0]["treatment_accuracy"] == results.accuracy("sft+rerank", 900, "all")


@pytest.mark.parametrize(("planners", "controls"), [([], ["bm25"]), (["sft+bm25"], [])])
def test_without_planners_or_controls_there_is_nothing_to_compare(planners, controls, results, method):
    assert best_of_all_table(results, planners, controls, [900], method).empty
    assert comparisons_table(results, {}, method).empty
    assert power_table(comparisons_table(results, {}, method), method).empty


def test_power_has_a_row_an_effect_for_each_pair_once(results, method):
    comparisons = comparisons_table(results, DECLARED, method)
    table = power_table(pd.concat([comparisons.iloc[[0]], comparisons.iloc[[0, 2]]]), method)
    assert table["effect"].tolist() == list(EFFECTS) * 2
    row = table.iloc[4]
    assert row["needed"] == examples_needed(0.05, row["discordance"])
    assert row["needed_exact"] == examples_needed_exactly(0.05, row["discordance"])


def test_an_effect_above_the_discordance_has_no_number_of_questions(method):
    seen = {
        "budget_chars": 900,
        "treatment": "a",
        "control": "b",
        "questions": 100,
        "discordance": 0.02,
        "detectable": None,
    }
    table = power_table(pd.DataFrame([seen]), method)
    assert table["needed"].notna().tolist() == [True, True, True, False, False, False]
    assert table["needed_exact"].notna().tolist() == [True, True, True, False, False, False]
