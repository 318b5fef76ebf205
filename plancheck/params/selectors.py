"""Section selectors: what names the atoms that a policy shows first, by a name of one's own."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from plancheck.params.section import FilePath, Name, Section

PLANNER: Final = "planner"  # the role whose adapters stage train makes
TRAINED: Final = ("last", "early")  # what selectors call them


class PlannerSelector(Section):
    """A causal model that is shown the candidates and names some of them."""

    kind: Literal["planner"]
    model: Name = Field(default=PLANNER, description="role of the model")
    adapter: Literal["last", "early"] | Name | None = Field(
        default=None,
        description="LoRA adapter: that of stage train's last or early step, or a role of models, whose source is a "
        "folder or a hub repository; null is the model as it is",
    )

    @model_validator(mode="after")
    def learned_by_its_model(self) -> Self:
        if self.adapter in TRAINED and self.model != PLANNER:
            raise ValueError(
                f"adapter {self.adapter!r} is trained for models.{PLANNER}, and model is {self.model!r}; leave model "
                "out, or name an adapter of that model"
            )
        return self

    @property
    def roles(self) -> dict[str, str]:
        """By field the role of models that it names."""
        return {"model": self.model} | ({} if self.adapter in (None, *TRAINED) else {"adapter": str(self.adapter)})


class PlansSelector(Section):
    """Plans of one's own: a JSON Lines file, see `plancheck.given.plans`."""

    kind: Literal["plans"]
    path: FilePath


class RankingSelector(Section):
    """The first atoms of a ranking posing as a plan: the control that a planner with the same fill must beat."""

    kind: Literal["ranking"]
    ranking: Name
    atoms: PositiveInt


class HarnessSelector(Section):
    """What calibrates the eye: the known evidence, that evidence with probability one half, or atoms at random."""

    kind: Literal["evidence", "evidence_half", "random"]


Selector = Annotated[PlannerSelector | PlansSelector | RankingSelector | HarnessSelector, Field(discriminator="kind")]
NEED_EVIDENCE: Final = ("evidence", "evidence_half")


def harness(selectors: Mapping[str, Selector]) -> tuple[str, ...]:
    """The harness's own selectors, in the order declared: they know the evidence, or nothing at all."""
    return tuple(name for name, selector in selectors.items() if isinstance(selector, HarnessSelector))


def trained(selectors: Mapping[str, Selector], adapter: Literal["last", "early"]) -> str | None:
    """The first selector with that adapter of this study, or None."""
    return first(name for name, found in selectors.items() if getattr(found, "adapter", None) == adapter)


def planner_roles(selectors: Mapping[str, Selector]) -> dict[str, str]:
    """The role of models that each field of a planner names, by the field's place."""
    return {
        f"selectors.{name}.{field}": role
        for name, found in selectors.items()
        if isinstance(found, PlannerSelector)
        for field, role in found.roles.items()
    }


def adapter_roles(selectors: Mapping[str, Selector]) -> set[str]:
    """The roles of models that are adapters."""
    return {role for place, role in planner_roles(selectors).items() if place.endswith(".adapter")}


def plan_files(selectors: Mapping[str, Selector]) -> dict[str, Path]:
    """The file of each selector of kind plans, by selector as declared."""
    return {name: found.path for name, found in selectors.items() if isinstance(found, PlansSelector)}


def of_kind(selectors: Mapping[str, Selector], kind: str) -> str | None:
    """The first selector of that kind, or None."""
    return first(name for name, found in selectors.items() if found.kind == kind)


def first(names: Iterable[str]) -> str | None:
    return next(iter(names), None)
