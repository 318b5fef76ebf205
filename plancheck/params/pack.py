"""Section pack: the policies and the budgets, which together are the conditions."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, PositiveInt, ValidationError, model_validator

from plancheck.params.rankings import Weights
from plancheck.params.section import Name, Section
from plancheck.params.selectors import RankingSelector, Selector, harness
from plancheck.plumbing.errors import doubled

Spans = Literal["head", "head_tail"]
SPANS: Final[tuple[Spans, ...]] = ("head", "head_tail")
NO_ATOMS: Final = ("none", *SPANS)  # fills that order no atoms, so that no ranking can be called so
OWN_ORDER, PACKING_ORDER = "selected", "packed"  # orders that are no ranking's


class Anchors(Section):
    """The first ``atoms`` of a ranking are packed before the fill."""

    ranking: Name
    atoms: PositiveInt


class Packing(Section):
    """How atoms are packed behind those that a selector names, or alone: the anchors first, then the fill.

    ``fill`` is one of section rankings, or a reciprocal-rank fusion of them as weight by ranking, with k = 60; or spans
    of the context, its head or head and tail; "none" shows nothing more. ``order`` is the order in which the selected
    atoms are packed, the selector's own ("selected") or that of a ranking: where they do not all fit the budget, it
    decides which of them are shown. ``shown_order`` is the order in which what fits is shown, the packing order
    ("packed") or that of a ranking: it decides nothing else. A name in the place of a packing is its fill alone.
    """

    order: Name = OWN_ORDER
    shown_order: Name = PACKING_ORDER
    fill: Name | Weights
    anchors: Anchors | None = None

    @model_validator(mode="before")
    @classmethod
    def of_a_fill(cls, value: Any) -> Any:
        return {"fill": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def anchored_on_atoms(self) -> Self:
        if not self.fill:
            raise ValueError("a fusion needs at least one ranking")
        if self.anchors and self.fill in NO_ATOMS:
            raise ValueError(f"anchors make no sense before fill {self.fill!r}")
        return self


class Policy(Packing):
    """A packing behind a selector's plan, or alone. What the plan names comes first."""

    selector: Name | None = None

    @model_validator(mode="after")
    def has_what_it_orders(self) -> Self:
        if self.selector and self.fill in SPANS:
            raise ValueError(f"a plan makes no sense before fill {self.fill!r}, which shows spans and no atoms")
        if self.order != OWN_ORDER and not self.selector:
            raise ValueError(f"order {self.order!r} orders what a selector names; give a selector, or leave order out")
        if self.shown_order != PACKING_ORDER and not self.packs_atoms:
            raise ValueError(
                f"shown_order {self.shown_order!r} orders atoms that fit, and fill {self.fill!r} without a selector "
                "packs none; leave it out"
            )
        return self

    @property
    def rankings(self) -> tuple[str, ...]:
        """The names of the rankings it uses, each once."""
        fill = tuple(self.fill) if isinstance(self.fill, dict) else () if self.fill in NO_ATOMS else (self.fill,)
        anchors = (self.anchors.ranking,) if self.anchors else ()
        orders = (name for name in (self.order, self.shown_order) if name not in (OWN_ORDER, PACKING_ORDER))
        return tuple(dict.fromkeys((*fill, *anchors, *orders)))

    @property
    def packs_atoms(self) -> bool:
        """Whether it shows atoms in an order, and not spans of the context or nothing."""
        return self.selector is not None or self.fill not in NO_ATOMS


class Grid(Section):
    """Policies SELECTOR+PACKING: every selector before every packing, selectors first in the order given."""

    selectors: Annotated[list[Name], Field(min_length=1)]
    packings: Annotated[list[Name], Field(min_length=1)] = Field(
        description="names in pack.packings, or of policies without a selector"
    )


def twins(policies: Mapping[str, Policy], chosen: Callable[[Policy], bool], other: Mapping[str, str]) -> dict[str, str]:
    """By policy that is chosen, the first that has the other values and equals it else; without one, none."""
    found: dict[str, str] = {}
    for name, policy in policies.items():
        if not chosen(policy):
            continue
        wanted = policy.model_copy(update=dict(other))
        twin = next((candidate for candidate in policies if policies[candidate] == wanted), None)
        if twin is not None:
            found[name] = twin
    return found


def planners(policies: Mapping[str, Policy], selectors: Mapping[str, Selector]) -> dict[str, str]:
    """By planner policy its selector, as declared. A ranking that poses as a plan makes no planner."""
    return {
        name: policy.selector
        for name, policy in policies.items()
        if policy.selector and not isinstance(selectors.get(policy.selector), RankingSelector)
    }


def deployable(policies: Mapping[str, Policy], selectors: Mapping[str, Selector]) -> tuple[str, ...]:
    """Policies as declared, but for those of the harness's own selectors."""
    own = harness(selectors)
    return tuple(name for name, policy in policies.items() if policy.selector not in own)


def packed_tiers(tiers: Mapping[str, Sequence[str]], policies: Collection[str]) -> dict[str, list[str]]:
    """The tiers' controls that are policies of the study, which routers choose among; no tier without one."""
    found = {tier: [name for name in members if name in policies] for tier, members in tiers.items()}
    return {tier: members for tier, members in found.items() if members}


class Pack(Section):
    """What is shown: budgets, and policies one by one (``policies`` in the file) and as grids.

    ``packings`` are those that are used behind a selector alone.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    budgets_chars: Annotated[list[PositiveInt], Field(min_length=1)]
    overflow: Literal["cut", "skip", "stop"]
    merge_overlaps: bool
    singles: dict[Name, Policy] = Field(alias="policies")
    packings: dict[Name, Packing] = Field(default_factory=dict)
    grids: dict[Name, Grid] = Field(default_factory=dict)

    @model_validator(mode="after")
    def distinct(self) -> Self:
        if len(set(self.budgets_chars)) != len(self.budgets_chars):
            raise ValueError("budgets_chars holds a budget twice")
        problems = [f"packings: {name!r} is a policy too" for name in self.packings if name in self.singles]
        for name, grid in self.grids.items():
            unknown = [packing for packing in grid.packings if packing not in self.behind_a_selector]
            problems += [
                f"grids.{name}: {packing!r} is neither in packings nor a policy without a selector"
                for packing in dict.fromkeys(unknown)
            ]
        if problems:
            raise ValueError("; ".join(problems))
        if twice := doubled([*self.singles, *(name for name, _, _ in self.cells)]):
            raise ValueError(f"{', '.join(map(repr, twice))}: declared twice, in grids or policies")
        if not self.policies:
            raise ValueError("policies is empty")
        return self

    @property
    def behind_a_selector(self) -> dict[str, Packing]:
        """What a grid can put behind a selector, by name."""
        return self.packings | {name: policy for name, policy in self.singles.items() if not policy.selector}

    @property
    def cells(self) -> list[tuple[str, str, Packing]]:
        """Name, selector and packing of every cell of the grids, in order."""
        return [
            (f"{selector}+{packing}", selector, self.behind_a_selector[packing])
            for grid in self.grids.values()
            for selector in grid.selectors
            for packing in grid.packings
        ]

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """Every policy by name: those declared one by one, then the grids' cells, in the order declared.

        Raises:
            ValueError: a cell is no policy, such as a plan before spans.
        """
        made = dict(self.singles)
        for name, selector, packing in self.cells:
            try:
                made[name] = Policy(**{**dict(packing), "selector": selector})
            except ValidationError as error:
                rule = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
                raise ValueError(f"grids: {name}: {rule}") from error
        return made
