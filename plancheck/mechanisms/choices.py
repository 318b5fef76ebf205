"""What a planner chose, against what a ranking would have chosen."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from statistics import fmean

from plancheck.records import Atom, Span, is_span_id


def jaccard(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Size of the intersection over that of the union, 0 to 1; two empty sets are equal, so 1."""
    left, right = set(first), set(second)
    return len(left & right) / len(left | right) if left | right else 1.0


def overlap(first: Sequence[Atom], second: Sequence[Atom]) -> float:
    """The Jaccard index of two selections, 0 to 1: of their atoms; of their characters where either has other spans."""
    if any(is_span_id(item.atom_id) for item in (*first, *second)):
        return jaccard_of_chars(first, second)
    return jaccard([item.atom_id for item in first], [item.atom_id for item in second])


def chars_of(atoms: Sequence[Atom]) -> list[Span]:
    """The characters that atoms or spans cover, as spans that neither touch nor overlap, by position."""
    covered: list[Span] = []
    for atom in sorted(atoms, key=lambda atom: (atom.start, atom.end)):
        if covered and atom.start <= covered[-1].end:
            covered[-1] = Span(covered[-1].start, max(covered[-1].end, atom.end))
        else:
            covered.append(Span(atom.start, atom.end))
    return covered


def length(spans: Sequence[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def jaccard_of_chars(first: Sequence[Atom], second: Sequence[Atom]) -> float:
    """Characters of both over characters of either, 0 to 1; two empty selections are equal, so 1."""
    own, theirs, either = chars_of(first), chars_of(second), chars_of([*first, *second])
    if not either:
        return 1.0
    return (length(own) + length(theirs) - length(either)) / length(either)


def displacement(top: Collection[str], shown: Collection[str]) -> int | None:
    """How many of the reranker's first atoms the planner's packed context does not show, as published.

    Args:
        top: the reranker's first k atoms, fewer where the pool is smaller.
        shown: atoms in the planner policy's packed context, whole or cut.

    Returns:
        0 to k. It counts also what the budget has no room for, whoever chooses. None where ``top`` is empty.
    """
    return len(set(top) - set(shown)) if top else None


def displacement_from_control(
    top: Collection[str], shown: Collection[str], shown_by_control: Collection[str]
) -> float | None:
    """The share of the reranker's first atoms that the control shows and the planner's packed context does not.

    Args:
        top: the reranker's first k atoms, fewer where the pool is smaller.
        shown: atoms in the planner policy's packed context, whole or cut.
        shown_by_control: atoms in the control's packed context at the same budget, whole or cut.

    Returns:
        0 to 1. What the control itself does not show, for lack of room or by another order than the reranker's, is not
        displaced. None where ``top`` is empty.
    """
    if not top:
        return None
    return len((set(top) & set(shown_by_control)) - set(shown)) / len(set(top))


def mean_rank(selected: Collection[str], ranks: Mapping[str, int]) -> float | None:
    """The mean rank of the selected atoms, 1 = best; those without a rank do not count. None where none has one."""
    known = [ranks[atom_id] for atom_id in selected if atom_id in ranks]
    return fmean(known) if known else None
