"""A declared comparison: its two sides, the budgets it is made at, and the family of its tests."""

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field, PositiveInt

from plancheck.params.section import Name, Section

Budget = PositiveInt | Literal["largest", "smallest", "smaller"]
OTHER: Final = "other"  # the family of comparisons that name none


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
    """A paired comparison written down before its result is seen, once for each budget that ``budget_chars`` means."""

    treatment: Side
    control: Side
    budget_chars: Budget = "largest"
    split: Literal["all", "test"] = "all"
    family: Name = Field(default=OTHER, description="p is adjusted over the comparisons of a family")

    @property
    def picked(self) -> bool:
        """Whether a side is the best of several policies."""
        return isinstance(self.treatment, BestOf) or isinstance(self.control, BestOf)
