"""Section pack: the policies and the budgets, which together are the conditions."""

from typing import Annotated, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from plancheck.params.planning import HARNESS_SELECTORS, Selector
from plancheck.params.section import Name, Section, Seed

Ranking = Literal["none", "head", "head_tail", "random", "bm25", "dense", "mmr", "rerank", "rerank_tuned"]
Fusable = Literal["bm25", "dense", "rerank"]


class Anchors(Section):
    """The first ``atoms`` of a ranking are packed before the fill."""

    ranking: Literal["bm25", "dense", "rerank"]
    atoms: PositiveInt


class Policy(Section):
    """What a plan selects comes first, then the anchors, then the fill.

    ``fill`` is one ranking, or a reciprocal-rank fusion as weight by ranking; "none" with a selector is the plan
    alone. ``order`` is the order of the selected atoms: the selector's own, or that of the hybrid ranking.
    """

    selector: Selector | None = None
    order: Literal["selected", "hybrid"] = "selected"
    fill: Ranking | dict[Fusable, Annotated[float, Field(gt=0)] | PositiveInt]
    anchors: Anchors | None = None

    @model_validator(mode="after")
    def anchored_on_atoms(self) -> Self:
        if isinstance(self.fill, dict) and not self.fill:
            raise ValueError("a fusion needs at least one ranking")
        if self.anchors and self.fill in ("none", "head", "head_tail"):
            raise ValueError(f"anchors make no sense before fill {self.fill!r}")
        if self.selector and self.fill in ("head", "head_tail"):
            raise ValueError(f"a plan makes no sense before fill {self.fill!r}, which shows spans and no atoms")
        if self.order == "hybrid" and not self.selector:
            raise ValueError("order 'hybrid' orders what a selector names; give a selector, or leave order out")
        return self


class Pack(Section):
    seed: Seed
    budgets_chars: Annotated[list[PositiveInt], Field(min_length=1)]
    overflow: Literal["cut", "skip", "stop"]
    merge_overlaps: bool
    policies: dict[Name, Policy]

    @model_validator(mode="after")
    def distinct(self) -> Self:
        if len(set(self.budgets_chars)) != len(self.budgets_chars):
            raise ValueError("budgets_chars holds a budget twice")
        if not self.policies:
            raise ValueError("policies is empty")
        return self

    @property
    def deployable(self) -> tuple[str, ...]:
        """Policies as declared, but for those of the harness's own selectors."""
        return tuple(name for name, policy in self.policies.items() if policy.selector not in HARNESS_SELECTORS)
