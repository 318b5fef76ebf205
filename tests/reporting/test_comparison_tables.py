import numpy as np
import pandas as pd
import pytest

from plancheck.reporting.comparison_tables import (
    BUDGETS_COLUMNS,
    COMPARISONS_COLUMNS,
    Declared,
    budgets_table,
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
    "one": Declared("sft+bm25", ["bm25"], 900, "all"),
    "held_out": Declared("sft+bm25", ["bm25"], 900, "test"),
    "best": Declared("sft+bm25", ["bm25", "rerank"], 600, "all"),
}


def test_a_picked_control_has_a_row_on_the_same_questions_and_a_nested_one(results, method):
    table = comparisons_table(results, DECLARED, method)
    assert list(table.columns) == list(COMPARISONS_COLUMNS)
    assert table[["name", "pick", "split", "questions", "candidates", "tests"]].to_numpy().tolist() == [
        ["one", "declared", "all", 60, 1, 2],
        ["held_out", "declared", "test", 30, 1, 2],
        ["best", "same_questions", "all", 60, 2, 1],
        ["best", "nested", "test", 30, 2, 1],
    ]
    first = table.iloc[0]
    assert first["equivalence_p"] == equivalence_test(
        Outcomes(first["wins"], first["losses"], first["ties"]), margin=0.05
    )


def test_adding_a_comparison_changes_no_other_row(results, method):
    columns = ["low", "high", "plain_low", "plain_high", "p", "difference"]
    one = comparisons_table(results, {"one": DECLARED["one"]}, method)
    more = comparisons_table(results, {"best": DECLARED["best"], "one": DECLARED["one"]}, method)
    assert more.loc[more["name"] == "one", columns].to_numpy().tolist() == one[columns].to_numpy().tolist()


def test_the_best_planner_meets_the_best_control_at_each_budget(results, method):
    table = budgets_table(results, ["sft+bm25", "sft+rerank"], ["bm25", "rerank"], [900, 600], method)
    assert list(table.columns) == list(BUDGETS_COLUMNS)
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
    assert budgets_table(results, planners, controls, [900], method).empty
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
