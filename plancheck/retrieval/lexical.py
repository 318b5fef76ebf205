"""BM25 over the atoms of one context (rank-bm25's Okapi)."""

import re
from collections.abc import Sequence

import numpy as np
from rank_bm25 import BM25Okapi

WORD = re.compile(r"[^\W_]+")


def tokens(text: str) -> list[str]:
    """Lower-case alphanumeric words, in order; letters and digits of every script, no underscore."""
    return WORD.findall(text.lower())


class LexicalIndex:
    """BM25 of the atoms of one context; k1 = 1.5, b = 0.75, epsilon = 0.25 (rank-bm25's defaults)."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = [tokens(text) for text in texts]
        # rank-bm25 divides by the corpus size and by the mean length, so a context without any word has no index.
        self._index = BM25Okapi(self._words) if any(self._words) else None

    def scores(self, query: str) -> np.ndarray:
        """A score for each atom, shape (n,), exactly as rank-bm25 gives it; zeros where no atom has a word."""
        if self._index is None:
            return np.zeros(len(self._words))
        return np.asarray(self._index.get_scores(tokens(query)), dtype=np.float64)
