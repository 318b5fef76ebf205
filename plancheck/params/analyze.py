"""Section analyze: what is compared, tier by tier and as declared."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from plancheck.errors import doubled
from plancheck.params.pack import Pack, Policy
from plancheck.params.section import Name, Section, Seed


class BestOf(Section):
    """The control with most right answers among a tier's policies, or among those listed; a tie goes to the earlier."""

    best_of: str | list[str]


class DeclaredComparison(Section):
    """A paired comparison written down before its result is seen."""

    treatment: str
    control: str | BestOf
    budget_chars: PositiveInt | Literal["largest", "smallest"]
    split: Literal["all", "test"]

    def budget(self, budgets_chars: Sequence[int]) -> int:
        """The budget in characters, where "largest" and "smallest" are meant among ``budgets_chars``."""
        match self.budget_chars:
            case "largest":
                return max(budgets_chars)
            case "smallest":
                return min(budgets_chars)
            case number:
                return number


class Mechanisms(Section):
    """Whose wins and losses are looked into: a planner policy against one that shows the reranker's order."""

    treatment: str
    control: str
    top: PositiveInt = Field(description="how many of the reranker's first atoms are its choice")


ROUTER_TIER = "router"


def unknown_policies(names: Sequence[str], pack: Pack) -> list[str]:
    return [f"{name!r} is not in pack.policies" for name in dict.fromkeys(names) if name not in pack.policies]


def control_problems(policies: Sequence[str], pack: Pack) -> list[str]:
    """What keeps ``policies`` from being distinct controls."""
    known = [name for name in dict.fromkeys(policies) if name in pack.policies]
    return [
        *unknown_policies(policies, pack),
        *(f"{name!r} has a selector, so it is no control" for name in known if pack.policies[name].selector),
        *(f"{name!r} comes twice" for name in doubled(policies) if name in known),
    ]


def shows_reranked_order(policy: Policy) -> bool:
    return policy.fill == "rerank" and policy.selector is None and policy.anchors is None


class Analyze(Section):
    """``tiers`` are the ladder's controls in its order.

    The tier of routers, which choose among the best of each, comes after them and needs no entry.
    """

    confidence: Annotated[float, Field(ge=0.5, le=0.9999)]
    seed: Seed
    resamples: Annotated[int, Field(ge=100, le=1_000_000)]
    power: Annotated[float, Field(ge=0.5, le=0.999)]
    margin: Annotated[float, Field(ge=0.0001, le=0.5)] = Field(
        description="smallest gain in accuracy that matters, a share"
    )
    tiers: Annotated[dict[Name, Annotated[list[str], Field(min_length=1)]], Field(min_length=1)]
    comparisons: dict[Name, DeclaredComparison] = Field(default_factory=dict)
    mechanisms: Mechanisms | None = None

    def problems(self, pack: Pack) -> list[str]:
        """What names a policy, a budget or a tier that there is not."""
        found = []
        if ROUTER_TIER in self.tiers:
            found.append(f"analyze.tiers: {ROUTER_TIER!r} is made from data/routing.parquet; call yours differently")
        for name, policies in self.tiers.items():
            found += [f"analyze.tiers.{name}: {problem}" for problem in control_problems(policies, pack)]
        tiers_of: dict[str, list[str]] = {}
        for tier, policies in self.tiers.items():
            for policy in dict.fromkeys(policies):
                tiers_of.setdefault(policy, []).append(tier)
        found += [
            f"analyze.tiers: {policy!r} is in {' and '.join(tiers)}; a policy is in one tier"
            for policy, tiers in tiers_of.items()
            if len(tiers) > 1
        ]
        for name, declared in self.comparisons.items():
            found += [f"analyze.comparisons.{name}: {problem}" for problem in self.comparison_problems(declared, pack)]
        if self.mechanisms:
            arms = (self.mechanisms.treatment, self.mechanisms.control)
            found += [f"analyze.mechanisms: {problem}" for problem in unknown_policies(arms, pack)]
            if arms[0] == arms[1]:
                found.append(f"analyze.mechanisms: {arms[0]!r} is compared with itself")
            if arms[1] in pack.policies and not shows_reranked_order(pack.policies[arms[1]]):
                found.append(
                    f"analyze.mechanisms.control: {arms[1]!r} does not show the reranker's order alone; name a policy "
                    "with fill 'rerank', without selector and anchors"
                )
            if arms[0] in pack.policies and not pack.policies[arms[0]].selector:
                found.append(f"analyze.mechanisms.treatment: {arms[0]!r} has no selector, so it selects nothing")
        return found

    def comparison_problems(self, declared: DeclaredComparison, pack: Pack) -> list[str]:
        """The rules that one comparison breaks."""
        found = []
        controls = self.candidates(declared)
        match declared.control:
            case BestOf(best_of=list()):
                if len(controls) < 2:
                    found.append("best_of needs a tier's name, or two or more policies to pick from")
                found += [f"best_of: {problem}" for problem in control_problems(controls, pack)]
            case BestOf(best_of=tier) if tier not in self.tiers:
                found.append(f"best_of names no tier {tier!r}; there are {', '.join(self.tiers)}")
            case str() as policy:
                found += unknown_policies([policy], pack)
        found += [problem for problem in unknown_policies([declared.treatment], pack) if problem not in found]
        if declared.treatment in controls:
            found.append(f"{declared.treatment!r} is compared with itself")
        if declared.budget(pack.budgets_chars) not in pack.budgets_chars:
            budgets = ", ".join(map(str, pack.budgets_chars))
            found.append(f"budget_chars must be among pack.budgets_chars {budgets}, got {declared.budget_chars}")
        return found

    def candidates(self, declared: DeclaredComparison) -> list[str]:
        """The controls of a comparison, as declared: one, or those that the best is picked from."""
        match declared.control:
            case BestOf(best_of=str() as tier):
                return self.tiers.get(tier, [])
            case BestOf(best_of=list() as policies):
                return policies
            case policy:
                return [str(policy)]
