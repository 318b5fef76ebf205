"""What weights of 0 or below, as Okapi's, change in the BM25 ranking of a question's atoms."""

from collections.abc import Sequence
from dataclasses import dataclass

from plancheck.retrieval.ranking import Ranking

FIRST = 5


@dataclass(frozen=True, slots=True)
class Change:
    """Whether a ranking's first atom, and the set of its first five atoms, differ from a reference's."""

    first_atom: bool
    first_five: bool


def changed(ranking: Ranking, reference: Ranking) -> Change:
    """Compare two rankings of the same atoms; with no atom nothing differs.

    Raises:
        ValueError: they do not rank the same atoms.
    """
    if sorted(ranking) != sorted(reference):
        raise ValueError("rankings must be of the same atoms")
    return Change(ranking[:1] != reference[:1], set(ranking[:FIRST]) != set(reference[:FIRST]))


def counted(variant: str, changes: Sequence[Change]) -> dict[str, str | int]:
    """The entry of reports/retrieve.json for BM25: questions in which zero or negative weights change the ranking."""
    return {
        "variant": variant,
        "questions": len(changes),
        "first_atom_differs": sum(change.first_atom for change in changes),
        "first_five_differ": sum(change.first_five for change in changes),
    }
