"""What tells a planner's wins from its losses: the whole family of measures, scorers and budgets, tested or not."""

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any, Final

import pandas as pd

from plancheck.mechanisms.measures import Case, measures
from plancheck.mechanisms.win_loss import FEWEST, win_loss_test
from plancheck.reporting.paired import table_of
from plancheck.reporting.picks import Pick
from plancheck.reporting.results import ALL, Results

COLUMNS: Final = (
    "budget_chars",
    "treatment",
    "control",
    "pick",
    "candidates",
    "measure",
    "scorer",
    "wins",
    "losses",
    "mean_wins",
    "mean_losses",
    "median_wins",
    "median_losses",
    "untested",
    "p",
    "p_adjusted",
    "tests",
    "members",
)
UNDEFINED: Final = "undefined"


def mechanisms_table(
    results: Results,
    cases: Mapping[int, Mapping[str, Case]],
    *,
    treatment: str,
    controls: Mapping[int, Pick],
    top: int,
) -> pd.DataFrame:
    """COLUMNS: a row a budget, measure and scorer, which together are the family, over all questions.

    Args:
        results: what each policy answers right.
        cases: by budget and question.
        treatment: the planner policy; it wins a question that it alone answers right.
        controls: by budget, the policy that it is compared with, and how that one was picked.
        top: how many of a ranking's first atoms are its choice.

    Returns:
        ``wins`` and ``losses`` count the questions whose measure is defined. ``untested`` says why there is no p:
        "undefined" where the measure is so in every question, else which of wins and losses are too few; it is empty
        where there is one. p is adjusted over all tests of the table, ``tests`` is their number, ``members`` that of
        the family, which is the number of rows.
    """
    rows: list[dict[str, Any]] = []
    for budget, own in cases.items():
        control = controls[budget]
        found = {question_id: measures(own[question_id], top=top) for question_id in results.splits[ALL]}
        ours, theirs = results.right(treatment, budget), results.right(control.policy, budget)
        for measure, scorer in next(iter(found.values())):
            values = {i: value for i, each in found.items() if (value := each[measure, scorer]) is not None}
            wins = [value for question_id, value in values.items() if ours[question_id] and not theirs[question_id]]
            losses = [value for question_id, value in values.items() if theirs[question_id] and not ours[question_id]]
            rows.append(
                {
                    "budget_chars": budget,
                    "treatment": treatment,
                    "control": control.policy,
                    "pick": control.kind,
                    "candidates": control.candidates,
                    "measure": measure,
                    "scorer": scorer,
                    **side_by_side(wins, losses),
                    "untested": untested(wins, losses) if values else UNDEFINED,
                }
            )
    return table_of([{**row, "members": len(rows)} for row in rows], COLUMNS)


def untested(wins: Sequence[float], losses: Sequence[float]) -> str | None:
    """What keeps them from being tested, or None."""
    few = [name for name, found in (("wins", wins), ("losses", losses)) if len(found) < FEWEST]
    return f"too few {' and '.join(few)}" if few else None


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
