"""Rankings: the positions of n atoms, best first, each once."""

from collections.abc import Sequence

import numpy as np

Ranking = tuple[int, ...]


def by_score(scores: Sequence[float] | np.ndarray) -> Ranking:
    """Positions by score, largest first; equal scores keep the earlier atom. Empty for no scores.

    Raises:
        ValueError: a score is not a number.
    """
    values = np.asarray(scores, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError(f"scores hold NaN at {np.flatnonzero(np.isnan(values)).tolist()[:5]}")
    return tuple(int(position) for position in np.argsort(-values, kind="stable"))


def ranks(ranking: Ranking) -> list[int]:
    """The rank (1 = best) of each position: the inverse of a ranking."""
    found = [0] * len(ranking)
    for rank, position in enumerate(ranking, start=1):
        found[position] = rank
    return found
