"""What the packed contexts are made of, and how much of the gold evidence they hold."""

from typing import Final

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.intervals import POLICY_HEIGHT, SHAPES, policies_axis
from plancheck.page.charts.widths import WIDTH

PARTS: Final = {"selected": "#d55e00", "anchor": "#0072b2", "fill": "#7a7f87"}


def composition(rows: pd.DataFrame, *, description: str) -> ChartType:
    """Mean share in % of the packed characters that the plan selected, the anchors brought and the fill added.

    Args:
        rows: policy, part (a key of PARTS), mean_share, mean_chars; in the order to show.
    """
    data = pd.DataFrame(
        {
            "policy": rows["policy"],
            "part": rows["part"],
            "order": [list(PARTS).index(part) for part in rows["part"]],
            "share": 100 * rows["mean_share"],
            "characters": rows["mean_chars"],
        }
    )
    chart: ChartType = (
        alt.Chart(data)
        .mark_bar()
        .encode(
            x=alt.X("share:Q", title="Share, %", scale=alt.Scale(domain=[0, 100])),
            y=policies_axis(list(dict.fromkeys(rows["policy"]))),
            color=alt.Color(
                "part:N",
                scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())),
                legend=alt.Legend(title=None, orient="bottom", columns=1),
            ),
            order=alt.Order("order:Q"),
            tooltip=[
                "policy:N", "part:N", alt.Tooltip("share:Q", title="Share, %", format=".1f"),
                alt.Tooltip("characters:Q", title="Mean characters", format=",.0f"),
            ],
        )
        .properties(
            width="container", autosize=WIDTH, height=POLICY_HEIGHT * data["policy"].nunique(), description=description
        )
    )  # fmt: skip
    return chart


def recall(rows: pd.DataFrame, *, description: str) -> ChartType:
    """Accuracy against the share of evidence shown, both in %, one point a policy and budget.

    Args:
        rows: policy, budget_chars, evidence_recall, accuracy (shares), family (its label), colour.
    """
    budgets = [f"{budget:,}" for budget in dict.fromkeys(rows["budget_chars"])]
    shown = list(dict.fromkeys(zip(rows["family"], rows["colour"], strict=True)))
    data = pd.DataFrame(
        {
            "policy": rows["policy"],
            "family": rows["family"],
            "budget": [f"{budget:,}" for budget in rows["budget_chars"]],
            "recall": 100 * rows["evidence_recall"],
            "accuracy": 100 * rows["accuracy"],
        }
    )
    scale = alt.Scale(domain=[0, 100])
    chart: ChartType = (
        alt.Chart(data)
        .mark_point(filled=True, size=70, opacity=0.85)
        .encode(
            x=alt.X("recall:Q", title="Evidence shown whole, %", scale=scale),
            y=alt.Y("accuracy:Q", title="Accuracy, %", scale=scale),
            color=alt.Color(
                "family:N",
                scale=alt.Scale(domain=[label for label, _ in shown], range=[colour for _, colour in shown]),
                legend=alt.Legend(title="Family", orient="bottom", columns=1, labelLimit=300),
            ),
            shape=alt.Shape(
                "budget:N",
                scale=alt.Scale(
                    domain=budgets, range=[SHAPES[place % len(SHAPES)] for place in range(len(budgets))]
                ),
                legend=alt.Legend(title="Budget, characters", orient="bottom", columns=1),
            ),
            tooltip=[
                "policy:N", "budget:N", alt.Tooltip("recall:Q", format=".1f"), alt.Tooltip("accuracy:Q", format=".1f"),
            ],
        )
        .properties(width="container", autosize=WIDTH, height=340, description=description)
    )  # fmt: skip
    return chart


def selected(rows: pd.DataFrame, *, description: str) -> ChartType:
    """Recall and precision in % of what each selector names.

    Args:
        rows: selector, evidence_recall, evidence_precision (shares; empty where there is no plan).
    """
    measures = {"evidence_recall": "recall", "evidence_precision": "precision"}
    long = rows.rename(columns=measures).melt("selector", list(measures.values()), "measure", "share").dropna()
    data = pd.DataFrame({"policy": long["selector"], "measure": long["measure"], "share": 100 * long["share"]})
    chart: ChartType = (
        alt.Chart(data)
        .mark_point(filled=True, size=90, opacity=0.9)
        .encode(
            x=alt.X("share:Q", title="Share, %", scale=alt.Scale(domain=[0, 100])),
            y=policies_axis(list(rows["selector"])),
            shape=alt.Shape(
                "measure:N",
                scale=alt.Scale(domain=list(measures.values()), range=["circle", "diamond"]),
                legend=alt.Legend(title=None, orient="bottom", columns=1),
            ),
            tooltip=["policy:N", "measure:N", alt.Tooltip("share:Q", format=".1f")],
        )
        .properties(width="container", autosize=WIDTH, height=28 * len(rows), description=description)
    )
    return chart
