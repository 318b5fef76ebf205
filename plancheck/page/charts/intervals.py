"""Points with intervals: forest plots of differences, and dot plots of accuracies."""

from collections.abc import Sequence

import altair as alt
import pandas as pd
from altair.typing import ChartType

from plancheck.page.charts.widths import WIDTH

# Heights in pixels of a row's lines of words, and of the strip under them where its interval is drawn. Nothing but the
# interval's own row is drawn in the strip, and nothing but words above it: no grid, no band across the labels.
LINE = 15
STRIP = 20
GAP = 12
POLICY_HEIGHT = 20
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")


def forest(rows: pd.DataFrame, *, description: str, margin: float | None, confidence: float) -> ChartType:
    """Paired differences in points with their intervals, one a row in the order given, each under its label.

    Args:
        rows: label, where (under the label), difference, low, high (shares; none empty), p_adjusted (all empty where
            nothing is tested), colour, detail.
        margin: smallest difference that matters, as a share; drawn as a band around no difference.
        confidence: of the intervals; a filled point has an adjusted p of at most 1 - confidence.
    """
    places, height = strips(len(rows), lines=2)
    data = pd.DataFrame(
        {
            "label": rows["label"],
            "where": rows["where"],
            "difference": 100 * rows["difference"],
            "low": 100 * rows["low"],
            "high": 100 * rows["high"],
            "p": rows["p_adjusted"],
            "colour": rows["colour"],
            "fill": (rows["p_adjusted"] <= 1 - confidence).astype(float),
            "detail": rows["detail"],
            "zero": 0,
        }
    ).assign(**places)
    base = alt.Chart(data)
    y = strip_axis("middle", height)
    colour = alt.Color("colour:N", scale=None, legend=None)
    tooltip = [
        alt.Tooltip("label:N", title="Comparison"),
        alt.Tooltip("where:N", title="On"),
        alt.Tooltip("detail:N", title="Outcome"),
        alt.Tooltip("difference:Q", title="Difference, points", format="+.1f"),
        alt.Tooltip("low:Q", title="Low", format="+.1f"),
        alt.Tooltip("high:Q", title="High", format="+.1f"),
    ]
    if data["p"].notna().any():
        tooltip.append(alt.Tooltip("p:Q", title="Adj. p", format=".3f"))
    layers: list[alt.Chart] = []
    if margin is not None:
        band = alt.Chart(data[["top", "bottom"]].assign(low=-100 * margin, high=100 * margin))
        layers.append(
            band.mark_rect(opacity=0.26, tooltip=False).encode(
                x="low:Q", x2="high:Q", y=strip_axis("top", height), y2="bottom:Q"
            )
        )
    layers += [
        base.mark_rule(strokeDash=[4, 3]).encode(x="zero:Q", y=strip_axis("top", height), y2="bottom:Q"),
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title="Difference in accuracy, points", axis=alt.Axis(grid=False)),
            x2="high:Q", y=y, color=colour, tooltip=tooltip,
        ),
        base.mark_point(size=80, strokeWidth=2, opacity=1).encode(
            x="difference:Q", y=y, stroke=alt.Stroke("colour:N", scale=None, legend=None),
            fill=alt.Fill("colour:N", scale=None, legend=None),
            fillOpacity=alt.FillOpacity("fill:Q", scale=None, legend=None), tooltip=tooltip,
        ),
        words(base, "label", 0, height),
        words(base, "where", 1, height),
    ]  # fmt: skip
    return alt.layer(*layers).properties(width="container", autosize=WIDTH, height=height, description=description)


