"""Equivalence of two accuracies on the same questions: two one-sided tests (Schuirmann, 1987)."""

import math
import sys

import scipy

from plancheck.statistics.pairs import Outcomes


def equivalence_test(outcomes: Outcomes, *, margin: float) -> float:
    """The p against "the accuracies differ by ``margin`` or more": the larger of two one-sided ones, above 0.

    Each side is Tango's score test for paired proportions (Statistics in Medicine 1998, 17, 891-908), whose variance
    is estimated under its hypothesis. So two arms that agree on every question are equivalent only when there are
    enough questions, where a t test would have no variance to divide by.

    Args:
        outcomes: of right or wrong answers, at least 1 question.
        margin: the difference of accuracies that matters, between 0 and 1.

    Raises:
        ValueError: no question, or the margin is outside its range.
    """
    below_margin = excess_test(outcomes, margin=margin)
    above_minus_margin = excess_test(Outcomes(outcomes.losses, outcomes.wins, outcomes.ties), margin=margin)
    return max(below_margin, above_minus_margin)


def excess_test(outcomes: Outcomes, *, margin: float) -> float:
    """The one-sided p against "the treatment is better by ``margin`` or more", above 0; Tango's score test as above.

    A low p excludes such a gain, also where so few questions differ that a bootstrap interval has no width.

    Raises:
        ValueError: as ``equivalence_test``.
    """
    _check(outcomes, margin)
    score = _score(outcomes.wins, outcomes.losses, outcomes.questions, margin)
    return max(float(scipy.stats.norm.cdf(score)), sys.float_info.min)


def _check(outcomes: Outcomes, margin: float) -> None:
    if not 0 < margin < 1:
        raise ValueError(f"margin must be between 0 and 1, got {margin}")
    if outcomes.questions < 1:
        raise ValueError("no question")


def _score(wins: int, losses: int, n: int, difference: float) -> float:
    """Tango's statistic for the hypothesis that the difference of accuracies is ``difference``; standard normal."""
    losing = losing_share(wins, losses, n, difference)
    return (wins - losses - n * difference) / math.sqrt(n * (2 * losing + difference * (1 - difference)))


def losing_share(wins: int, losses: int, n: int, difference: float) -> float:
    """The likeliest share of losses when wins exceed losses by ``difference`` of all questions: the larger root."""
    b = -wins - losses + (2 * n - wins + losses) * difference
    c = -losses * difference * (1 - difference)
    return (math.sqrt(max(0.0, b**2 - 8 * n * c)) - b) / (4 * n)
