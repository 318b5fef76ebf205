"""Accuracies by split, each with its Wilson interval."""

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from plancheck.reporting.results import ALL, Results
from plancheck.statistics.proportions import wilson

HELDOUT_COLUMNS: Final = (
    "policy",
    "budget_chars",
    *(f"{split}_{name}" for split in ("test", ALL) for name in ("questions", "correct", "accuracy", "low", "high")),
)


def heldout_table(results: Results, policies: Sequence[str], budget_chars: int, *, confidence: float) -> pd.DataFrame:
    """HELDOUT_COLUMNS: each policy on the test questions alone, beside all questions.

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
    return pd.DataFrame(rows, columns=list(HELDOUT_COLUMNS))


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
