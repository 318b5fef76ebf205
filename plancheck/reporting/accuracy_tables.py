"""Accuracies by split, each with its Wilson interval."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from plancheck.reporting.columns import BUDGET, POLICY, UNITS
from plancheck.reporting.results import ALL, Results
from plancheck.reporting.table import Column, Table
from plancheck.statistics.proportions import wilson

HELDOUT: Final = Table(
    name="heldout",
    title="Test questions alone, and all questions",
    notes="Accuracy at the largest budget, each with its Wilson interval. All questions are partly transductive: the "
    f"planner learned from traces of train and dev questions. {UNITS}",
    empty="test questions are in main.csv alone",
    columns=(
        POLICY,
        BUDGET,
        Column("test_questions", "Test: questions", "count"),
        Column("test_correct", "Test: right", "count"),
        Column("test_accuracy", "Test: accuracy, % [Wilson]", "percent", interval=("test_low", "test_high")),
        Column("all_questions", "All: questions", "count"),
        Column("all_correct", "All: right", "count"),
        Column(
            "all_accuracy",
            "All (partly transductive): accuracy, % [Wilson]",
            "percent",
            interval=("all_low", "all_high"),
        ),
    ),
)


def heldout_table(results: Results, policies: Sequence[str], budget_chars: int, *, confidence: float) -> pd.DataFrame:
    """HELDOUT: each policy on the test questions alone, beside all questions.

    All questions include those whose traces the planner learned from, so that its accuracy there is partly
    transductive.
    """
    rows = []
    for policy in policies:
        right = results.right(policy, budget_chars)
        row: dict[str, Any] = {"policy": policy, "budget_chars": budget_chars}
        for split in ("test", ALL):
            chosen = right.loc[list(results.splits[split])]
            for name, value in accuracy_columns(chosen, confidence=confidence).items():
                row[f"{split}_{name.removeprefix('wilson_')}"] = value
        rows.append(row)
    return HELDOUT.frame(rows)


def accuracy_columns(right: pd.Series, *, confidence: float) -> dict[str, float | int]:
    """Questions, how many are right, the share and its interval."""
    correct = int(right.sum())
    interval = wilson(correct, len(right), confidence=confidence)
    return {
        "questions": len(right),
        "correct": correct,
        "accuracy": correct / len(right),
        "wilson_low": interval.low,
        "wilson_high": interval.high,
    }
