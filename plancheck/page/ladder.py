"""The survival ladder as a matrix of verdicts, planner by tier of controls, and the answer in one paragraph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from plancheck.page.cells import FORMATS

VERDICTS: Final[Mapping[str, tuple[str, str]]] = {
    "supported": ("✓", "supported"),
    "not_supported": ("–", "not supported"),
    "opposite": ("✗", "opposite"),
    "cannot_tell": ("?", "cannot tell"),
}
# Families of planners in the order shown; the harness second, for it says how far the ladder can be believed.
GROUPS: Final = ("sft", "harness", "prompted", "sft_early")
PICKS: Final[Mapping[str, str]] = {
    "declared": "",
    "same_questions": "best of {candidates}, picked on these questions",
    "nested": "best of {candidates} on train and dev, tested on test",
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
    gain: str
    interval: str
    questions: str
    p: str
    sentence: str
    nested: bool


@dataclass(frozen=True, slots=True)
class Climb:
    """A planner's rungs by tier, in the order of the matrix's tiers; a tier may have none, one or two."""

    planner: str
    family: str
    rungs: tuple[tuple[Rung, ...], ...]

    @property
    def decisive(self) -> tuple[Rung | None, ...]:
        """Of each tier the rung that decides it on all questions: the first that is not supported; None without one."""
        found: list[Rung | None] = []
        for rungs in self.rungs:
            counted = [rung for rung in rungs if not rung.nested]
            stops = [rung for rung in counted if rung.verdict != "supported"]
            found.append(next(iter(stops or counted), None))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Matrix:
    """The ladder at one budget: rows of climbs by group of planners, ``tiers`` the headings of the columns."""

    budget_chars: int
    tiers: tuple[str, ...]
    groups: tuple[tuple[str, tuple[Climb, ...]], ...]


def matrices(ladder: pd.DataFrame, family_of: Mapping[str, str], *, planner: str) -> list[Matrix]:
    """The ladder by budget, largest first; planners by family as in GROUPS, the study's own before its kin.

    Args:
        ladder: the rows of ladder.csv; within a planner in the order of the tiers.
        family_of: family by policy.
        planner: the trained planner that the study is about.
    """
    found = []
    for budget in sorted(set(ladder["budget_chars"]), reverse=True):
        rows = ladder[ladder["budget_chars"] == budget]
        tiers = list(dict.fromkeys(rows["tier"]))
        groups = []
        for family in GROUPS:
            planners = [name for name in dict.fromkeys(rows["planner"]) if family_of[name] == family]
            planners.sort(key=lambda name: name != planner)
            climbs = [climb(rows[rows["planner"] == name], name, family, tiers) for name in planners]
            if climbs:
                groups.append((family, tuple(climbs)))
        labels = tuple(TIER_LABELS.get(tier, tier) for tier in tiers)
        found.append(Matrix(int(budget), labels, tuple(groups)))
    return found


def climb(rows: pd.DataFrame, planner: str, family: str, tiers: Sequence[str]) -> Climb:
    """A planner's rungs by tier."""
    return Climb(
        planner, family, tuple(tuple(rung(row) for row in records(rows[rows["tier"] == tier])) for tier in tiers)
    )


def records(rows: pd.DataFrame) -> list[dict[Any, Any]]:
    """Rows as mappings, nested picks after the others."""
    return sorted(rows.to_dict("records"), key=lambda row: row["pick"] == "nested")


def rung(row: Mapping[Any, Any]) -> Rung:
    symbol, label = VERDICTS[row["verdict"]]
    points = FORMATS["points"]
    return Rung(
        verdict=row["verdict"],
        symbol=symbol,
        label=label,
        control=row["control"],
        pick=PICKS[row["pick"]].format(candidates=row["candidates"]),
        gain=points(row["difference"]),
        interval=f"[{points(row['low'])}, {points(row['high'])}]",
        questions=f"{row['questions']:,}",
        p=FORMATS["p"](row["p_adjusted"]),
        sentence=row["sentence"],
        nested=row["pick"] == "nested",
    )


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
    survived = list(tiers.values()).count("supported")
    verdict = "Yes, in this run" if survived == len(tiers) else "Only in part" if survived else "Not shown in this run"
    text = (
        f"{verdict}: at {budget:,} characters of context, the gain of {planner} is supported at {survived:,} of "
        f"{counted(len(tiers), 'tier')} of controls ({int(rows['questions'].max()):,} questions, partly transductive). "
        f"{'; '.join(by_verdict(tiers, margin=margin))}."
    )
    if not nested.empty:
        survived = int((nested["verdict"] == "supported").sum())
        text += (
            f" On the {int(nested['questions'].max()):,} held-out test questions, with each tier's best control picked "
            f"on train and dev, it is supported at {survived:,} of {counted(len(nested), 'such tier')}."
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
