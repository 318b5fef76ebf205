"""Sections of paired comparisons: declared ones, the best of all, sensitivity and packing order."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from plancheck.page import columns
from plancheck.page.cells import Column, table_view
from plancheck.page.charts.intervals import forest
from plancheck.page.study import Drawing, Figure, Section, Study, questions_of
from plancheck.params.comparison import OTHER

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
    figures = (
        paired_figure(study, "comparisons", "Declared comparisons", columns.COMPARISONS),
        paired_figure(study, "best_of_all", "Best of all planners against best of all controls", columns.BEST_OF_ALL),
        paired_figure(study, "sensitivity", "The trained planner against its early adapter", columns.SENSITIVITY),
        paired_figure(study, "order", "Hybrid order against the selector's own order", columns.ORDER),
    )
    return Section("comparisons", "Paired differences", lead, figures)


def paired_figure(study: Study, name: str, title: str, shown: Sequence[Column]) -> Figure:
    """The forest plot of a table of paired differences, its rows in the table's order."""
    table = study.table(name)
    figure = f"{name}-forest"
    if table.empty:
        return Figure(figure, title, absent=f"{name}.csv holds no row: this study makes no such comparison.")
    view = table_view(f"{name}.csv", table, shown, caption=f"{title}.")
    drawn = table[table["difference"].notna() & table["low"].notna()]
    if drawn.empty:
        return Figure(figure, title, absent="No comparison here has a difference with an interval.", tables=(view,))
    chart = forest(
        forest_rows(study, drawn),
        description=f"{title}: {len(drawn)} differences with intervals.",
        margin=study.margin,
        confidence=study.confidence,
    )
    return Figure(figure, title, forest_caption(study, drawn), (Drawing(f"{name}-chart", chart),), tables=(view,))


def forest_rows(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """What the forest plot draws, from rows of paired outcomes of a treatment and a control."""
    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "label": [f"{row['treatment']} − {row['control']}" for row in rows],
            "where": [where(row) for row in rows],
            "difference": table["difference"].to_numpy(),
            "low": table["low"].to_numpy(),
            "high": table["high"].to_numpy(),
            "p_adjusted": table["p_adjusted"].to_numpy(),
            "colour": [study.family(row["treatment"]).colour for row in rows],
            "detail": [outcome(row) for row in rows],
        }
    )


def outcome(row: Row) -> str:
    return (
        f"{row['wins']:,} wins, {row['losses']:,} losses, {row['ties']:,} ties of {row['questions']:,}; "
        f"{row['identical']:,} saw the same text"
    )


def where(row: Row) -> str:
    """Budget, split where the table has several, how arms were picked, a family of tests of its own, what is held."""
    family = row.get("family", OTHER)
    parts = [
        f"{row['budget_chars']:,} chars",
        row.get("split", ""),
        PICKED.get(row.get("pick", ""), ""),
        "" if family == OTHER else f"family {family}",
        HELD.get(row.get("held", ""), ""),
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
