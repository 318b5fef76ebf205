"""BM25 over the atoms of one context, from rank-bm25."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np
from rank_bm25 import BM25, BM25L, BM25Okapi, BM25Plus

from plancheck.params.rankings import Variant


class Counted(BM25):  # type: ignore[misc]  # rank-bm25 has no types
    """Counts words in C: twice as fast. Their order, in which rank-bm25 sums weights, is its own: first come, first."""

    def _initialize(self, atoms: Sequence[Sequence[str]]) -> Mapping[str, int]:
        """The number of atoms that have each word."""
        self.doc_len = list(map(len, atoms))
        self.doc_freqs = list(map(Counter, atoms))
        self.corpus_size = len(atoms)
        self.avgdl = sum(self.doc_len) / self.corpus_size
        return Counter(chain.from_iterable(self.doc_freqs))


class Okapi(Counted, BM25Okapi):  # type: ignore[misc]
    """rank-bm25's usual variant."""


class Plus(Counted, BM25Plus):  # type: ignore[misc]
    """rank-bm25's BM25+."""


class L(Counted, BM25L):  # type: ignore[misc]
    """rank-bm25's BM25L."""


class Lucene(Counted, BM25Okapi):  # type: ignore[misc]
    """Okapi with Lucene's weight of a word, log(1 + (N - n + 0.5) / (n + 0.5)), which is always above 0."""

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        for word, count in nd.items():
            self.idf[word] = math.log(1 + (self.corpus_size - count + 0.5) / (count + 0.5))


VARIANTS: Final[Mapping[Variant, type[BM25]]] = {"okapi": Okapi, "plus": Plus, "l": L, "lucene": Lucene}


class LexicalIndex:
    """BM25 of the atoms of one context; other constants than k1 and b are those that rank-bm25 sets.

    Args:
        atoms: the words of each atom, see `plancheck.retrieval.words`.
        k1: 0 or more; larger lets a word that comes again count for more.
        b: 0 to 1; larger counts words of long atoms for less.
        variant: how a word is weighted. "okapi" gives 0 to a word in half of the atoms; one in more has a quarter of
            the mean weight, which in few atoms is below 0. The others' weights are above 0. "plus" adds a constant to
            all atoms alike for each word of the query.
    """

    def __init__(self, atoms: Sequence[Sequence[str]], *, variant: Variant, k1: float = 1.5, b: float = 0.75) -> None:
        self._size = len(atoms)
        # rank-bm25 divides by the corpus size and by the mean length, so a context without any word has no index.
        self._index = VARIANTS[variant](atoms, k1=k1, b=b) if any(atoms) else None

    def scores(self, query: Sequence[str]) -> np.ndarray:
        """A score for each atom, shape (n,), exactly as rank-bm25 gives it; zeros where no atom has a word.

        A word that stands twice in the query counts twice.
        """
        if self._index is None:
            return np.zeros(self._size)
        return np.asarray(self._index.get_scores(query), dtype=np.float64)

    def lowest_weight(self, query: Sequence[str]) -> float:
        """The smallest weight of a word of the query that some atom has; infinity when none has one."""
        weights = self._index.idf if self._index else {}
        return min((weights[word] for word in query if word in weights), default=math.inf)
