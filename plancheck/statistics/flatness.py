"""How flat a list of scores is: four statistics that no shift or scaling of the scores changes.

BM25 scores, cosines and cross-encoder logits have different zeros and units, and some are negative, so every statistic
is of the min-max shares ``x = (score - min) / (max - min)``, which lie from 0 to 1. Equal scores have no such shares
and are as flat as can be: entropy 1, the others 0. So is a single score.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy


@dataclass(frozen=True, slots=True)
class Flatness:
    """Four statistics of n scores, none with a unit.

    Attributes:
        normalised_entropy: -sum p ln p / ln n with p = x / sum x, 0 to 1; 1 is flat (only equal scores reach it, as the
            least score has p = 0).
        top_gap: the greatest x less the second greatest, 0 to 1; 0 is a tie at the top.
        gini: sum (2i - n - 1) x_i / (n sum x), x ascending, i from 1; 0 is flat, (n - 1) / n is one score above equals.
        variation: population standard deviation of x over its mean, 0 to sqrt(n - 1); 0 is flat.
    """

    normalised_entropy: float
    top_gap: float
    gini: float
    variation: float


def flatness(scores: Sequence[float]) -> Flatness:
    """The statistics of ``scores``, whose order does not matter.

    Raises:
        ValueError: there are no scores, or one is not finite.
    """
    x = np.sort(np.asarray(scores, dtype=float))
    n = len(x)
    if n == 0 or not np.isfinite(x).all():
        raise ValueError(f"scores must be one or more finite numbers, got {list(scores)}")
    if x[0] == x[-1]:
        return Flatness(normalised_entropy=1.0, top_gap=0.0, gini=0.0, variation=0.0)
    x = (x - x[0]) / (x[-1] - x[0])
    ranks = np.arange(1, n + 1)
    return Flatness(
        normalised_entropy=float(scipy.stats.entropy(x) / np.log(n)),
        top_gap=float(x[-1] - x[-2]),
        gini=float(((2 * ranks - n - 1) * x).sum() / (n * x.sum())),
        variation=float(scipy.stats.variation(x)),
    )
