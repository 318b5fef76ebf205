"""Section analyze: what is compared, tier by tier and as declared."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, PositiveInt

from plancheck.params.comparison import BestOf, DeclaredComparison, Side, budgets
from plancheck.params.section import Name, Section, Seed
from plancheck.plumbing.errors import doubled


@dataclass(frozen=True, slots=True)
class Compared:
    """The policies of a study as declared, which of them are planners' and so no controls, and the budgets."""

    policies: tuple[str, ...]
    planners: frozenset[str]
    budgets_chars: tuple[int, ...]


class Mechanisms(Section):
    """Whose wins and losses are looked into: those of a planner's policy and one other, or the best of several."""

    comparison: Name
    top: PositiveInt = Field(description="how many of a ranking's first atoms are its choice")


ROUTER_TIER = "router"


def unknown_policies(names: Sequence[str], known: Compared) -> list[str]:
    return [f"{name!r} is not in pack.policies" for name in dict.fromkeys(names) if name not in known.policies]


def control_problems(policies: Sequence[str], known: Compared) -> list[str]:
    """What keeps ``policies`` from being distinct controls."""
    planners = [name for name in dict.fromkeys(policies) if name in known.planners]
    return [
        *(f"{name!r} has a selector, so it is no control" for name in planners),
        *candidate_problems(policies, known),
    ]


def candidate_problems(policies: Sequence[str], known: Compared) -> list[str]:
    """What keeps ``policies`` from being distinct policies of the study."""
    twice = [name for name in doubled(policies) if name in known.policies]
    return [*unknown_policies(policies, known), *(f"{name!r} comes twice" for name in twice)]


class Analyze(Section):
    """``tiers`` are the ladder's controls in its order.

    The tier of routers, which choose among the best of each, comes after them and needs no entry.
    """

    planner: str | None = Field(
        default=None, description="policy or finished system that the report is about; null: that of section route"
    )
    confidence: Annotated[float, Field(ge=0.5, le=0.9999)]
    seed: Seed
    resamples: Annotated[int, Field(ge=100, le=1_000_000)]
    power: Annotated[float, Field(ge=0.5, le=0.999)]
    margin: Annotated[float, Field(ge=0.0001, le=0.5)] = Field(
        description="smallest gain in accuracy that matters, a share"
    )
    tiers: Annotated[dict[Name, Annotated[list[str], Field(min_length=1)]], Field(min_length=1)]
    comparisons: dict[Name, DeclaredComparison] = Field(default_factory=dict)
    by_domain: list[str] = Field(
        default_factory=list, description="comparisons whose difference is given by domain; descriptive, without p"
    )
    mechanisms: Mechanisms | None = None

    def problems(self, known: Compared) -> list[str]:
        """What names a policy, a budget or a tier that there is not."""
        found = []
        if ROUTER_TIER in self.tiers:
            found.append(f"analyze.tiers: {ROUTER_TIER!r} is made from data/routing.parquet; call yours differently")
        for name, policies in self.tiers.items():
            found += [f"analyze.tiers.{name}: {problem}" for problem in control_problems(policies, known)]
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
            found += [f"analyze.comparisons.{name}: {problem}" for problem in self.comparison_problems(declared, known)]
        found += [f"analyze.by_domain: {problem}" for problem in self.by_domain_problems()]
        if self.mechanisms:
            found += [
                f"analyze.mechanisms.comparison: {problem}"
                for problem in self.mechanism_problems(self.mechanisms.comparison, known)
            ]
        return found

    def mechanism_problems(self, name: str, known: Compared) -> list[str]:
        """What keeps a comparison's wins from being looked into."""
        if name not in self.comparisons:
            return [f"{name!r} is not in analyze.comparisons"]
        declared = self.comparisons[name]
        if isinstance(declared.treatment, BestOf):
            return [f"{name!r} picks its treatment by best_of; name a comparison of one planner's policy"]
        if declared.split != "all":
            return [f"{name!r} is of the questions of split {declared.split}, and wins are looked into among all"]
        if declared.treatment in known.policies and declared.treatment not in known.planners:
            return [f"{name!r} is of treatment {declared.treatment!r}, which has no selector, so it selects nothing"]
        return []

    def comparison_problems(self, declared: DeclaredComparison, known: Compared) -> list[str]:
        """The rules that one comparison breaks."""
        treatments, controls = self.candidates(declared.treatment), self.candidates(declared.control)
        rules = control_problems if isinstance(declared.control, BestOf) else candidate_problems
        found = [
            *self.side_problems(declared.treatment, candidate_problems(treatments, known)),
            *self.side_problems(declared.control, rules(controls, known)),
            *(f"{name!r} is compared with itself" for name in treatments if name in controls),
        ]
        there_are = ", ".join(map(str, known.budgets_chars))
        found += [
            f"budget_chars must be among pack.budgets_chars {there_are}, got {budget}"
            for budget in budgets(declared.budget_chars, known.budgets_chars)
            if budget not in known.budgets_chars
        ]
        return list(dict.fromkeys(found))

    def side_problems(self, side: Side, of_policies: Sequence[str]) -> list[str]:
        """What is wrong with a side of a comparison, its policies' own problems among it."""
        match side:
            case BestOf(best_of=str() as tier):
                there_are = f"there are {', '.join(self.tiers)}"
                return [] if tier in self.tiers else [f"best_of names no tier {tier!r}; {there_are}"]
            case BestOf(best_of=policies):
                few = ["best_of needs a tier's name, or two or more policies to pick from"] if len(policies) < 2 else []
                return [*few, *(f"best_of: {problem}" for problem in of_policies)]
            case _:
                return list(of_policies)

    def candidates(self, side: Side) -> list[str]:
        """The policies of a side of a comparison, as declared: one, or those that the best is picked from."""
        match side:
            case BestOf(best_of=str() as tier):
                return self.tiers.get(tier, [])
            case BestOf(best_of=policies):
                return list(policies)
            case policy:
                return [policy]

    def by_domain_problems(self) -> list[str]:
        """The rules that ``by_domain`` breaks: a side picked in every domain anew would be no declared policy."""
        known = [name for name in dict.fromkeys(self.by_domain) if name in self.comparisons]
        picked = [name for name in known if self.comparisons[name].picked]
        return [
            *(f"{name!r} is not in analyze.comparisons" for name in dict.fromkeys(self.by_domain) if name not in known),
            *(f"{name!r} picks a side by best_of; name a comparison of one policy with another" for name in picked),
            *(f"{name!r} comes twice" for name in doubled(self.by_domain) if name in known),
        ]
