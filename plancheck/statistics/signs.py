"""The exact two-sided sign test of paired outcomes (for right or wrong answers: McNemar's exact test)."""

import sys
from functools import cache

import scipy


@cache  # a study's tables ask for the same few counts over and over
def sign_test(wins: int, losses: int) -> float:
    """Two-sided p of as many wins and losses or more extreme ones, when either is as likely: above 0, at most 1.

    Ties do not count (Dixon and Mood, JASA 1946). Without wins and losses p is 1. A p below the smallest normal float
    is given as that float, so that it is never 0.

    Raises:
        ValueError: a count is negative.
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"wins and losses must be at least 0, got {wins} and {losses}")
    if wins + losses == 0:
        return 1.0
    return max(float(scipy.stats.binomtest(wins, wins + losses).pvalue), sys.float_info.min)
