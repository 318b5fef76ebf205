"""Percentile bootstrap intervals of a mean paired difference (Efron and Tibshirani, 1993, chapters 13 and 8)."""

import json
from collections.abc import Hashable, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from plancheck.statistics.proportions import Interval

DRAWS_AT_ONCE = 200_000  # what fits a processor's cache: twice as fast as ten times as many
FEW_DRAWS = 1_000_000  # up to which every draw is made: that takes no time worth saving
DRAWS_A_COUNT = 16  # counts are drawn where they are so many times fewer than draws: a binomial count costs more
MOST_TALLIED = 2_000_000  # draws whose tally is kept, 16 MB each


def paired_bootstrap(
    differences: ArrayLike,
    *,
    generator: np.random.Generator,
    confidence: float = 0.95,
    resamples: int = 10_000,
    clusters: Sequence[Hashable] | None = None,
) -> Interval:
    """The interval of the mean difference, in the unit of the differences.

    Questions are resampled with replacement; with ``clusters``, whole clusters are, since what is resampled must be
    independent, and the mean is over the questions of the clusters drawn.

    Up to a million draws these are the draws of scipy.stats.bootstrap. With more, and with few distinct differences,
    how often each is drawn is drawn instead: the distribution is the same, and it is many times faster.

    Args:
        differences: treatment minus control, a question each, at least 2, finite.
        generator: its state and the order of the questions determine the draws.
        confidence: between 0 and 1.
        resamples: at least 1.
        clusters: the cluster of each question, such as its context, at least 2 distinct ones; None: each its own.

    Raises:
        ValueError: fewer than 2 questions or clusters, a difference that is not finite, or lengths that differ.
    """
    values = np.asarray(differences, dtype=np.float64)
    sums, sizes = totals(values, clusters)
    means = _means(sums, sizes, generator, resamples)
    low, high = np.percentile(means, [50 * (1 - confidence), 50 * (1 + confidence)])
    return Interval(float(low), float(high))


def _means(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], generator: np.random.Generator, resamples: int
) -> NDArray[np.float64]:
    """The mean of each resample, in whichever way takes least time."""
    draws = len(sums) * resamples
    if draws > FEW_DRAWS:
        distinct, times = _alike(sums, sizes)
        if DRAWS_A_COUNT * len(times) <= len(sums):
            return _counted(distinct, times, generator, resamples)
    if draws <= MOST_TALLIED and (sums == np.rint(sums)).all() and isinstance(generator.bit_generator, np.random.PCG64):
        return _tallied(sums, sizes, generator, resamples)
    return _drawn(sums, sizes, generator, resamples)


def _tallied(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], generator: np.random.Generator, resamples: int
) -> NDArray[np.float64]:
    """What `_drawn` gives, to the last bit, of whole numbers: their sums are exact in any order.

    A study makes hundreds of comparisons from the same state of the generator; what was drawn from it is kept.
    """
    times, after = _tally(json.dumps(generator.bit_generator.state), len(sums), resamples)
    generator.bit_generator.state = json.loads(after)
    drawn: NDArray[np.float64] = times @ sums
    return drawn / (times @ sizes)


@lru_cache(maxsize=8)
def _tally(state: str, number: int, resamples: int) -> tuple[NDArray[np.float64], str]:
    """How often each resample (row) has each cluster (column), and the generator's state when all are drawn."""
    generator = np.random.default_rng()
    generator.bit_generator.state = json.loads(state)
    times = np.empty((resamples, number))
    at_once = max(1, DRAWS_AT_ONCE // number)
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        places = generator.integers(number, size=(rows, number)) + np.arange(rows)[:, None] * number
        times[start : start + rows] = np.bincount(places.ravel(), minlength=rows * number).reshape(rows, number)
    return times, json.dumps(generator.bit_generator.state)


def _drawn(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], generator: np.random.Generator, resamples: int
) -> NDArray[np.float64]:
    """The mean of each resample, every cluster of it drawn: what scipy.stats.bootstrap draws, in half its time."""
    number, alone = len(sums), bool((sizes == 1).all())  # then the sizes need not be looked up as well
    at_once = max(1, DRAWS_AT_ONCE // number)
    means = np.empty(resamples)
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        places = generator.integers(number, size=(rows, number))
        means[start : start + rows] = sums[places].sum(axis=1) / (number if alone else sizes[places].sum(axis=1))
    return means


def _alike(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The distinct pairs of sum and size, and how many clusters have each, in the order of the first such cluster.

    That order is the same with the arms swapped, so that the interval is then mirrored.
    """
    codes, _ = pd.factorize(sums)
    both, distinct = pd.factorize(codes * (int(sizes.max()) + 1) + sizes.astype(np.int64))
    first = np.empty(len(distinct), dtype=np.int64)
    first[both[::-1]] = np.arange(len(both))[::-1]
    return np.stack([sums[first], sizes[first]]), np.bincount(both)


def _counted(
    distinct: NDArray[np.float64], times: NDArray[np.int64], generator: np.random.Generator, resamples: int
) -> NDArray[np.float64]:
    """The mean of each resample, from how often it holds each of the distinct clusters.

    These counts are multinomial, and nothing else of a resample enters its mean.
    """
    number = int(times.sum())
    at_once = max(1, DRAWS_AT_ONCE // len(times))
    means = np.empty(resamples)
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        counts = generator.multinomial(number, times / number, size=rows)
        drawn, sizes = ((counts * of).sum(axis=1) for of in distinct)
        means[start : start + rows] = drawn / sizes
    return means


def totals(
    values: NDArray[np.float64], clusters: Sequence[Hashable] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum and size of each cluster, in the order of its first question; None: each question is its own.

    Errors as of ``paired_bootstrap``.
    """
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("differences must be one finite number a question")
    if clusters is None:
        sums, sizes = values, np.ones(len(values))
    else:
        if len(clusters) != len(values):
            raise ValueError(f"{len(clusters)} clusters given for {len(values)} differences")
        codes, _ = pd.factorize(pd.Series(list(clusters), dtype=object))
        sums, sizes = (np.bincount(codes, weights=of).astype(np.float64) for of in (values, None))
    if len(sums) < 2:
        raise ValueError(f"a bootstrap needs at least 2 independent questions or clusters, got {len(sums)}")
    return sums, sizes
