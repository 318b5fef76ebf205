"""The best of several policies, and what that does to a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from plancheck.reporting.results import SEEN, TEST, Results

PickKind = Literal["declared", "same_questions", "nested"]


@dataclass(frozen=True, slots=True)
class Pick:
    """How a policy came to be compared.

    ``declared``: there was nothing to choose. ``same_questions``: it is the best on the questions it is then compared
    on, so that the comparison flatters it. ``nested``: it is the best on train and dev and compared on test, which
    flatters nobody.

    Attributes:
        split: of the questions that are compared.
        candidates: how many policies it was picked from.
    """

    policy: str
    kind: PickKind
    split: str
    candidates: int


def best(results: Results, policies: Sequence[str], budget_chars: int, split: str) -> str:
    """The policy with most right answers on a split; a tie goes to the earlier.

    Raises:
        ValueError: there is no policy.
    """
    return max(policies, key=lambda policy: results.accuracy(policy, budget_chars, split))


def picks(results: Results, policies: Sequence[str], budget_chars: int, *, split: str) -> list[Pick]:
    """One declared policy as it is; of several, the best on the questions of ``split``, then the nested pick."""
    if len(policies) == 1:
        return [Pick(policies[0], "declared", split, 1)]
    return [
        Pick(best(results, policies, budget_chars, split), "same_questions", split, len(policies)),
        Pick(best(results, policies, budget_chars, SEEN), "nested", TEST, len(policies)),
    ]
