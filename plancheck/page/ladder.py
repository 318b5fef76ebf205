"""The survival ladder as a matrix of verdicts, planner by tier of controls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

from plancheck.page.cells import FORMATS
from plancheck.reporting import ladder as rule
from plancheck.reporting.results import TEST
from plancheck.reporting.rounding import p_is

VERDICTS: Final[Mapping[str, tuple[str, str]]] = {
    "supported": ("✓", "supported"),
    "not_supported": ("–", "not supported"),
    "opposite": ("✗", "opposite"),
    "cannot_tell": ("?", "cannot tell"),
}
PICKS: Final[Mapping[str, str]] = {
    "declared": "",
    "same_questions": "best of {candidates}, picked on these questions",
    "nested": "best of {candidates}, picked on train and dev",
}
TIERS: Final[Mapping[str, tuple[str, str]]] = {
    "direct": ("Direct", "no search at all: nothing is read, or the text's ends, or parts at random"),
    "retrieval": ("Retrieval", "search by words, by meaning, or by both"),
    "budgeted": ("Budgeted", "search that weighs words against meaning, or avoids repetition"),
    "rerank": ("Reranking", "a second model reorders what search found"),
    "matched_supervision": ("Matched supervision", "reranking by a model that was tuned for this task as well"),
    "router": ("Router", "for each question, one of these controls is chosen by rule or by a small model"),
}


@dataclass(frozen=True, slots=True)
class Rung:
    """One comparison of a planner with a tier: ``verdict`` is a key of VERDICTS, the rest is ready to print."""

    verdict: rule.Verdict
    symbol: str
    label: str
    control: str
    pick: str
    gain: str
    interval: str
    questions: str
    p: str
    same: str
    sentence: str
    held_out: bool


@dataclass(frozen=True, slots=True)
class Climb:
    """A planner's rungs by tier, in the order of the matrix's tiers: on all questions, then on test, or none."""

    planner: str
    family: str
    rungs: tuple[tuple[Rung, ...], ...]

    @property
    def decisive(self) -> tuple[Rung | None, ...]:
        """Of each tier the rung that decides it on all questions; None without one."""
        return tuple(next((rung for rung in rungs if not rung.held_out), None) for rungs in self.rungs)

    @property
    def silent(self) -> bool:
        """Whether no rung tells anything."""
        return all(rung.verdict == "cannot_tell" for rungs in self.rungs for rung in rungs)


Rows = Sequence[Mapping[Any, Any]]
Groups = tuple[tuple[str, tuple[Climb, ...]], ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The ladder at one budget: rows of climbs by group of planners, ``tiers`` the headings of the columns.

    ``told`` and ``silent`` part ``groups``: a silent climb cannot tell at any tier, on all questions or on test.
    """

    budget_chars: int
    tiers: tuple[str, ...]
    groups: Groups

    @property
    def told(self) -> Groups:
        return self.part(silent=False)

    @property
    def silent(self) -> Groups:
        return self.part(silent=True)

    def part(self, *, silent: bool) -> Groups:
        parted = ((family, tuple(each for each in climbs if each.silent == silent)) for family, climbs in self.groups)
        return tuple((family, climbs) for family, climbs in parted if climbs)


def matrices(
    ladder: pd.DataFrame, family_of: Mapping[str, str], families: Sequence[str], *, planner: str
) -> list[Matrix]:
    """The ladder by budget, largest first; planners by family, the study's own before its kin.

    Args:
        ladder: the rows of ladder.csv; within a planner in the order of the tiers.
        family_of: family's key by policy.
        families: their keys in order. That of ``planner`` is shown first, the harness second, for it says how far the
            ladder can be believed.
        planner: the trained planner that the study is about.
    """
    found = []
    for budget in sorted(set(ladder["budget_chars"]), reverse=True):
        rows: Rows = ladder[ladder["budget_chars"] == budget].to_dict("records")
        tiers = list(dict.fromkeys(row["tier"] for row in rows))
        groups = []
        for family in sorted(families, key=lambda key: (key != family_of.get(planner), key != "harness")):
            planners = [name for name in dict.fromkeys(row["planner"] for row in rows) if family_of[name] == family]
            planners.sort(key=lambda name: name != planner)
            climbs = [climb([row for row in rows if row["planner"] == name], name, family, tiers) for name in planners]
            if climbs:
                groups.append((family, tuple(climbs)))
        labels = tuple(tier_label(tier) for tier in tiers)
        found.append(Matrix(int(budget), labels, tuple(groups)))
    return found


def climb(rows: Rows, planner: str, family: str, tiers: Sequence[str]) -> Climb:
    """A planner's rungs by tier."""
    return Climb(planner, family, tuple(tuple(rungs([row for row in rows if row["tier"] == tier])) for tier in tiers))


def rungs(rows: Rows) -> Iterator[Rung]:
    """A tier's rung on all questions and on test; of several (routers) the one that decides, and among how many."""
    for held_out in (False, True):
        own = [rung(row) for row in rows if (row["split"] == TEST) == held_out]
        if len(own) == 1:
            yield own[0]
        elif found := deciding(own):
            yield replace(found, pick=", ".join(filter(None, (f"decides among {len(own)}", found.pick))))


def rung(row: Mapping[Any, Any]) -> Rung:
    symbol, label = VERDICTS[row["verdict"]]
    held_out = row["split"] == TEST
    picked = PICKS[row["pick"]].format(candidates=row["candidates"])
    points = FORMATS["points"]
    return Rung(
        verdict=row["verdict"],
        symbol=symbol,
        label=label,
        control=row["control"],
        pick=", ".join(filter(None, (picked, "test questions" if held_out else ""))),
        gain=points(row["difference"]),
        interval=f"[{points(row['low'])}, {points(row['high'])}]",
        questions=f"{row['questions']:,}",
        p=p_is(row["p_adjusted"]),
        same=same_text(row),
        sentence=row["sentence"],
        held_out=held_out,
    )


def same_text(row: Mapping[Any, Any]) -> str:
    if row["identical"] == row["questions"]:
        return "both saw the same text in every question: says nothing"
    return f"of {row['ties']:,} ties, {row['identical']:,} saw the same text" if row["identical"] else ""


def tier_label(tier: str) -> str:
    """A tier's heading; one of the study's own is called as it is."""
    return TIERS[tier][0] if tier in TIERS else tier


def deciding(rungs: Sequence[Rung]) -> Rung | None:
    """The first of a tier's rungs that has the tier's verdict; None without any."""
    return rungs[rule.deciding([rung.verdict for rung in rungs])] if rungs else None
