"""The first screen's figure: the planner against each tier of controls, beside a perfect and a random plan."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from plancheck.page.cells import FORMATS
from plancheck.page.charts.tiers import against_tiers
from plancheck.page.ladder import VERDICTS, tier_label
from plancheck.page.showing import deciding_rows
from plancheck.page.study import Drawing, Figure, Study
from plancheck.reporting.rounding import p_is

OTHERS = {
    "perfect plan": "the same fill, but it names the evidence",
    "random plan": "the same fill, but passages named at random",
}
KEYS = ["tier", "control", "budget_chars", "split"]


def tiers_figure(study: Study) -> Figure:
    """The planner's difference from the control that decides each tier, on all questions at the largest budget.

    The yardsticks of the planner's own fill stand beside it, against the same control. What has no interval is not
    drawn; the ladder's table has it.
    """
    table, title = study.table("ladder"), f"The {study.subject} against each tier of controls"
    own = table[table["planner"] == study.planner] if not table.empty else table
    own = deciding_rows(own[own["budget_chars"] == own["budget_chars"].max()]) if not own.empty else own
    drawn = own[own["low"].notna()] if not own.empty else own
    if drawn.empty:
        return Figure(
            "tiers", title, absent=f"No comparison of the {study.subject} with a control has an interval to draw."
        )
    rows = pd.DataFrame([words(row) for row in drawn.to_dict("records")])
    marks = points(study, table, drawn)
    chart = against_tiers(
        rows,
        marks,
        description=f"{title}. {'; '.join(f'{row.label}, {row.where}' for row in rows.itertuples())}.",
        margin=study.margin,
        confidence=study.confidence,
    )
    return Figure("tiers", title, caption(study, marks), (Drawing("tiers-chart", chart),))


def words(row: Mapping[Any, Any]) -> dict[str, str]:
    """What stands over a row: the tier with its verdict, then the control with the figures."""
    symbol, verdict = VERDICTS[row["verdict"]]
    formats = FORMATS["points"]
    figures = f"{formats(row['difference'])} [{formats(row['low'])}, {formats(row['high'])}]"
    return {
        "label": f"{tier_label(row['tier'])}: {symbol} {verdict}",
        "where": f"{row['control']}: {figures}, adj. p {p_is(row['p_adjusted'])}",
    }


def points(study: Study, table: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """What is drawn in each row: the planner first, then the yardsticks that met the same control."""
    places = drawn[KEYS].assign(place=range(len(drawn)))
    who = dict(zip((study.subject, *OTHERS), (study.planner, study.perfect.policy, study.null.policy), strict=True))
    return pd.concat(
        [
            places.merge(table[table["planner"] == policy], on=KEYS, validate="one_to_one").assign(
                who=name, colour=study.family(policy).colour
            )
            for name, policy in who.items()
            if policy
        ],
        ignore_index=True,
    )


def caption(study: Study, marks: pd.DataFrame) -> str:
    beside = [f"{who.capitalize()}: {OTHERS[who]}." for who in dict.fromkeys(marks["who"]) if who in OTHERS]
    said = (
        "Difference in accuracy, in points.",
        f"Line: {study.percent} interval.",
        f"Filled: better or worse with p, adjusted for the tests made (adj. p), at most {1 - study.confidence:.2g}.",
        f"Grey band: less than {100 * study.margin:g} points, too little to matter.",
        *beside,
    )
    return " ".join(said)
