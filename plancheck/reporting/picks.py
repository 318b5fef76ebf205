"""The best of several policies, and what that does to a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from plancheck.reporting.results import SEEN, TEST, Results

PickKind = Literal["declared", "same_questions", "nested"]
PICKS: Final = (
    "Pick declared: there was nothing to pick; same_questions: the best of each side on the questions that are then "
    "compared; nested: the best on train and dev, compared on test. Split all is partly transductive: trained planners "
    "learned from train and dev questions."
)


@dataclass(frozen=True, slots=True)
class Picking:
    """On which questions the sides of a comparison are picked, and on which they are then compared.

    ``declared``: there is nothing to choose. ``same_questions``: the best is picked on the questions that are compared,
    which flatters the side with more candidates. ``nested``: it is picked on train and dev and compared on test, which
    flatters no control; a trained planner is then picked on questions that it learned from.
    """

    kind: PickKind
    seen: str
    split: str


@dataclass(frozen=True, slots=True)
class Pick:
    """How a policy came to be compared.

    Attributes:
        kind: see Picking.
        split: of the questions that are compared.
        candidates: how many policies it was picked from.
    """

    policy: str
    kind: PickKind
    split: str
    candidates: int


def pickings(split: str, *, picked: bool) -> list[Picking]:
    """How sides are compared on ``split``: as declared, or where one is picked, on the same questions and nested."""
    if not picked:
        return [Picking("declared", split, split)]
    return [Picking("same_questions", split, split), Picking("nested", SEEN, TEST)]


def best(results: Results, policies: Sequence[str], budget_chars: int, split: str) -> str:
    """The policy with most right answers on a split; a tie goes to the earlier.

    Raises:
        ValueError: there is no policy.
    """
    return max(policies, key=lambda policy: results.accuracy(policy, budget_chars, split))


def picks(results: Results, policies: Sequence[str], budget_chars: int, *, split: str) -> list[Pick]:
    """One declared policy as it is; of several, the best on the questions of ``split``, then the nested pick."""
    return [
        Pick(best(results, policies, budget_chars, picking.seen), picking.kind, picking.split, len(policies))
        for picking in pickings(split, picked=len(policies) > 1)
    ]
