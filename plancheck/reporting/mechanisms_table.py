"""What tells a planner's wins from its losses: the whole family of measures, scorers and budgets, tested or not."""

from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import Any, Final

import pandas as pd

from plancheck.mechanisms.measures import Case, measures
from plancheck.mechanisms.win_loss import FEWEST, win_loss_test
from plancheck.reporting.columns import BUDGET, PAIR, PICK, TESTS, WINS
from plancheck.reporting.paired import adjusted
from plancheck.reporting.picks import Pick
from plancheck.reporting.results import ALL, Results
from plancheck.reporting.table import Column, Table

MECHANISMS: Final = Table(
    name="mechanisms",
    title="Measures over wins and over losses",
    notes="Each measure over the questions that the treatment alone, or the control alone, answers right. p: two-sided "
    "Mann-Whitney U test, which takes questions for independent; none with fewer than 5 wins or losses. Each row is a "
    "member of the family: a measure of a scorer at a budget. p is adjusted (Benjamini and Hochberg) over those that "
    "are tested; untested says why the others are not. Displacement: how many of the reranker's first atoms the "
    "treatment does not show; from control: the share of them that the control shows and the treatment does not. Pick "
    "same_questions: the best control on these questions.",
    empty="no win or no loss to tell apart",
    columns=(
        BUDGET,
        *PAIR,
        *PICK,
        Column("measure", "Measure"),
        Column("scorer", "Scores of"),
        *WINS,
        Column("mean_wins", "Mean of wins", "number"),
        Column("mean_losses", "Mean of losses", "number"),
        Column("median_wins", "Median of wins", "number"),
        Column("median_losses", "Median of losses", "number"),
        Column("untested", "Untested for"),
        *TESTS,
        Column("members", "Members of the family", "count"),
    ),
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
    """MECHANISMS: a row a budget, measure and scorer, which together are the family, over all questions.

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
    return MECHANISMS.frame(adjusted([{**row, "members": len(rows)} for row in rows]))


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
