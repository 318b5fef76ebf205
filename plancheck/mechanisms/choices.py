"""What a planner chose, against what a ranking would have chosen."""

from collections.abc import Collection, Hashable, Mapping
from statistics import fmean


def jaccard(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """Size of the intersection over that of the union, 0 to 1; two empty sets are equal, so 1."""
    left, right = set(first), set(second)
    return len(left & right) / len(left | right) if left | right else 1.0


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
