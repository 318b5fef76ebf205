"""Section analyze: what is compared, tier by tier and as declared."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from plancheck.errors import doubled
from plancheck.params.pack import Pack
from plancheck.params.section import Name, Section, Seed

Budget = PositiveInt | Literal["largest", "smallest", "smaller"]


def budgets(meant: Budget, budgets_chars: Sequence[int]) -> list[int]:
    """The budgets in characters that a number or a word means among ``budgets_chars``, in their order.

    A number means itself, also where it is not among them. "smaller" means all but the largest, and the only one where
    there is one.
    """
    match meant:
        case "largest":
            return [max(budgets_chars)]
        case "smallest":
            return [min(budgets_chars)]
        case "smaller":
            return [budget for budget in budgets_chars if budget < max(budgets_chars)] or list(budgets_chars)
        case number:
            return [number]


class BestOf(Section):
    """The policy with most right answers in a tier, or among those listed; a tie goes to the earlier."""

    best_of: str | list[str]


Side = str | BestOf


class DeclaredComparison(Section):
    """A paired comparison written down before its result is seen."""

    treatment: str
    control: Side
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
    """Whose wins and losses are looked into: a planner policy against another policy, or the best of several."""

    treatment: str
    control: Side
    budget_chars: Budget
    top: PositiveInt = Field(description="how many of a ranking's first atoms are its choice")


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


class Analyze(Section):
    """``tiers`` are the ladder's controls in its order; the tier of routers comes after them and needs no entry."""

    confidence: Annotated[float, Field(ge=0.5, le=0.9999)]
    seed: Seed
    resamples: Annotated[int, Field(ge=100, le=1_000_000)]
    power: Annotated[float, Field(ge=0.5, le=0.999)]
    margin: Annotated[float, Field(ge=0.0001, le=0.5)] = Field(
        description="smallest gain in accuracy that matters, a share"
    )
    tiers: dict[Name, Annotated[list[str], Field(min_length=1)]]
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
            name = self.mechanisms.treatment
            found += [f"analyze.mechanisms: {problem}" for problem in self.comparison_problems(self.mechanisms, pack)]
            if name in pack.policies and not pack.policies[name].selector:
                found.append(f"analyze.mechanisms.treatment: {name!r} has no selector, so it selects nothing")
        return found

    def comparison_problems(self, declared: DeclaredComparison | Mechanisms, pack: Pack) -> list[str]:
        """The rules that one comparison breaks."""
        found = []
        controls = self.candidates(declared.control)
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
        if set(budgets(declared.budget_chars, pack.budgets_chars)) - set(pack.budgets_chars):
            known = ", ".join(map(str, pack.budgets_chars))
            found.append(f"budget_chars must be among pack.budgets_chars {known}, got {declared.budget_chars}")
        return found

    def candidates(self, side: Side) -> list[str]:
        """The policies of a side of a comparison, as declared: one, or those that the best is picked from."""
        match side:
            case BestOf(best_of=str() as tier):
                return self.tiers.get(tier, [])
            case BestOf(best_of=policies):
                return list(policies)
            case policy:
                return [policy]
