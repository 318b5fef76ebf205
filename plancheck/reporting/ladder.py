"""The survival ladder: each planner policy against one tier of controls after the other.

The verdict of a row, with alpha = 1 - confidence and the margin of params.yaml:

- supported: the adjusted p is at most alpha, and the interval lies above 0.
- opposite: the adjusted p is at most alpha, and the interval lies below 0.
- not_supported: neither, and a gain of the margin or more is excluded: the interval lies below the margin, and Tango's
  one-sided score test gives at most alpha / 2. (The interval alone would not do: where no two answers differ it has no
  width, on 10 questions as on 10,000.)
- cannot_tell: neither, and a gain of the margin or more is not excluded at this number of questions.

Every tier is met twice: on all questions, some of which a trained planner learned from, with the best of several
controls picked on those same questions; and on the test questions, with the best picked on train and dev. p is adjusted
over all rows of one planner policy at one budget and on one of the two: those rows answer one question, whether the
planner's gain survives.

Routers are controls too, so they choose among controls alone: one that could choose the planner would equal it wherever
the planner is the better policy, and no gain could be supported against it. They are fitted in folds of all questions,
so that on the test questions too each is out of its fold, though it learned from other test questions.

A tier of several rows (routers) has one verdict that does not depend on their order: it is supported only if every row
is; else the first of opposite, cannot_tell and not_supported that occurs. So a gain is called excluded only where no
row leaves it open.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid

from plancheck.reporting.columns import BUDGET, PICK, SPLIT
from plancheck.reporting.paired import HOW, PAIRED, Arm, Method, adjusted, arm, paired, questions_needed
from plancheck.reporting.picks import PICKS, Pick, picks
from plancheck.reporting.reading import read_report
from plancheck.reporting.results import ALL, TEST, Results, records
from plancheck.reporting.rounding import p_is, percent, points
from plancheck.reporting.table import Column, Table
from plancheck.reporting.wording import same_text_sentence
from plancheck.statistics.equivalence import excess_test
from plancheck.statistics.pairs import Outcomes, SameText

LADDER: Final = Table(
    name="ladder",
    title="The survival ladder",
    notes=f"Each planner against each tier of controls. {HOW} {PICKS} p is adjusted (Benjamini and Hochberg) over the "
    "rows of one planner at one budget and split. Supported: adjusted p at most 1 - confidence and the interval above "
    "0. Opposite: the same below 0. Not supported: neither, and a gain of the margin or more is excluded, by the "
    "interval and by Tango's score test. Cannot tell: else.",
    empty="this study has no planner to compare with a control",
    columns=(
        Column("planner", "Planner"),
        Column("selector"),
        Column("tier", "Tier"),
        Column("control", "Control"),
        *PICK,
        BUDGET,
        SPLIT,
        *PAIRED,
        Column("verdict", "Verdict"),
        Column("sentence"),
    ),
)
Verdict = Literal["supported", "not_supported", "opposite", "cannot_tell"]
VERDICTS: Final[tuple[Verdict, ...]] = ("supported", "not_supported", "opposite", "cannot_tell")
DECIDING: Final[tuple[Verdict, ...]] = ("opposite", "cannot_tell", "not_supported", "supported")


def ladder(
    results: Results,
    planners: Mapping[str, str | None],
    tiers: Mapping[str, Sequence[str]],
    *,
    budgets_chars: Sequence[int],
    routers: Mapping[str, Arm],
    router_tier: str,
    router_budget_chars: int,
    method: Method,
) -> pd.DataFrame:
    """LADDER, by planner, budget and tier as given.

    Args:
        results: of every condition.
        planners: selector by planner policy; None for a finished system.
        tiers: controls by tier, in the ladder's order.
        budgets_chars: the budgets that planners are compared at.
        routers: by name; each chooses among controls.
        router_tier: name of the routers' tier, which comes last.
        router_budget_chars: the budget that routers choose at; planners meet them at no other.
        method: how comparisons are made.
    """
    rows = []
    picked_at = {
        (tier, budget): [
            (pick, arm(results, pick.policy, budget)) for pick in twice(picks(results, controls, budget, split=ALL))
        ]
        for tier, controls in tiers.items()
        for budget in budgets_chars
    }
    for planner, selector in planners.items():
        for budget in budgets_chars:
            treatment = arm(results, planner, budget)
            known = {"planner": planner, "selector": selector, "budget_chars": budget}
            for tier in tiers:
                for pick, control in picked_at[tier, budget]:
                    figures = paired(treatment, control, results, pick.split, method)
                    picked = {"tier": tier, "control": pick.policy, "pick": pick.kind, "candidates": pick.candidates}
                    rows.append({**known, **picked, "split": pick.split, **figures})
            for name, router in routers.items() if budget == router_budget_chars else ():
                picked = {"tier": router_tier, "control": name, "pick": "declared", "candidates": 1}
                for split in (ALL, TEST):
                    figures = paired(treatment, router, results, split, method)
                    rows.append({**known, **picked, "split": split, **figures})
    found = adjusted(rows, family=lambda row: (row["planner"], row["budget_chars"], row["split"]))
    for row in found:
        row["verdict"] = verdict(row, method)
        row["sentence"] = sentence(row, row["verdict"], method)
    return LADDER.frame(found)


def twice(found: Sequence[Pick]) -> list[Pick]:
    """The picks of a tier, those on all questions and one on test: a single control is the same on both."""
    return [*found, *(replace(pick, split=TEST) for pick in found if pick.kind == "declared")]


def verdict(row: Mapping[str, Any], method: Method) -> Verdict:
    """The verdict by the rule above, from ``p_adjusted``, ``low``, ``high``, ``wins``, ``losses`` and ``ties``."""
    if row["p_adjusted"] <= method.alpha and row["low"] > 0:
        return "supported"
    if row["p_adjusted"] <= method.alpha and row["high"] < 0:
        return "opposite"
    seen = Outcomes(int(row["wins"]), int(row["losses"]), int(row["ties"]))
    excluded = row["high"] < method.margin and excess_test(seen, margin=method.margin) <= method.alpha / 2
    return "not_supported" if excluded else "cannot_tell"


def sentence(row: Mapping[str, Any], found: Verdict, method: Method) -> str:
    """The row in words: percentage points, interval, p, number of questions, and what follows."""
    confidence = f"{100 * method.confidence:g}%"
    what = {
        "same_questions": f"the best of {row['candidates']} on the same questions",
        "nested": f"the best of {row['candidates']} on train and dev",
        "declared": "declared",
    }[row["pick"]]
    figures = (
        f"{row['planner']} against {row['control']} ({row['tier']}; {what}): {points(row['difference'])} points "
        f"({confidence} interval {points(row['low'])} to {points(row['high'])}), "
        f"p {p_is(row['p'])}, adj. p {p_is(row['p_adjusted'])} ({row['tests']} tests), "
        f"n = {row['questions']:,} {row['split']} questions."
    )
    seen = Outcomes(int(row["wins"]), int(row["losses"]), int(row["ties"]))
    same = SameText(int(row["identical"]), int(row["identical"]))
    if same.pairs == seen.questions:
        return f"{figures} {same_text_sentence(seen, same)}"
    said = [figures, same_text_sentence(seen, same), conclusion(row, found, method), reservation(row, found)]
    return " ".join(filter(None, said))


def reservation(row: Mapping[str, Any], found: Verdict) -> str:
    """What a verdict against a planner is worth where the control is the luckiest of several; see benchmarks."""
    if row["pick"] == "same_questions" and found in ("opposite", "not_supported"):
        return "These questions flatter the pick: the test row does not."
    return ""


def conclusion(row: Mapping[str, Any], found: Verdict, method: Method) -> str:
    margin = percent(method.margin)
    match found:
        case "supported":
            return "The gain is supported."
        case "opposite":
            return "The opposite is supported: the control is better."
        case "not_supported":
            return f"No gain is supported, and one of {margin} points or more is excluded."
        case "cannot_tell":
            # At the level that no adjustment exceeds, whatever the family's other tests say.
            needed = questions_needed(
                method.margin, row["discordance"], alpha=method.alpha / row["tests"], power=method.power
            )
            if needed is None:
                return f"Cannot tell: too few questions differ to say how many would tell a gain of {margin} points."
            return (
                f"Cannot tell: about {needed:,} questions would tell a gain of {margin} points with "
                f"{100 * method.power:g}% power after adjustment."
            )


def survival(table: pd.DataFrame) -> pd.DataFrame:
    """By planner and budget, the first tier at which its gain is not supported, with the deciding row's figures.

    The rows on all questions count. ``tier`` and the rest are empty where the gain survives every tier. ``passed`` is
    how many tiers it survived.
    """
    rows = []
    for (planner, budget), own in decided(table, ALL).groupby(["planner", "budget_chars"], sort=False):
        tiers = records(own)
        passed, first = next(
            ((place, row) for place, row in enumerate(tiers) if row["verdict"] != "supported"), (len(tiers), {})
        )
        shown = ("tier", "control", "verdict", "difference", "low", "high", "ties", "identical")
        kept = {name: first.get(name) for name in shown}
        rows.append({"planner": planner, "budget_chars": budget, "passed": passed, "tiers": len(tiers), **kept})
    return pd.DataFrame(rows)


def decided(table: pd.DataFrame, split: str) -> pd.DataFrame:
    """The row that decides each planner's tier at each budget on the questions of ``split``, in the table's order."""
    tiers = table[table["split"] == split].groupby(["planner", "budget_chars", "tier"], sort=False)
    return table.loc[[own.index[deciding(own["verdict"].tolist())] for _, own in tiers]]


def deciding(verdicts: Sequence[Verdict]) -> int:
    """Place of the first of a tier's verdicts, at least one, that is the tier's own: see the rule above."""
    return verdicts.index(min(verdicts, key=DECIDING.index))


def verdict_counts(table: pd.DataFrame) -> dict[str, int]:
    """Tiers of each verdict on all questions, over planners and budgets; every verdict has a number."""
    counts = Counter(decided(table, ALL)["verdict"])
    return {name: counts[name] for name in VERDICTS}


def show(path: Path, *, console: Console) -> None:
    """Print, from the ladder's CSV, where each planner's gain ends at the largest budget: a line a planner."""
    table = read_report(path, LADDER)
    if table.empty:
        return
    budget = int(table["budget_chars"].max())
    view = Grid(
        title=f"Survival ladder at {budget:,} characters, all questions: where a planner's gain ends",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("planner", "ends at", "control", "verdict", "points (interval)"):
        view.add_column(name, no_wrap=True, justify="right" if name.startswith("points") else "left")
    ends = records(survival(table[table["budget_chars"] == budget]))
    for row in ends:
        if row["passed"] == row["tiers"]:
            view.add_row(row["planner"], "survives all", "", "supported", "")
            continue
        gain, low, high = (points(row[name]) for name in ("difference", "low", "high"))
        view.add_row(
            row["planner"], row["tier"], row["control"], row["verdict"].replace("_", " "), f"{gain} ({low} to {high})"
        )
    console.print(view)
    told = [
        f"{row['planner']} {int(row['identical']):,} of {int(row['ties']):,}"
        for row in ends
        if row["passed"] < row["tiers"] and row["identical"]
    ]
    if told:
        console.print(f"Ties in which both sides saw the same text: {', '.join(told)}.")