def strips(count: int, *, lines: int) -> tuple[dict[str, list[int]], int]:
    """Where each row's words begin and its strip's top, middle and bottom are, in pixels from the top; the height."""
    step = lines * LINE + STRIP + GAP
    starts = [place * step for place in range(count)]
    tops = [start + lines * LINE for start in starts]
    places = {
        "words": starts,
        "top": tops,
        "middle": [top + STRIP // 2 for top in tops],
        "bottom": [top + STRIP for top in tops],
    }
    return places, count * step


def strip_axis(name: str, height: int) -> alt.Y:
    """Pixels from the top as they are, with no axis."""
    return alt.Y(f"{name}:Q", scale=alt.Scale(domain=[0, height], range=[0, height], nice=False), axis=None)


def words(base: alt.Chart, name: str, line: int, height: int) -> alt.Chart:
    """A column's text in a line over each row's strip; lines after the first are smaller and paler."""
    first = line == 0
    text: alt.Chart = base.mark_text(
        align="left",
        baseline="top",
        dy=LINE * line,
        fontSize=12 if first else 11,
        opacity=1 if first else 0.75,
        limit=0,
    ).encode(x=alt.value(0), y=strip_axis("words", height), text=f"{name}:N")
    return text


def routers(rows: pd.DataFrame, *, chance: float, description: str) -> ChartType:
    """Accuracies in % with their intervals, one a row in the order given, each under its label.

    Args:
        rows: label, accuracy, low, high (shares), kind (what the shape means).
        chance: accuracy of a blind guess, as a share.
    """
    places, height = strips(len(rows), lines=1)
    data = pd.DataFrame(
        {
            "label": rows["label"],
            "kind": rows["kind"],
            "accuracy": 100 * rows["accuracy"],
            "low": 100 * rows["low"],
            "high": 100 * rows["high"],
            "chance": 100 * chance,
        }
    ).assign(**places)
    y = strip_axis("middle", height)
    base = alt.Chart(data)
    tooltip = ["label:N", "kind:N", *(alt.Tooltip(f"{name}:Q", format=".1f") for name in ("accuracy", "low", "high"))]
    kinds = list(dict.fromkeys(data["kind"]))
    shape = alt.Shape(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=list(SHAPES[: len(kinds)])),
        legend=alt.Legend(title=None, orient="bottom", columns=1, labelLimit=310),
    )
    x = alt.X("low:Q", title="Accuracy, %", scale=alt.Scale(domain=[0, 100]), axis=alt.Axis(grid=False))
    return alt.layer(
        base.mark_rule(strokeDash=[1, 3]).encode(x="chance:Q", y=strip_axis("top", height), y2="bottom:Q"),
        base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", y=y, tooltip=tooltip),
        base.mark_point(size=80, filled=True, opacity=1).encode(x="accuracy:Q", y=y, shape=shape, tooltip=tooltip),
        words(base, "label", 0, height),
    ).properties(width="container", autosize=WIDTH, height=height, description=description)


def heldout(rows: pd.DataFrame, *, description: str) -> ChartType:
    """Accuracy in % of each policy on test questions (with interval), and on all questions, as a bar across.

    Args:
        rows: policy, test, low, high, everyone (shares), colour; policies once each, in the order given.
    """
    data = pd.DataFrame(
        {
            "policy": rows["policy"],
            "colour": rows["colour"],
            **{name: 100 * rows[name] for name in ("test", "low", "high", "everyone")},
        }
    )
    y = policies_axis(list(data["policy"]))
    base = alt.Chart(data)
    colour = alt.Color("colour:N", scale=None, legend=None)
    tooltip = [
        "policy:N",
        alt.Tooltip("test:Q", title="Test, %", format=".1f"),
        alt.Tooltip("low:Q", title="Test, low", format=".1f"),
        alt.Tooltip("high:Q", title="Test, high", format=".1f"),
        alt.Tooltip("everyone:Q", title="All questions, %", format=".1f"),
    ]
    chart = alt.layer(
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q", title="Accuracy, %", scale=alt.Scale(domain=[0, 100])),
            x2="high:Q", y=y, color=colour, tooltip=tooltip,
        ),
        base.mark_point(size=70, filled=True, opacity=1).encode(x="test:Q", y=y, color=colour, tooltip=tooltip),
        base.mark_tick(thickness=2, size=15, opacity=1).encode(x="everyone:Q", y=y, tooltip=tooltip),
    )  # fmt: skip
    return chart.properties(
        width="container", autosize=WIDTH, height=POLICY_HEIGHT * len(data), description=description
    )


def policies_axis(policies: Sequence[str], *, grid: bool = True) -> alt.Y:
    """Policies down the side, in the order given."""
    axis = alt.Axis(labelLimit=190, labelPadding=7, ticks=False, domain=False, grid=grid)
    return alt.Y("policy:N", sort=list(policies), title=None, axis=axis)
