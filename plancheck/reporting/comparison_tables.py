"""The declared comparisons, and the best planner against the best control at each budget.

p is adjusted over a table's rows of one kind of pick.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from plancheck.reporting.paired import PAIRED, Method, arm, paired, table_of
from plancheck.reporting.picks import best, picks
from plancheck.reporting.results import ALL, SEEN, TEST, Results
from plancheck.statistics.equivalence import equivalence_test
from plancheck.statistics.pairs import Outcomes

COMPARISONS_COLUMNS: Final = (
    "name",
    "treatment",
    "control",
    "pick",
    "candidates",
    "budget_chars",
    "split",
    *PAIRED,
    "equivalence_p",
)
BUDGETS_COLUMNS: Final = ("budget_chars", "treatment", "control", "pick", "split", *PAIRED)


@dataclass(frozen=True, slots=True)
class Declared:
    """A comparison of params.yaml; of several controls the best is picked."""

    treatment: str
    controls: Sequence[str]
    budget_chars: int
    split: str


def comparisons_table(results: Results, declared: Mapping[str, Declared], method: Method) -> pd.DataFrame:
    """COMPARISONS_COLUMNS, by name as declared.

    A control that is picked from several gives two rows: picked on the questions of the comparison, and nested.
    ``equivalence_p`` is the p against "the accuracies differ by the margin or more".
    """
    rows = []
    for name, comparison in declared.items():
        budget = comparison.budget_chars
        treatment = arm(results, comparison.treatment, budget)
        for pick in picks(results, comparison.controls, budget, split=comparison.split):
            figures = paired(treatment, arm(results, pick.policy, budget), results, pick.split, method)
            seen = Outcomes(figures["wins"], figures["losses"], figures["ties"])
            rows.append(
                {
                    "name": name,
                    "treatment": comparison.treatment,
                    "control": pick.policy,
                    "pick": pick.kind,
                    "candidates": pick.candidates,
                    "budget_chars": budget,
                    "split": pick.split,
                    **figures,
                    "equivalence_p": equivalence_test(seen, margin=method.margin),
                }
            )
    return table_of(rows, COMPARISONS_COLUMNS, family=lambda row: row["pick"])


def budgets_table(
    results: Results,
    planners: Sequence[str],
    controls: Sequence[str],
    budgets_chars: Sequence[int],
    method: Method,
) -> pd.DataFrame:
    """BUDGETS_COLUMNS: at each budget the best planner against the best control.

    Both are picked on all questions and compared there, which flatters the side with more candidates; and both are
    picked on train and dev, which trained planners learned from, and compared on test. Without planners or controls
    there are no rows.
    """
    rows: list[dict[str, Any]] = []
    for budget in budgets_chars if planners and controls else ():
        for kind, seen, split in (("same_questions", ALL, ALL), ("nested", SEEN, TEST)):
            treatment, control = (best(results, policies, budget, seen) for policies in (planners, controls))
            figures = paired(arm(results, treatment, budget), arm(results, control, budget), results, split, method)
            known = {"budget_chars": budget, "treatment": treatment, "control": control, "pick": kind, "split": split}
            rows.append({**known, **figures})
    return table_of(rows, BUDGETS_COLUMNS, family=lambda row: row["pick"])
