"""How alike two sets of shingles are: exactly, and estimated from a sample of each.

The sample of a set is its shingles whose number is below a bound, the same for all sets (FracMinHash: Irber and
others, 2022, https://doi.org/10.1101/2022.01.11.475838). Unlike the minima of MinHash, whose number is fixed, it tells
a short text that lies in a long one as well. Every pair of samples is compared, so no index can miss one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from plancheck.leakage.shingles import Shingles

ERRORS: Final = 4  # standard errors that an estimate may lie below a threshold and still be looked at exactly


@dataclass(frozen=True, slots=True)
class Likeness:
    """Of two sets: ``jaccard`` is what they share of their union, ``containment`` of the smaller of them; 0 to 1.

    Both are 0 where a set is empty.
    """

    jaccard: float
    containment: float

    def reaches(self, thresholds: "Likeness") -> bool:
        """Whether either is at least its threshold."""
        return self.jaccard >= thresholds.jaccard or self.containment >= thresholds.containment


@dataclass(frozen=True, slots=True)
class Row:
    """A set, by its place, against each that follows: as in Likeness, and the sizes of the smaller and the union."""

    left: int
    jaccard: NDArray[np.float64]
    containment: NDArray[np.float64]
    smaller: NDArray[np.int64]
    union: NDArray[np.int64]

    def pairs(self, chosen: NDArray[np.bool_]) -> Iterator[tuple[int, int, Likeness]]:
        """Places and likeness of those pairs that are chosen."""
        for place in np.flatnonzero(chosen):
            found = Likeness(float(self.jaccard[place]), float(self.containment[place]))
            yield self.left, self.left + 1 + int(place), found


def rows(sets: Sequence[Shingles]) -> Iterator[Row]:
    """Every set against those after it, exactly.

    Time grows with the pairs of sets that a shingle lies in, memory with all sets together.
    """
    sizes = np.array([len(one) for one in sets], np.int64)
    if not sizes.sum():
        return
    _, columns = np.unique(np.concatenate(list(sets)), return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    held = csr_array((np.ones(len(columns), np.int32), columns, starts), shape=(len(sizes), int(columns.max()) + 1))
    holders = held.T.tocsr()
    for left, size in enumerate(sizes):
        common = (held[[left]] @ holders).toarray()[0][left + 1 :]
        others = sizes[left + 1 :]
        smaller, union = np.minimum(size, others), size + others - common
        yield Row(left, common / np.maximum(union, 1), common / np.maximum(smaller, 1), smaller, union)


def candidates(samples: Sequence[Shingles], thresholds: Likeness) -> Iterator[tuple[int, int, Likeness]]:
    """The pairs of sets that may be as alike as that, by the place of their samples, and what the samples say.

    The estimate is below the threshold by four standard errors at most. That of a share of n shingles is
    1 / (2 sqrt(n)) or less, so of 100 it is 0.05, and a pair that reaches a threshold is missed once in 30,000 times.
    """
    for row in rows(samples):
        jaccard = row.jaccard + slack(row.union) >= thresholds.jaccard
        yield from row.pairs(jaccard | (row.containment + slack(row.smaller) >= thresholds.containment))


def slack(shingles: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far an estimate from so many shingles may be off; 2 or more, beyond any share, from one or none."""
    return ERRORS / (2 * np.sqrt(np.maximum(shingles, 1)))


def likeness(one: Shingles, other: Shingles) -> Likeness:
    """Exactly, from all shingles of both, each ascending and distinct."""
    common = len(np.intersect1d(one, other, assume_unique=True))
    return of_counts(common, len(one), len(other))


def of_counts(common: int, one: int, other: int) -> Likeness:
    """From the sizes of two sets and of what they share."""
    if not (one and other):
        return Likeness(0.0, 0.0)
    return Likeness(common / (one + other - common), common / min(one, other))


def sample(shingles: Shingles, one_in: int) -> Shingles:
    """The shingles that stand for the set: about one in so many, in their order; with 1, all of them."""
    # A copy, for a view of a sorted array would keep the whole.
    return shingles[shingles <= np.uint64((2**64 - 1) // one_in)].copy()
