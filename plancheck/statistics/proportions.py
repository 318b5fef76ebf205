"""Intervals of a proportion."""

from dataclasses import dataclass
from functools import cache

import scipy


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of a confidence interval, in the unit of what it bounds; of a proportion, 0 to 1."""

    low: float
    high: float


@cache  # a study's tables ask for the same few counts over and over
def wilson(successes: int, trials: int, *, confidence: float) -> Interval:
    """Wilson's score interval without continuity correction (Wilson, JASA 1927), as scipy computes it.

    Args:
        successes: 0 to ``trials``.
        trials: at least 1.
        confidence: between 0 and 1, such as 0.95.

    Raises:
        ValueError: a value is outside its range.
    """
    if trials < 1:
        raise ValueError(f"trials must be at least 1, got {trials}")
    bounds = scipy.stats.binomtest(successes, trials).proportion_ci(confidence_level=confidence, method="wilson")
    return Interval(float(bounds.low), float(bounds.high))
