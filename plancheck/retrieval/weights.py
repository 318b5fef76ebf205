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


def counted(variant: str, changes: Sequence[Change | None]) -> dict[str, str | int]:
    """The entry of reports/retrieve.json for BM25.

    Args:
        variant: of BM25.
        changes: a question each, None where every word weighs more than 0: such a question is not counted, although
            the weights above 0 differ a little between the variants.
    """
    concerned = [change for change in changes if change]
    return {
        "variant": variant,
        "questions": len(changes),
        "weight_0_or_below": len(concerned),
        "first_atom_differs": sum(change.first_atom for change in concerned),
        "first_five_differ": sum(change.first_five for change in concerned),
    }
