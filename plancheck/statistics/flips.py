"""The sign-flip test of a mean paired difference (Fisher's randomisation test; Good, 2005, section 3.2.1)."""

from collections.abc import Hashable, Sequence

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from plancheck.statistics.bootstrap import DRAWS_AT_ONCE, totals


def sign_flip_test(
    differences: ArrayLike,
    *,
    generator: np.random.Generator,
    resamples: int = 10_000,
    clusters: Sequence[Hashable] | None = None,
) -> float:
    """Two-sided p of as large a mean difference, when the arms of each question could as well be swapped; above 0.

    Exact where all ways to swap are at most ``resamples``, else from that many drawn ones, with the one seen counted.
    Without any difference p is 1. For differences of -1, 0 and 1 its exact form is the sign test.

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
    found = scipy.stats.permutation_test(
        (moving,),
        _mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, DRAWS_AT_ONCE // len(moving)),
        alternative="two-sided",
        rng=generator,
    )
    return min(1.0, float(found.pvalue))


def _mean(drawn: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = drawn.mean(axis=axis)
    return mean
