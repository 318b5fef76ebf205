"""Whether a measure differs between the questions a planner wins and those it loses."""

import math
import sys
from collections.abc import Sequence
from typing import Final

import scipy

FEWEST: Final = 5
MOST_SPLITS: Final = 10_000


def win_loss_test(wins: Sequence[float], losses: Sequence[float]) -> float | None:
    """Two-sided p of the Mann-Whitney U test (Annals of Mathematical Statistics 1947, 18, 50-60), above 0.

    Exact, over all ways to split the values into wins and losses, where there are at most MOST_SPLITS; else exact where
    scipy has the distribution (no ties, one side of at most 8), else the normal approximation with tie and continuity
    corrections. Values that are all equal give 1.

    Returns:
        None where there are fewer than FEWEST wins or losses: a difference among so few says little, and such tests
        would only make the family larger.
    """
    if min(len(wins), len(losses)) < FEWEST:
        return None
    if len({*wins, *losses}) == 1:
        return 1.0
    splits = math.comb(len(wins) + len(losses), len(wins))
    method = scipy.stats.PermutationMethod(n_resamples=MOST_SPLITS, rng=0) if splits <= MOST_SPLITS else "auto"
    found = scipy.stats.mannwhitneyu(wins, losses, alternative="two-sided", method=method)
    return max(float(found.pvalue), sys.float_info.min)
