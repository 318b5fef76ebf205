"""Accuracy of each policy in each domain as a heat map."""

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.intervals import POLICY_HEIGHT, policies_axis
from plancheck.page.charts.widths import WIDTH


def heat_map(rows: pd.DataFrame, *, description: str) -> ChartType:
    """Accuracy in % by policy and domain, written in each cell.

    Args:
        rows: policy, domain, accuracy (share), correct, questions; in the order to show. A domain has as many questions
            in each row.
    """
    headed = [f"{domain}, n = {count:,}" for domain, count in zip(rows["domain"], rows["questions"], strict=True)]
    domains = list(dict.fromkeys(headed))
    data = pd.DataFrame(
        {
            "policy": rows["policy"],
            "domain": headed,
            "accuracy": 100 * rows["accuracy"],
            "right": [
                f"{right} of {questions}" for right, questions in zip(rows["correct"], rows["questions"], strict=True)
            ],
        }
    )
    x = alt.X(
        "domain:N", sort=domains, title=None,
        axis=alt.Axis(orient="top", labelAngle=-90, labelLimit=270, ticks=False, domain=False),
    )  # fmt: skip
    policies = list(dict.fromkeys(rows["policy"]))
    base = alt.Chart(data).encode(x=x, y=policies_axis(policies, grid=False))
    colour = alt.Color(
        "accuracy:Q",
        scale=alt.Scale(scheme="cividis", domain=[0, 100]),
        legend=alt.Legend(title="Accuracy, %", orient="bottom", gradientLength=110),
    )
    ink = alt.condition("datum.accuracy >= 46", alt.value("#000000"), alt.value("#ffffff"))
    return alt.layer(
        base.mark_rect().encode(
            color=colour,
            tooltip=["policy:N", "domain:N", alt.Tooltip("accuracy:Q", format=".1f"), alt.Tooltip("right:N")],
        ),
        base.mark_text(fontSize=11).encode(text=alt.Text("accuracy:Q", format=".0f"), color=ink),
    ).properties(width="container", autosize=WIDTH, height=POLICY_HEIGHT * len(policies), description=description)
