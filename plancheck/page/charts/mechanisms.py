"""What distinguishes the questions that the planner wins from those that it loses, one small chart a measure."""

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.widths import WIDTH


def wins_and_losses(rows: pd.DataFrame, *, description: str) -> ChartType:
    """Mean of a measure over wins and over losses, joined by a line, one row a budget and scorer.

    Args:
        rows: label, mean_wins, mean_losses, p_adjusted; of one measure, in the order to show.
    """
    data = pd.DataFrame(
        {
            "row": rows["label"],
            "wins": rows["mean_wins"],
            "losses": rows["mean_losses"],
            "p": rows["p_adjusted"],
        }
    )
    long = data.melt(["row", "p"], ["wins", "losses"], "outcome", "mean")
    y = alt.Y("row:N", sort=list(data["row"]), title=None, axis=alt.Axis(labelLimit=150, ticks=False, domain=False))
    tooltip = [
        alt.Tooltip("row:N", title="Of"),
        "outcome:N",
        alt.Tooltip("mean:Q", format=".3g"),
        alt.Tooltip("p:Q", title="Adj. p", format=".3f"),
    ]
    return alt.layer(
        alt.Chart(data).mark_rule(opacity=0.6).encode(
            x=alt.X("wins:Q", title="Mean", scale=alt.Scale(zero=False, nice=True, padding=12)), x2="losses:Q", y=y
        ),
        alt.Chart(long).mark_point(filled=True, size=70, opacity=1).encode(
            x="mean:Q",
            y=y,
            shape=alt.Shape(
                "outcome:N",
                scale=alt.Scale(domain=["wins", "losses"], range=["circle", "cross"]),
                legend=None,
            ),
            tooltip=tooltip,
        ),
    ).properties(width="container", autosize=WIDTH, height=24 * len(data), description=description)  # fmt: skip
