"""Accuracy against budget, one small chart a family of policies."""

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.intervals import SHAPES
from plancheck.page.charts.widths import WIDTH


def by_budget(rows: pd.DataFrame, best: pd.DataFrame, *, chance: float, colour: str, description: str) -> ChartType:
    """Accuracy in % of a family's policies at each budget with Wilson intervals, over the best control of each budget.

    Args:
        rows: policy, budget_chars, accuracy, wilson_low, wilson_high (shares).
        best: budget_chars, accuracy of the best control there; may be empty.
        chance: accuracy of a blind guess, as a share.
        colour: of the family.
    """
    budgets = [f"{budget:,}" for budget in sorted(set(rows["budget_chars"]))]
    policies = list(dict.fromkeys(rows["policy"]))
    data = pd.DataFrame(
        {
            "policy": rows["policy"],
            "budget": [f"{budget:,}" for budget in rows["budget_chars"]],
            "accuracy": 100 * rows["accuracy"],
            "low": 100 * rows["wilson_low"],
            "high": 100 * rows["wilson_high"],
        }
    )
    reference = pd.DataFrame(
        {"budget": [f"{budget:,}" for budget in best["budget_chars"]], "accuracy": 100 * best["accuracy"]}
    )
    x = alt.X(
        "budget:O", sort=budgets, title="Budget, characters", axis=alt.Axis(labelAngle=0), scale=alt.Scale(padding=0.25)
    )
    offset = alt.XOffset("policy:N", sort=policies)
    scale = alt.Scale(domain=[0, 100])
    shapes = [SHAPES[place % len(SHAPES)] for place in range(len(policies))]
    shape = alt.Shape(
        "policy:N",
        scale=alt.Scale(domain=policies, range=shapes),
        legend=alt.Legend(
            title=None, orient="bottom", columns=1, labelLimit=240, symbolFillColor=colour, symbolStrokeColor=colour
        ),
    )
    tooltip = [
        "policy:N",
        "budget:N",
        *(alt.Tooltip(f"{name}:Q", format=".1f") for name in ("accuracy", "low", "high")),
    ]
    base = alt.Chart(data)
    return alt.layer(
        alt.Chart(pd.DataFrame({"chance": [100 * chance]})).mark_rule(strokeDash=[1, 3]).encode(y="chance:Q"),
        alt.Chart(reference)
        .mark_tick(thickness=2, bandSize=44, opacity=0.7)
        .encode(x=x, y=alt.Y("accuracy:Q", scale=scale)),
        base.mark_rule(color=colour, strokeWidth=1.5, opacity=0.8).encode(
            x=x, xOffset=offset, y=alt.Y("low:Q", title="Accuracy, %", scale=scale), y2="high:Q", tooltip=tooltip
        ),
        base.mark_point(color=colour, filled=True, size=60, opacity=1).encode(
            x=x, xOffset=offset, y="accuracy:Q", shape=shape, tooltip=tooltip
        ),
    ).properties(width="container", autosize=WIDTH, height=200, description=description)
