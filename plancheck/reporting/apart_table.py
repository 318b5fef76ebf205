"""The ladder's test rows once more, without the test questions that share something with what was learned from."""

from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from plancheck.reporting.columns import BUDGET
from plancheck.reporting.ladder import verdict
from plancheck.reporting.paired import HOW, PAIRED, Arm, Method, adjusted, arm, paired
from plancheck.reporting.results import TEST, Results, records
from plancheck.reporting.table import Column, Table

LADDER_APART: Final = Table(
    name="ladder_apart",
    title="The survival ladder on test questions that share nothing with what was learned from",
    notes="The ladder's test rows with the same controls, without the test questions that reports/leakage.json names: "
    f"their context or wording is also in train or dev, or in what a system says it learned from. {HOW} Verdicts by "
    "the ladder's rule; those on all test questions beside them.",
    empty="no test question shares anything with what was learned from, or the others have fewer than two contexts",
    columns=(
        Column("planner", "Planner"),
        Column("selector"),
        Column("tier", "Tier"),
        Column("control", "Control"),
        BUDGET,
        *PAIRED,
        Column("verdict", "Verdict"),
        Column("verdict_all", "Verdict, all test questions"),
        Column("difference_all", "Difference, all test questions", "points", interval=("low_all", "high_all")),
    ),
)


def apart_table(
    ladder: pd.DataFrame, results: Results, leaked: Set[str], *, routers: Mapping[str, Arm], method: Method
) -> pd.DataFrame:
    """LADDER_APART, in the ladder's order; no row where nothing is left out, or fewer than two contexts are left.

    Controls stay those that the ladder picked on train and dev. Planners are not trained again: a planner may still
    have learned from the context of a question that is left out, which does not help it with the others.

    Args:
        ladder: the rows of LADDER.
        leaked: test questions to leave out.
        routers: controls by name that are no policies.
    """
    kept = tuple(name for name in results.splits[TEST] if name not in leaked)
    if not leaked or len({results.contexts[name] for name in kept}) < 2:
        return LADDER_APART.frame([])
    left = replace(results, splits={**results.splits, TEST: kept})
    rows: list[dict[str, Any]] = []
    for row in records(ladder[ladder["split"] == TEST]):
        budget = int(row["budget_chars"])
        control = routers[row["control"]] if row["control"] in routers else arm(results, row["control"], budget)
        figures = paired(arm(results, row["planner"], budget), control, left, TEST, method)
        known = {name: row[name] for name in ("planner", "selector", "tier", "control", "budget_chars")}
        before = {f"{name}_all": row[name] for name in ("verdict", "difference", "low", "high")}
        rows.append({**known, **figures, **before})
    found = adjusted(rows, family=lambda row: (row["planner"], row["budget_chars"]))
    for row in found:
        row["verdict"] = verdict(row, method)
    return LADDER_APART.frame(found)
