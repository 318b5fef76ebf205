"""Families of policies: what a policy's colour means, the same in every figure.

Colours are of the Okabe-Ito kind, darkened where needed so that each has a contrast of at least 3 to 1 on both the
light and the dark page; figures name a policy beside its colour, so that no reading depends on the colour alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Family:
    """A group of policies that share a colour (hexadecimal RGB)."""

    label: str
    colour: str


FAMILIES: Final[Mapping[str, Family]] = {
    "direct": Family("Direct controls", "#7a7f87"),
    "retrieval": Family("Retrieval controls", "#0072b2"),
    "budgeted": Family("Budgeted controls", "#2b8fbd"),
    "rerank": Family("Reranking controls", "#7b6fd0"),
    "matched_supervision": Family("Matched-supervision control", "#b5659a"),
    "control": Family("Other controls", "#6f7f5f"),
    "sft": Family("Trained planner", "#d55e00"),
    "sft_early": Family("Trained planner, early adapter", "#b47b00"),
    "prompted": Family("Prompted planner", "#009e73"),
    "harness": Family("Harness: perfect, middling and null planners", "#a0785a"),
    "router": Family("Routers", "#4f8f8f"),
}
CONTROLS: Final = ("direct", "retrieval", "budgeted", "rerank", "matched_supervision", "control")
HARNESS: Final[Mapping[str, str]] = {"evidence": "perfect", "evidence_half": "middling", "random_plan": "null"}


def families_of(selectors: Mapping[str, str | None], tiers: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The family's key in FAMILIES by policy, policies in the order given.

    Args:
        selectors: by policy, the selector that names its first atoms; None for a control.
        tiers: controls by tier. A control in no tier, or in one that is not among CONTROLS, is of family "control".
    """
    tier_of = {policy: tier for tier, policies in tiers.items() for policy in policies if tier in CONTROLS}
    return {
        policy: tier_of.get(policy, "control") if selector is None else planner_family(selector)
        for policy, selector in selectors.items()
    }


def planner_family(selector: str) -> str:
    return "harness" if selector in HARNESS else selector
