"""How many questions an effect takes."""

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.intervals import SHAPES
from plancheck.page.charts.widths import WIDTH


def needed(rows: pd.DataFrame, *, against: str, here: int, margin: float, description: str) -> ChartType:
    """Questions needed against the effect in points, both on a log scale, one line a comparison.

    Args:
        rows: label, effect (share), needed, colour; none empty.
        against: heading of the labels.
        here: questions of this study, drawn as a line across.
        margin: smallest gain that matters, as a share; drawn as a line up.
    """
    labels = list(dict.fromkeys(rows["label"]))
    data = pd.DataFrame(
        {
            "label": rows["label"],
            "effect": 100 * rows["effect"],
            "needed": rows["needed"].astype(float),
            "colour": rows["colour"],
        }
    )
    x = alt.X(
        "effect:Q",
        title="Effect, points",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=sorted(set(data["effect"].round(6))), format="~g", labelOverlap=False),
    )
    decades = [10**power for power in range(1, 8) if 10**power <= 10 * data["needed"].max()]
    y = alt.Y(
        "needed:Q", title="Questions needed", scale=alt.Scale(type="log"), axis=alt.Axis(values=decades, format=",")
    )
    shape = alt.Shape(
        "label:N",
        scale=alt.Scale(domain=labels, range=[SHAPES[place % len(SHAPES)] for place in range(len(labels))]),
        legend=alt.Legend(title=against, titleLimit=310, orient="bottom", columns=1, labelLimit=310),
    )
    base = alt.Chart(data)
    colour = alt.Color("colour:N", scale=None, legend=None)
    tooltip = ["label:N", "effect:Q", alt.Tooltip("needed:Q", format=",.0f")]
    across = alt.Chart(pd.DataFrame({"needed": [here], "text": [f"{here:,} questions here"]}))
    up = alt.Chart(pd.DataFrame({"effect": [100 * margin]}))
    return alt.layer(
        up.mark_rule(strokeDash=[1, 3]).encode(x=x),
        across.mark_rule(strokeDash=[4, 3]).encode(y=y),
        across.mark_text(align="left", baseline="top", dy=4, fontSize=11).encode(
            x=alt.value(4), y=y, text="text:N"
        ),
        base.mark_line(strokeWidth=1.5, opacity=0.7).encode(x=x, y=y, color=colour, detail="label:N"),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
    ).properties(width="container", autosize=WIDTH, height=260, description=description)  # fmt: skip
