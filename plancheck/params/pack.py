"""Section pack: the policies and the budgets, which together are the conditions."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from plancheck.params.planning import HARNESS_SELECTORS, Selector
from plancheck.params.rankings import Weights
from plancheck.params.section import Name, Section

Spans = Literal["head", "head_tail"]
SPANS: Final[tuple[Spans, ...]] = ("head", "head_tail")
NO_ATOMS: Final = ("none", *SPANS)  # fills that order no atoms, so that no ranking can be called so


class Anchors(Section):
    """The first ``atoms`` of a ranking are packed before the fill."""

    ranking: Name
    atoms: PositiveInt


class Policy(Section):
    """What a plan selects comes first, then the anchors, then the fill.

    ``fill`` is one of section rankings, or a reciprocal-rank fusion of them as weight by ranking, with k = 60; or spans
    of the context, its head or head and tail; "none" with a selector is the plan alone. ``order`` is the order in which
    the selected atoms are packed, the selector's own or that of the hybrid ranking: where they do not all fit the
    budget, it decides which of them are shown. ``shown_order`` is the order in which what fits is shown, the packing
    order or that of the hybrid ranking: it decides nothing else.
    """

    selector: Selector | None = None
    order: Literal["selected", "hybrid"] = "selected"
    shown_order: Literal["packed", "hybrid"] = "packed"
    fill: Name | Weights
    anchors: Anchors | None = None

    @model_validator(mode="after")
    def anchored_on_atoms(self) -> Self:
        if not self.fill:
            raise ValueError("a fusion needs at least one ranking")
        if self.anchors and self.fill in NO_ATOMS:
            raise ValueError(f"anchors make no sense before fill {self.fill!r}")
        if self.selector and self.fill in SPANS:
            raise ValueError(f"a plan makes no sense before fill {self.fill!r}, which shows spans and no atoms")
        if self.order == "hybrid" and not self.selector:
            raise ValueError("order 'hybrid' orders what a selector names; give a selector, or leave order out")
        if self.shown_order == "hybrid" and not self.packs_atoms:
            raise ValueError(
                f"shown_order 'hybrid' orders atoms that fit, and fill {self.fill!r} without a selector packs none; "
                "leave it out"
            )
        return self

    @property
    def rankings(self) -> tuple[str, ...]:
        """The names of the rankings it uses, each once."""
        fill = tuple(self.fill) if isinstance(self.fill, dict) else () if self.fill in NO_ATOMS else (self.fill,)
        anchors = (self.anchors.ranking,) if self.anchors else ()
        hybrid = ("hybrid",) if "hybrid" in (self.order, self.shown_order) else ()
        return tuple(dict.fromkeys((*fill, *anchors, *hybrid)))

    @property
    def packs_atoms(self) -> bool:
        """Whether it shows atoms in an order, and not spans of the context or nothing."""
        return self.selector is not None or self.fill not in NO_ATOMS


def twins(policies: Mapping[str, Policy], having: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """By policy that has some values, the first that has the other values and equals it else; without one, none."""
    found: dict[str, str] = {}
    for name, policy in policies.items():
        if any(getattr(policy, field) != value for field, value in having.items()):
            continue
        wanted = policy.model_copy(update=dict(other))
        twin = next((candidate for candidate in policies if policies[candidate] == wanted), None)
        if twin is not None:
            found[name] = twin
    return found


class Pack(Section):
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
