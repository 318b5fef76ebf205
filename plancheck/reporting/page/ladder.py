"""The survival ladder as a matrix of verdicts, planner by tier of controls, and the answer in one paragraph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from plancheck.reporting.page.cells import number

VERDICTS: Final[Mapping[str, tuple[str, str]]] = {
    "supported": ("✓", "supported"),
    "not_supported": ("–", "not supported"),
    "opposite": ("✗", "opposite"),
    "cannot_tell": ("?", "cannot tell"),
}
PICKS: Final[Mapping[str, str]] = {
    "declared": "declared control",
    "same_questions": "best of {candidates}, picked on the same questions",
    "nested": "best of {candidates}, picked on train and dev, tested on test",
}
TIER_LABELS: Final[Mapping[str, str]] = {
    "direct": "Direct",
    "retrieval": "Retrieval",
    "budgeted": "Budgeted",
    "rerank": "Reranking",
    "matched_supervision": "Matched supervision",
    "router": "Router",
}


@dataclass(frozen=True, slots=True)
class Rung:
    """One comparison of a planner with a tier: ``verdict`` is a key of VERDICTS, the rest is ready to print."""

    verdict: str
    symbol: str
    label: str
    control: str
    pick: str
    outcome: Markup
    sentence: str


@dataclass(frozen=True, slots=True)
class Climb:
    """A planner's rungs by tier, in the order of the matrix's tiers; a tier may have none, one or two."""

    planner: str
    family: str
    rungs: tuple[tuple[Rung, ...], ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The ladder at one budget: ``climbs`` are its rows, ``tiers`` the headings of its columns."""

    budget_chars: int
    tiers: tuple[str, ...]
    climbs: tuple[Climb, ...]


def matrices(ladder: pd.DataFrame, family_of: Mapping[str, str], *, planner: str) -> list[Matrix]:
    """The ladder by budget, largest first. Planners: the study's own, its kin, the harness, the others.

    Args:
        ladder: the rows of ladder.csv; within a planner in the order of the tiers.
        family_of: family by policy.
        planner: the trained planner that the study is about.
    """
    order = ["sft", "harness", "prompted", "sft_early"]
    found = []
    for budget in sorted(set(ladder["budget_chars"]), reverse=True):
        rows = ladder[ladder["budget_chars"] == budget]
        tiers = list(dict.fromkeys(rows["tier"]))
        planners = sorted(
            dict.fromkeys(rows["planner"]), key=lambda name: (name != planner, order.index(family_of[name]))
        )
        climbs = [
            Climb(
                name,
                family_of[name],
                tuple(
                    tuple(rung(row) for row in records(rows[(rows["planner"] == name) & (rows["tier"] == tier)]))
                    for tier in tiers
                ),
            )
            for name in planners
        ]
        found.append(Matrix(int(budget), tuple(TIER_LABELS.get(tier, tier) for tier in tiers), tuple(climbs)))
    return found


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as mappings, nested picks after the others."""
    return sorted(rows.to_dict("records"), key=lambda row: row["pick"] == "nested")


def rung(row: Mapping[str, Any]) -> Rung:
    symbol, label = VERDICTS[row["verdict"]]
    outcome = Markup("{} [{}, {}]; n = {}, p = {}").format(
        number(row["difference"], "points"),
        number(row["low"], "points"),
        number(row["high"], "points"),
        number(row["questions"], "count"),
        number(row["p_adjusted"], "p"),
    )
    pick = PICKS.get(row["pick"], row["pick"]).format(candidates=row["candidates"])
    return Rung(row["verdict"], symbol, label, row["control"], pick, outcome, str(row["sentence"]))


def answer(ladder: pd.DataFrame, *, planner: str, margin: float) -> str:
    """The answer in a few sentences: what becomes of the planner's gain at each tier, at the largest budget.

    A tier counts once, by its verdict on all questions; of several rows in a tier (routers) the first that is not
    supported decides. The nested verdicts are counted apart. Without a row of the planner there is no answer.
    """
    rows = ladder[ladder["planner"] == planner] if not ladder.empty else ladder
    if rows.empty:
        return f"This run holds no comparison of {planner} with any tier of controls, so it gives no answer."
    budget = int(rows["budget_chars"].max())
    rows = rows[rows["budget_chars"] == budget]
    tiers, nested = tier_verdicts(rows), rows[rows["pick"] == "nested"]
    text = (
        f"At {budget:,} characters of context, {planner} was tested against {counted(len(tiers), 'tier')} of controls "
        f"on {int(rows['questions'].max()):,} questions. {'; '.join(by_verdict(tiers, margin=margin))}."
    )
    if not nested.empty:
        survived = int((nested["verdict"] == "supported").sum())
        text += (
            f" With a tier's best control picked on train and dev questions and tested on the "
            f"{int(nested['questions'].max()):,} test questions, the gain is supported at {survived:,} of "
            f"{counted(len(nested), 'such tier')}."
        )
    return text


def tier_verdicts(rows: pd.DataFrame) -> dict[str, str]:
    """The verdict of each tier from one planner's rows at one budget, tiers in the order of the rows."""
    verdicts: dict[str, str] = {}
    for row in rows[rows["pick"] != "nested"].to_dict("records"):
        if verdicts.get(row["tier"], "supported") == "supported":
            verdicts[row["tier"]] = row["verdict"]
    return verdicts


def by_verdict(verdicts: Mapping[str, str], *, margin: float) -> list[str]:
    """One clause a verdict that occurs, naming its tiers."""
    clauses = {
        "supported": "a gain is supported against {tiers}",
        "opposite": "the planner is worse than {tiers}",
        "not_supported": f"a gain of {100 * margin:g} points or more is excluded against {{tiers}}",
        "cannot_tell": "this many questions cannot tell against {tiers}",
    }
    found = []
    for verdict, clause in clauses.items():
        tiers = [
            TIER_LABELS.get(tier, tier).lower() for tier, found_verdict in verdicts.items() if found_verdict == verdict
        ]
        if tiers:
            found.append(clause.format(tiers=listed(tiers)))
    found[0] = found[0][0].upper() + found[0][1:]
    return found


def calibration(ladder: pd.DataFrame) -> str:
    """What the ladder says of the perfect and the null planner, which show whether it can say both; may be empty."""
    clauses = []
    for prefix, kind in (("evidence+", "the perfect planner"), ("random_plan+", "the null planner")):
        rows = ladder[ladder["planner"].str.startswith(prefix)] if not ladder.empty else ladder
        if rows.empty:
            continue
        rows = rows[(rows["planner"] == rows["planner"].iloc[0]) & (rows["budget_chars"] == rows["budget_chars"].max())]
        verdicts = list(tier_verdicts(rows).values())
        clauses.append(
            f"{kind} ({rows['planner'].iloc[0]}) is supported at {verdicts.count('supported')} of "
            f"{counted(len(verdicts), 'tier')}"
        )
    return f"To calibrate the eye: {listed(clauses)}." if clauses else ""


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    return ", ".join(items[:-1]) + " and " + items[-1] if len(items) > 1 else items[0]
