"""The first screen's figure: what is drawn, and what is said of it."""

import pandas as pd
import pytest

from plancheck.page.families import families
from plancheck.page.kin import Yardstick
from plancheck.page.study import Study
from plancheck.page.tiers import tiers_figure


def rung(planner, tier, difference, *, control="best", verdict="cannot_tell", p=0.25, budget=1800, split="all"):
    return {
        "planner": planner, "tier": tier, "control": control, "budget_chars": budget, "split": split,
        "difference": difference, "low": difference - 0.1, "high": difference + 0.1, "p_adjusted": p,
        "verdict": verdict,
    }  # fmt: skip


ROWS = [
    rung("mine", "direct", 0.2, verdict="supported", p=0.01),
    rung("mine", "direct", 0.5, split="test"),
    rung("mine", "router", -0.3, control="passed over", verdict="not_supported"),
    rung("mine", "router", -0.05, control="decides"),
    rung("mine", "direct", 0.9, budget=600),
    rung("mine", "own tier", 0.0),
    rung("perfect", "direct", 0.4),
    rung("perfect", "router", 0.3, control="passed over"),
    rung("perfect", "router", 0.15, control="decides"),
    rung("perfect", "direct", 0.8, budget=600),
    rung("alone", "direct", 0.7),
]


def study(rows, *, perfect="perfect", null="null"):
    return Study(
        {"ladder": pd.DataFrame(rows)}, None, families({}, []), {"mine": "router", "perfect": "harness"}, {},
        selector_of={}, planner="mine",
        control="best", perfect=Yardstick(perfect, "alone"), null=Yardstick(null, None), tuned=None,
        budgets_chars=[1800, 600], confidence=0.95, power=0.8, margin=0.05,
    )  # fmt: skip


def drawn(figure):
    """The rows of every data set of the figure's chart, and the chart's description."""
    spec = figure.drawings[0].chart.to_dict()
    return [row for rows in spec["datasets"].values() for row in rows], spec["description"]


def test_each_tier_is_a_row_with_the_planner_and_the_yardsticks_that_met_the_same_control():
    figure = tiers_figure(study(ROWS))
    rows, description = drawn(figure)

    points = [(row["label"], row["who"], row["difference"], row["fill"]) for row in rows if "who" in row]
    assert points == [
        ("Direct: ✓ supported", "planner", pytest.approx(20), 1),
        ("Router: ? cannot tell", "planner", pytest.approx(-5), 0),
        ("own tier: ? cannot tell", "planner", 0, 0),
        ("Direct: ✓ supported", "perfect plan", pytest.approx(40), 0),
        ("Router: ? cannot tell", "perfect plan", pytest.approx(15), 0),
    ]
    labels = [(row["label"], row["where"]) for row in rows if "where" in row]
    assert labels == [
        ("Direct: ✓ supported", "best: +20.0 [+10.0, +30.0], adj. p = 0.010"),
        ("Router: ? cannot tell", "decides: −5.0 [−15.0, +5.0], adj. p = 0.250"),
        ("own tier: ? cannot tell", "best: 0.0 [−10.0, +10.0], adj. p = 0.250"),
    ]
    assert all(f"{label}, {where}" in description for label, where in labels)
    assert "Grey band: less than 5 points" in figure.caption
    assert (
        "Perfect plan: the same fill, but it names the evidence" in figure.caption
        and "Random plan" not in figure.caption
    )


def test_the_band_is_as_wide_as_the_margin_on_both_sides():
    rows, _ = drawn(tiers_figure(study(ROWS)))
    assert {(row["near"], row["far"]) for row in rows if "near" in row} == {(-5, 5)}


def test_without_yardsticks_the_planner_stands_alone():
    figure = tiers_figure(study(ROWS, perfect=None, null=None))
    assert {row["who"] for row in drawn(figure)[0] if "who" in row} == {"planner"}
    assert "instead" not in figure.caption


@pytest.mark.parametrize(
    "rows",
    [[], [rung("other", "direct", 0.1)], [rung("mine", "direct", 0.1) | {"low": None, "high": None}]],
    ids=["no row", "no row of the planner", "no interval"],
)
def test_where_there_is_nothing_to_draw_the_figure_says_so(rows):
    figure = tiers_figure(study(rows))
    assert figure.drawings == () and "has an interval to draw" in figure.absent
