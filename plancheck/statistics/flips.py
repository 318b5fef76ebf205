"""The sign-flip test of a mean paired difference (Fisher's randomisation test; Good, 2005, section 3.2.1)."""

from collections.abc import Hashable, Sequence

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from plancheck.statistics.bootstrap import DRAWS_AT_ONCE, totals

ROUNDING = 1e-12  # of all differences together: sums that are nearer are the same


def sign_flip_test(
    differences: ArrayLike,
    *,
    generator: np.random.Generator,
    resamples: int = 10_000,
    clusters: Sequence[Hashable] | None = None,
) -> float:
    """Two-sided p of as large a mean difference, when the arms of each question could as well be swapped; above 0.

    Exact where all ways to swap are at most ``resamples``, else from that many drawn ones, with the one seen counted.
    p is twice the smaller one-sided p, as of scipy.stats.permutation_test. Without any difference it is 1. For
    differences of -1, 0 and 1 its exact form is the sign test.

    Args:
        differences: treatment minus control, a question each, at least 2, finite.
        generator: its state and the order of the questions determine the draws.
        resamples: at least 1.
        clusters: the cluster of each question, which are swapped as wholes; at least 2 distinct ones; None: each its
            own.

    Raises:
        ValueError: fewer than 2 questions or clusters, a difference that is not finite, or lengths that differ.
    """
    values = np.asarray(differences, dtype=np.float64)
    sums, _ = totals(values, clusters)
    moving = sums[sums != 0]  # a sum of 0 has no sign: without those the test is exact more often
    if len(moving) < 2:
        return 1.0
    if 2 ** len(moving) > resamples:
        return _drawn(moving, generator, resamples)
    found = scipy.stats.permutation_test(
        (moving,),
        _mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        alternative="two-sided",
    )
    return min(1.0, float(found.pvalue))


def _drawn(values: NDArray[np.float64], generator: np.random.Generator, resamples: int) -> float:
    """The test from drawn ways to swap, a bit a sign: SciPy draws them a hundred times slower."""
    seen, near = values.sum(), ROUNDING * np.abs(values).sum()
    sums = np.full(resamples, -seen)
    at_once = max(8, DRAWS_AT_ONCE // resamples // 8 * 8)
    for start in range(0, len(values), at_once):
        own = values[start : start + at_once]
        drawn = generator.integers(0, 256, (resamples, -(-len(own) // 8)), dtype=np.uint8)
        sums += 2 * (np.unpackbits(drawn, axis=1, count=len(own)).astype(np.float64) @ own)
    below, above = (1 + int(found.sum()) for found in (sums <= seen + near, sums >= seen - near))
    return min(1.0, 2 * min(below, above) / (resamples + 1))


def _mean(drawn: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = drawn.mean(axis=axis)
    return mean
