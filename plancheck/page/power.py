"""The section on what this many questions could have shown."""

import numpy as np
import pandas as pd

from plancheck.page.cells import percentage
from plancheck.page.charts.power import needed
from plancheck.page.study import Picture, Section, Study, figure
from plancheck.reporting.power_table import POWER
from plancheck.reporting.rounding import percent


def power_section(study: Study) -> Section:
    lead = "What this many questions could have shown at all. An unsupported gain is no proof of none."
    return Section(
        "power", "Power", f"{lead} {judged_comparison(study)}".strip(), (figure(study, POWER, power_picture),)
    )


def judged_comparison(study: Study) -> str:
    """What the comparison of the planner with its control can show here, and how many questions the margin takes."""
    rows = main_comparisons(study)
    rows = rows[(rows["control"] == study.control)] if not rows.empty else rows
    if rows.empty:
        return ""
    first = rows.iloc[0]
    level = f"{100 * study.power:g}\N{NO-BREAK SPACE}% power, two-sided level {1 - study.confidence:.2g}"
    text = f"{study.planner} against {study.control} at {study.largest:,} characters: {first['questions']:,} questions "
    text += (
        f"are too few to show any difference with {level}"
        if pd.isna(first["detectable"])
        else f"can show a difference of {percent(first['detectable'])} points or more with {level}"
    )
    at_margin = rows.loc[np.isclose(rows["effect"], study.margin), "needed_exact"].dropna()
    if at_margin.empty:
        return f"{text}."
    return (
        f"{text}; one of the margin, {100 * study.margin:g} points, takes {at_margin.iloc[0]:,} questions at the "
        f"discordance seen, {percentage(first['discordance'])}."
    )


def main_comparisons(study: Study) -> pd.DataFrame:
    """The rows of power.csv on the planner that the study is about, at the largest budget."""
    table = study.table("power")
    if table.empty:
        return table
    return table[(table["treatment"] == study.planner) & (table["budget_chars"] == study.largest)]


def power_picture(study: Study, table: pd.DataFrame) -> Picture:
    rows = main_comparisons(study)
    rows = rows[rows["needed_exact"].notna()]
    if rows.empty:
        return Picture(absent=f"power.csv plans no comparison of {study.planner}.")
    # What is needed depends on the discordance alone: comparisons of the same share one line and one label.
    controls = rows.groupby("discordance", sort=False)["control"].unique()
    sharing = [list(controls[discordance]) for discordance in rows["discordance"]]
    drawn = pd.DataFrame(
        {
            "label": [", ".join(names) for names in sharing],
            "effect": rows["effect"],
            "needed": rows["needed_exact"],
            "colour": [study.family(names[0]).colour for names in sharing],
        }
    ).drop_duplicates()
    caption = (
        "Questions (exact test) that it would take to show an effect with "
        f"{100 * study.power:g}\N{NO-BREAK SPACE}% power at two-sided level {1 - study.confidence:.2g}, at "
        f"the discordance seen at {study.largest:,} characters. Colours: the first-named control's family. Dashed: the "
        f"questions here. Dotted: the margin, {100 * study.margin:g} points. Both scales are logarithmic. The table "
        "also gives the least difference that the questions here could show."
    )
    chart = needed(
        drawn, against=f"{study.planner} against", here=int(rows["questions"].max()), margin=study.margin,
        description=f"Questions needed against effect for {rows['control'].nunique()} comparisons.",
    )  # fmt: skip
    return Picture(caption, {"": chart})
