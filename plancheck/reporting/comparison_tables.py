"""The declared comparisons, and the best of all planners against the best of all controls at each budget."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from plancheck.params.comparison import OTHER
from plancheck.reporting.columns import BUDGET, COMPARISON, PAIR, SPLIT
from plancheck.reporting.paired import HOW, PAIRED, Method, adjusted, arm, paired
from plancheck.reporting.picks import PICKS, best, pickings
from plancheck.reporting.results import ALL, Results
from plancheck.reporting.table import Column, Table
from plancheck.statistics.equivalence import equivalence_test
from plancheck.statistics.pairs import Outcomes

SIDES: Final = (
    *PAIR,
    Column("pick", "Picked"),
    Column("treatment_candidates", "Treatments to pick from", "count"),
    Column("control_candidates", "Controls to pick from", "count"),
    BUDGET,
    SPLIT,
)
COMPARISONS: Final = Table(
    name="comparisons",
    title="Declared comparisons",
    notes=f"At each of their budgets. {HOW} {PICKS} p is adjusted (Benjamini and Hochberg) over the rows of one family "
    "and one kind of pick. Equivalence: p against a difference of the margin or more.",
    empty="this study makes no such comparison",
    columns=(
        COMPARISON,
        Column("family", "Family of tests"),
        *SIDES,
        *PAIRED,
        Column("equivalence_p", "Equivalence p", "p"),
    ),
)
BEST_OF_ALL: Final = Table(
    name="best_of_all",
    title="Best of all planners against best of all controls",
    notes="Of all planners, trained, early and prompted alike (not the harness's own), and of the controls of every "
    f"tier, at each budget. {HOW} {PICKS} p is adjusted (Benjamini and Hochberg) over the rows of one kind of pick.",
    empty="this study makes no such comparison",
    columns=(*SIDES, *PAIRED),
)


@dataclass(frozen=True, slots=True)
class Declared:
    """A comparison of params.yaml, made at each of its budgets; of several policies on a side the best is picked."""

    treatments: Sequence[str]
    controls: Sequence[str]
    budgets_chars: Sequence[int]
    split: str
    family: str = OTHER

    @property
    def picked(self) -> bool:
        """Whether a side has several policies to pick from."""
        return len(self.treatments) > 1 or len(self.controls) > 1


def comparisons_table(results: Results, declared: Mapping[str, Declared], method: Method) -> pd.DataFrame:
    """COMPARISONS, by name and budget as declared.

    Where either side is picked from several there are two rows a budget: both sides picked on the questions of the
    comparison, and both picked on train and dev and compared on test. ``treatment_candidates`` and
    ``control_candidates`` are how many each was picked from. p is adjusted over the rows of one family and one kind of
    pick, where those of the same sides, budget and split are one test: with a single budget "largest" and "smallest"
    mean the same. ``equivalence_p`` is the p against "the accuracies differ by the margin or more".
    """
    rows = []
    for name, comparison in declared.items():
        for row in sides(results, comparison, method, picked=comparison.picked):
            seen = Outcomes(row["wins"], row["losses"], row["ties"])
            known = {"name": name, "family": comparison.family}
            rows.append({**known, **row, "equivalence_p": equivalence_test(seen, margin=method.margin)})
    return COMPARISONS.frame(
        adjusted(
            rows,
            family=lambda row: (row["family"], row["pick"]),
            test=lambda row: (row["treatment"], row["control"], row["budget_chars"], row["split"]),
        )
    )


def best_of_all_table(
    results: Results,
    planners: Sequence[str],
    controls: Sequence[str],
    budgets_chars: Sequence[int],
    method: Method,
) -> pd.DataFrame:
    """BEST_OF_ALL: at each budget the best of all planners against the best of all controls.

    Both are picked on all questions and compared there, which flatters the side with more candidates; and both are
    picked on train and dev, which trained planners learned from, and compared on test. Without planners or controls
    there are no rows. p is adjusted over the rows of one kind of pick.
    """
    pooled = Declared(planners, controls, budgets_chars if planners and controls else (), ALL)
    rows = list(sides(results, pooled, method, picked=True))
    return BEST_OF_ALL.frame(adjusted(rows, family=lambda row: row["pick"]))


def sides(results: Results, declared: Declared, method: Method, *, picked: bool) -> Iterator[dict[str, Any]]:
    """SIDES and PAIRED of a comparison: a row a budget and way of picking."""
    for budget in declared.budgets_chars:
        for picking in pickings(declared.split, picked=picked):
            treatment, control = (
                best(results, policies, budget, picking.seen) for policies in (declared.treatments, declared.controls)
            )
            ours, theirs = arm(results, treatment, budget), arm(results, control, budget)
            yield {
                "treatment": treatment,
                "control": control,
                "pick": picking.kind,
                "treatment_candidates": len(declared.treatments),
                "control_candidates": len(declared.controls),
                "budget_chars": budget,
                "split": picking.split,
                **paired(ours, theirs, results, picking.split, method),
            }
