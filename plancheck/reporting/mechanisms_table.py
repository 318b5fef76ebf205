"""What tells a planner's wins from its losses: the whole family of measures, tests and budgets."""

from collections.abc import Mapping
from statistics import fmean, median
from typing import Any, Final

import pandas as pd

from plancheck.mechanisms.measures import Case, measures
from plancheck.mechanisms.win_loss import win_loss_test
from plancheck.reporting.paired import table_of
from plancheck.reporting.results import ALL, Results

COLUMNS: Final = (
    "budget_chars",
    "treatment",
    "control",
    "measure",
    "scorer",
    "wins",
    "losses",
    "mean_wins",
    "mean_losses",
    "median_wins",
    "median_losses",
    "p",
    "p_adjusted",
    "tests",
)


def mechanisms_table(
    results: Results,
    cases: Mapping[int, Mapping[str, Case]],
    *,
    treatment: str,
    control: str,
    top: int,
) -> pd.DataFrame:
    """COLUMNS: a row a budget, measure and scorer, over all questions.

    Args:
        results: what each policy answers right.
        cases: by budget and question.
        treatment: the planner policy; it wins a question that it alone answers right.
        control: the policy that it is compared with.
        top: how many atoms are the reranker's choice.

    Returns:
        ``wins`` and ``losses`` count the questions whose measure is defined. p is empty, and the row in no family,
        where either has too few of them for the test. p is adjusted over all tests of the table.
    """
    rows: list[dict[str, Any]] = []
    for budget, own in cases.items():
        found = {question_id: measures(own[question_id], top=top) for question_id in results.splits[ALL]}
        ours, theirs = results.right(treatment, budget), results.right(control, budget)
        for measure, scorer in next(iter(found.values())):
            values = {i: value for i, each in found.items() if (value := each[measure, scorer]) is not None}
            wins = [value for question_id, value in values.items() if ours[question_id] and not theirs[question_id]]
            losses = [value for question_id, value in values.items() if theirs[question_id] and not ours[question_id]]
            known = {"budget_chars": budget, "treatment": treatment, "control": control}
            rows.append({**known, "measure": measure, "scorer": scorer, **side_by_side(wins, losses)})
    return table_of(rows, COLUMNS)


def side_by_side(wins: list[float], losses: list[float]) -> dict[str, float | int | None]:
    """How many, their means and medians (None of none), and the test's p."""
    return {
        "wins": len(wins),
        "losses": len(losses),
        "mean_wins": fmean(wins) if wins else None,
        "mean_losses": fmean(losses) if losses else None,
        "median_wins": median(wins) if wins else None,
        "median_losses": median(losses) if losses else None,
        "p": win_loss_test(wins, losses),
    }
