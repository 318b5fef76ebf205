"""Sections of paired comparisons: declared ones, the best of all, sensitivity and packing order."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from plancheck.page.charts.intervals import forest
from plancheck.page.study import Picture, Section, Study, figure, questions_of
from plancheck.params.comparison import OTHER
from plancheck.reporting.comparison_tables import BEST_OF_ALL, COMPARISONS
from plancheck.reporting.variant_tables import ORDER, SENSITIVITY

if TYPE_CHECKING:
    from altair.typing import ChartType

PICKED = {
    "same_questions": "picked on the same questions",
    "nested": "picked on train and dev",
}
ADJUSTED_OVER = {
    "family": "family",
    "pick": "kind of pick",
    "held": "way of holding",
}  # columns that tell families of tests apart
HELD = {"shown": "atoms shown held", "selected": "plan held"}
Row = Mapping[Any, Any]


def comparisons_section(study: Study) -> Section:
    lead = (
        "Differences between two policies on the same questions: treatment minus control. A side picked as the best of "
        "several on the questions that are then compared is labelled so, and given again as picked on train and dev "
        "and compared on test."
    )
    tables = (COMPARISONS, BEST_OF_ALL, SENSITIVITY, ORDER)
    figures = tuple(figure(study, table, partial(forest_picture, table.title)) for table in tables)
    return Section("comparisons", "Paired differences", lead, figures)


def forest_picture(title: str, study: Study, table: pd.DataFrame) -> Picture:
    """The forest plot of paired differences, in the table's order; a row without an interval is in the table alone."""
    drawn = table[table["low"].notna()]
    if drawn.empty:
        return Picture(absent="No comparison here has a difference with an interval.")
    return Picture(forest_caption(study, drawn), {"": differences(study, drawn, title)})


def differences(study: Study, table: pd.DataFrame, title: str) -> "ChartType":
    """The chart of rows that all have an interval: filled where an adjusted p says so, without p hollow."""
    return forest(
        forest_rows(study, table),
        description=f"{title}: {len(table)} differences with intervals.",
        margin=study.margin,
        confidence=study.confidence,
    )


def forest_rows(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """What the forest plot draws, from rows of paired outcomes of a treatment and a control."""
    rows = table.to_dict("records")
    return table[["difference", "low", "high"]].assign(
        label=[row.get("domain", arms(row)) for row in rows],
        where=[where(row) for row in rows],
        p_adjusted=table.get("p_adjusted", np.nan),
        colour=[study.family(row["treatment"]).colour for row in rows],
        detail=[outcome(row) for row in rows],
    )


def arms(row: Row) -> str:
    return f"{row['treatment']} − {row['control']}"


def outcome(row: Row) -> str:
    return (
        f"{row['wins']:,} wins, {row['losses']:,} losses, {row['ties']:,} ties of {row['questions']:,}; "
        f"{row['identical']:,} saw the same text"
    )


def where(row: Row) -> str:
    """Budget, split where the table has several, how arms were picked, a family of tests of its own, what is held.

    By domain, which is then the label, the arms come first and the number of questions last.
    """
    family = row.get("family", OTHER)
    parts = [
        arms(row) if "domain" in row else "",
        f"{row['budget_chars']:,} chars",
        row.get("split", ""),
        PICKED.get(row.get("pick", ""), ""),
        "" if family == OTHER else f"family {family}",
        HELD.get(row.get("held", ""), ""),
        f"n = {row['questions']:,}" if "domain" in row else "",
    ]
    return ", ".join(part for part in parts if part)


def forest_caption(study: Study, table: pd.DataFrame) -> str:
    picked = "pick" in table and (table["pick"] == "same_questions").any()
    one = " and ".join(f"one {what}" for name, what in ADJUSTED_OVER.items() if name in table)
    same = int((table["identical"] == table["questions"]).sum())
    void = f" {same:,} of these {len(table):,} show both sides the same text throughout: they say nothing."
    return (
        f"Accuracy of treatment minus control, {questions_of(table)} questions. "
        f"{'Same questions: the best was picked on the questions that are compared. ' if picked else ''}"
        f"Bars: {study.percent} percentile bootstrap intervals, clustered by shared context. Filled: exact two-sided "
        f"sign test, adj. p (Benjamini-Hochberg over the table's rows{f' of {one}' if one else ''}) at most "
        f"{1 - study.confidence:.2g}; hollow: above. Grey band: differences below the margin of "
        f"{100 * study.margin:g} points."
        f"{void if same else ''}"
    )
