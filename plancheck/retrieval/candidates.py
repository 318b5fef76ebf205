"""The candidate pool: the atoms that planner and reranker choose among."""

from plancheck.retrieval.ranking import Ranking


def candidate_pool(first: Ranking, second: Ranking, *, size: int) -> tuple[int, ...]:
    """Up to ``size`` distinct atoms, taken in turn from the top of two rankings, ``first`` leading.

    Returns:
        Positions in the order taken; all atoms when there are no more than ``size``.
    """
    taken: dict[int, None] = {}
    for pair in zip(first, second, strict=True):
        for position in pair:
            if len(taken) == size:
                return tuple(taken)
            taken.setdefault(position)
    return tuple(taken)
