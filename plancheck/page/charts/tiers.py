"""The first screen's chart: one planner against each tier of controls, beside its yardsticks."""

from typing import Final

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.intervals import strip_axis, strips, words
from plancheck.page.charts.widths import WIDTH

SHAPES: Final = ("circle", "diamond", "cross")


def against_tiers(
    rows: pd.DataFrame, marks: pd.DataFrame, *, description: str, margin: float, confidence: float
) -> ChartType:
    """Paired differences in points with their intervals, one tier a row in the order given, each under its label.

    Args:
        rows: label, where (under the label), low, high (shares).
        marks: place (of its row, from 0), who, difference, low, high (shares), p_adjusted, colour (one for each who).
            The first who's intervals are drawn; the others are points alone.
        margin: smallest difference that matters, as a share; drawn as a band around no difference.
        confidence: of the intervals; a filled point has an adjusted p of at most 1 - confidence.
    """
    places, height = strips(len(rows), lines=2)
    lines = rows[["label", "where"]].assign(zero=0, near=-100 * margin, far=100 * margin, **places)
    points = pd.DataFrame(
        {
            "label": [rows["label"].iloc[place] for place in marks["place"]],
            "middle": [places["middle"][place] for place in marks["place"]],
            "fill": (marks["p_adjusted"] <= 1 - confidence).astype(float),
            **{name: 100 * marks[name] for name in ("difference", "low", "high")},
            **{name: marks[name] for name in ("who", "colour", "p_adjusted")},
        }
    )
    base, dots = alt.Chart(lines), alt.Chart(points)
    y = strip_axis("middle", height)
    colours = points.drop_duplicates("who")
    names = list(colours["who"])
    legend = alt.Legend(title=None, orient="bottom", symbolFillColor="transparent")
    colour = alt.Scale(domain=names, range=list(colours["colour"]))
    tooltip = [
        alt.Tooltip("label:N", title="Tier"),
        alt.Tooltip("who:N", title="Who"),
        *(alt.Tooltip(f"{name}:Q", format="+.1f") for name in ("difference", "low", "high")),
        alt.Tooltip("p_adjusted:Q", title="Adj. p", format=".3f"),
    ]
    x = alt.X("low:Q", title=f"← control better · points · {names[0]} better →", axis=alt.Axis(grid=False))
    return alt.layer(
        base.mark_rect(opacity=0.26, tooltip=False).encode(
            x="near:Q", x2="far:Q", y=strip_axis("top", height), y2="bottom:Q"
        ),
        base.mark_rule(strokeDash=[4, 3]).encode(x="zero:Q", y=strip_axis("top", height), y2="bottom:Q"),
        dots.transform_filter(alt.datum.who == names[0]).mark_rule(strokeWidth=2).encode(
            x=x, x2="high:Q", y=y, color=alt.Color("colour:N", scale=None, legend=None), tooltip=tooltip
        ),
        dots.mark_point(size=80, strokeWidth=2, opacity=1).encode(
            x="difference:Q", y=y,
            shape=alt.Shape("who:N", scale=alt.Scale(domain=names, range=list(SHAPES[: len(names)])), legend=legend),
            stroke=alt.Stroke("who:N", scale=colour, legend=legend),
            fill=alt.Fill("colour:N", scale=None, legend=None),
            fillOpacity=alt.FillOpacity("fill:Q", scale=None, legend=None), tooltip=tooltip,
        ),
        words(base, "label", 0, height),
        words(base, "where", 1, height),
    ).properties(width="container", autosize=WIDTH, height=height, description=description)  # fmt: skip
