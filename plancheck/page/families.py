"""Families of policies: what a policy's colour means, the same in every figure.

Colours are of the Okabe-Ito kind, darkened where needed so that each has a contrast of at least 3 to 1 on both the
light and the dark page; figures name a policy beside its colour, so that no reading depends on the colour alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from plancheck.params.selectors import (
    PLANNER,
    HarnessSelector,
    PlannerSelector,
    PlansSelector,
    RankingSelector,
    Selector,
)


@dataclass(frozen=True, slots=True)
class Family:
    """A group of policies that share a colour (hexadecimal RGB). ``learned``: from some of the study's questions."""

    label: str
    colour: str
    learned: bool = False


# By tier; one of another name is called by it.
TIERS: Final[Mapping[str, Family]] = {
    "direct": Family("Direct controls", "#7a7f87"),
    "retrieval": Family("Retrieval controls", "#0072b2"),
    "budgeted": Family("Budgeted controls", "#2b8fbd"),
    "rerank": Family("Reranking controls", "#7b6fd0"),
    "matched_supervision": Family("Matched-supervision control", "#b5659a"),
}
LAST: Final = Family("Trained planner", "#d55e00", learned=True)
EARLY: Final = Family("Trained planner, early adapter", "#b47b00", learned=True)
PROMPTED: Final = Family("Prompted planner", "#009e73")
OTHERS: Final[Mapping[str, Family]] = {
    "control": Family("Other controls", "#6f7f5f"),
    "harness": Family("Harness: perfect, middling and null planners", "#a0785a"),
    "router": Family("Routers", "#4f8f8f"),
}
# Given out in turn to what has no colour of its own, from the first again after the last.
SPARE: Final = ("#3d7fd0", "#c2527a", "#6a8a22", "#a06ac0", "#c05a5a", "#8a7a2a")
SKILLS: Final[Mapping[str, str]] = {"evidence": "perfect", "evidence_half": "middling", "random": "null"}


def families(selectors: Mapping[str, Selector], tiers: Iterable[str], systems: Iterable[str] = ()) -> dict[str, Family]:
    """Every family of a study by key: tiers, other controls, planners by selector, systems, harness, routers."""
    colours = spare_colours()
    found = {f"tier:{tier}": TIERS.get(tier) or Family(f"Controls: {tier}", next(colours)) for tier in tiers}
    found["control"] = OTHERS["control"]
    for name, selector in selectors.items():
        if isinstance(selector, HarnessSelector | RankingSelector):
            continue
        own = planner_family(selector)
        if own and own in found.values():
            own = replace(own, label=f"{own.label}: {name}", colour=next(colours))
        found[f"selector:{name}"] = own or Family(f"Planner: {name}", next(colours))
    found |= {f"system:{name}": Family(f"System: {name}", next(colours)) for name in systems}
    return found | {name: OTHERS[name] for name in ("harness", "router")}


def spare_colours() -> Iterator[str]:
    while True:
        yield from SPARE


def planner_family(selector: PlannerSelector | PlansSelector) -> Family | None:
    """The family of a planner that this study prompts or trains itself; None for one of the user's own."""
    if isinstance(selector, PlansSelector) or selector.model != PLANNER:
        return None
    match selector.adapter:
        case "last":
            return LAST
        case "early":
            return EARLY
        case None:
            return PROMPTED
        case _:
            return None


def families_of(
    policies: Mapping[str, str | None],
    selectors: Mapping[str, Selector],
    tiers: Mapping[str, Sequence[str]],
    systems: Iterable[str] = (),
) -> dict[str, str]:
    """The family's key by policy, policies in the order given.

    Args:
        policies: by policy, the selector that names its first atoms; None for a control.
        selectors: as declared; a policy of a ranking that poses as a plan is a control.
        tiers: controls by tier. A control in none is of family "control".
        systems: finished ones; each is a family of its own, unless it is in a tier.
    """
    tier_of = {policy: f"tier:{tier}" for tier, members in tiers.items() for policy in members}
    found = {}
    for policy, selector in policies.items():
        if selector is None or isinstance(selectors[selector], RankingSelector):
            found[policy] = tier_of.get(policy, "control")
        else:
            found[policy] = "harness" if isinstance(selectors[selector], HarnessSelector) else f"selector:{selector}"
    return found | {name: tier_of.get(name, f"system:{name}") for name in systems}
