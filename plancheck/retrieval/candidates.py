"""The candidate pool: the atoms that planner and reranker choose among."""

from collections.abc import Sequence

from plancheck.retrieval.ranking import Ranking


def candidate_pool(rankings: Sequence[Ranking], *, size: int) -> tuple[int, ...]:
    """Up to ``size`` distinct atoms, taken in turn from the top of rankings of the same atoms, the first leading.

    Returns:
        Positions in the order taken; all atoms when there are no more than ``size``.
    """
    taken: dict[int, None] = {}
    for row in zip(*rankings, strict=True):
        for position in row:
            if len(taken) == size:
                return tuple(taken)
            taken.setdefault(position)
    return tuple(taken)
