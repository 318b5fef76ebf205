"""Maximal marginal relevance over dense vectors (Carbonell and Goldstein, SIGIR 1998)."""

import numpy as np

from plancheck.retrieval.dense import DECIMALS
from plancheck.retrieval.ranking import Ranking


def maximal_marginal_relevance(relevance: np.ndarray, vectors: np.ndarray, *, trade_off: float) -> Ranking:
    """All atoms, each next one with the largest trade_off * relevance - (1 - trade_off) * similarity.

    Similarity is the largest cosine with an atom already taken (0 for the first). Equal values keep the earlier atom.

    Args:
        relevance: cosine of each atom with the query, shape (n,).
        vectors: one unit vector an atom, shape (n, d).
        trade_off: lambda, 0 (novelty alone) to 1 (relevance alone: the dense ranking).
    """
    n = len(relevance)
    if vectors.shape[0] != n:
        raise ValueError(f"{n} relevances but {vectors.shape[0]} vectors")
    nearest = np.zeros(n)
    left = np.ones(n, dtype=bool)
    order: list[int] = []
    doubles = vectors.astype(np.float64)
    for _ in range(n):
        value = np.round(trade_off * relevance - (1 - trade_off) * nearest, DECIMALS)
        best = int(np.argmax(np.where(left, value, -np.inf)))
        order.append(best)
        left[best] = False
        similarity = doubles @ doubles[best]
        nearest = similarity if len(order) == 1 else np.maximum(nearest, similarity)
    return tuple(order)
