"""Percentile bootstrap intervals of a mean paired difference (Efron and Tibshirani, 1993, chapters 13 and 8)."""

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from plancheck.statistics.proportions import Interval

DRAWS_AT_ONCE = 200_000  # what fits a processor's cache: twice as fast as ten times as many


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
    sums, sizes = totals(values, range(len(values)) if clusters is None else clusters)
    alone = bool((sizes == 1).all())  # then the sizes need not be drawn as well
    found = scipy.stats.bootstrap(
        (sums,) if alone else (sums, sizes),
        np.mean if alone else _ratio,
        paired=not alone,
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, DRAWS_AT_ONCE // len(sums)),
        confidence_level=confidence,
        method="percentile",
        rng=generator,
    ).confidence_interval
    return Interval(float(found.low), float(found.high))


def _ratio(drawn: NDArray[np.float64], counts: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    ratio: NDArray[np.float64] = drawn.sum(axis=axis) / counts.sum(axis=axis)
    return ratio


def totals(
    values: NDArray[np.float64], clusters: Sequence[Hashable]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum and size of each cluster, in the order of its first question; errors as of ``paired_bootstrap``."""
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("differences must be one finite number a question")
    if len(clusters) != len(values):
        raise ValueError(f"{len(clusters)} clusters given for {len(values)} differences")
    codes, distinct = pd.factorize(pd.Series(list(clusters), dtype=object))
    if len(distinct) < 2:
        raise ValueError(f"a bootstrap needs at least 2 independent questions or clusters, got {len(distinct)}")
    sums: NDArray[np.float64] = np.bincount(codes, weights=values).astype(np.float64)
    return sums, np.bincount(codes).astype(np.float64)
