"""Power of the paired comparison of two accuracies: how many questions tell an effect, and what effect n can tell.

Effects are differences of accuracy, discordances shares of questions that only one arm gets right; both 0 to 1, and an
effect cannot exceed its discordance.
"""

import math
from bisect import bisect_left
from functools import cache
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

NEGLIGIBLE: Final = 1e-15


def examples_needed(effect: float, discordance: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Questions that McNemar's two-sided test needs to find ``effect`` with probability ``power``, rounded up.

    Miettinen's approximation (Biometrics 1968, 24, 339-352): with psi the discordance and d the effect,
    n = (z_alpha psi + z_power sqrt(psi^2 - d^2 (3 + psi) / 4))^2 / (psi d^2).
    Connor's formula (Biometrics 1987, 43, 207-211) gives a few more at small effects. The exact test is stricter than
    the approximation: ``examples_needed_exactly`` counts for it.

    Raises:
        ValueError: the effect is 0 or exceeds the discordance, or a share is outside 0 to 1.
    """
    _check(effect, discordance, alpha)
    if effect == 0:
        raise ValueError("no number of questions can tell an effect of 0")
    spread = math.sqrt(max(0.0, discordance**2 - effect**2 * (3 + discordance) / 4))
    root = float(scipy.stats.norm.ppf(1 - alpha / 2)) * discordance + float(scipy.stats.norm.ppf(power)) * spread
    needed: int = math.ceil(root**2 / (discordance * effect**2))
    return needed


def examples_needed_exactly(effect: float, discordance: float, *, alpha: float = 0.05, power: float = 0.8) -> int:
    """Questions that the exact sign test needs to find ``effect`` with probability ``power``, by ``sign_test_power``.

    Power is not quite monotone in the questions, since p takes few values; the result is one where power is reached
    and is not with one question fewer.

    Raises:
        ValueError: as ``examples_needed``.
    """
    enough = examples_needed(effect, discordance, alpha=alpha, power=power)
    while sign_test_power(enough, effect, discordance, alpha=alpha) < power:
        enough *= 2
    return 1 + bisect_left(
        range(1, enough + 1),
        True,
        key=lambda n: sign_test_power(n, effect, discordance, alpha=alpha) >= power,
    )


def sign_test_power(questions: int, effect: float, discordance: float, *, alpha: float = 0.05) -> float:
    """The probability, 0 to 1, that the exact two-sided sign test on ``questions`` pairs gives p of at most ``alpha``.

    Exact: summed over the binomial number of discordant pairs, but for tails of probability NEGLIGIBLE, and over the
    wins among them. A rejection in the direction opposite to the effect counts as none, unless the effect is 0.

    Raises:
        ValueError: no question, the effect exceeds the discordance, or a share is outside 0 to 1.
    """
    _check(effect, discordance, alpha)
    if questions < 1:
        raise ValueError(f"questions must be at least 1, got {questions}")
    return _Rejections(questions, discordance, alpha=alpha).probability(effect)


class _Rejections:
    """Where the sign test rejects, for each number of discordant pairs that is not negligible; effects share it."""

    def __init__(self, questions: int, discordance: float, *, alpha: float) -> None:
        binom = scipy.stats.binom
        least, greatest = binom.ppf(NEGLIGIBLE, questions, discordance), binom.isf(NEGLIGIBLE, questions, discordance)
        self._discordance = discordance
        self._discordant = np.arange(int(least), int(greatest) + 1)
        self._weights = binom.pmf(self._discordant, questions, discordance)
        self._most = _most_losses(1 << int(greatest).bit_length(), alpha)[self._discordant]

    def probability(self, effect: float) -> float:
        """Of a rejection in the direction of the effect, or in either where it is 0."""
        share = 0.5 * (1 + effect / self._discordance)
        found = scipy.stats.binom.cdf(self._most, self._discordant, 1 - share) * (2 if effect == 0 else 1)
        return float(self._weights @ found)


@cache
def _most_losses(pairs: int, alpha: float) -> NDArray[np.float64]:
    """The most losses at which the test rejects, for 0 to ``pairs`` discordant pairs; -1 where it never does."""
    binom, discordant = scipy.stats.binom, np.arange(pairs + 1)
    most = binom.ppf(alpha / 2, discordant, 0.5)
    # It rejects where 2 P(losses <= most) <= alpha.
    found: NDArray[np.float64] = np.where(2 * binom.cdf(most, discordant, 0.5) > alpha, most - 1, most)
    return found


@cache  # a study's tables ask for the same few discordances over and over
def detectable_effect(questions: int, discordance: float, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """The least effect that the exact sign test on ``questions`` pairs finds with probability ``power``.

    None where even the largest effect, every discordant question a win, would be missed more often, as with few
    discordant questions.

    Raises:
        ValueError: no question, or a share is outside 0 to 1.
    """
    if discordance == 0:
        return None
    if sign_test_power(questions, discordance, discordance, alpha=alpha) < power:
        return None
    rejections = _Rejections(questions, discordance, alpha=alpha)

    def excess(effect: float) -> float:
        return rejections.probability(effect) - power

    return float(scipy.optimize.brentq(excess, 1e-12 * discordance, discordance, xtol=1e-7))


def detectable_mean_difference(
    deviation: float, questions: int, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """The least mean difference that a two-sided paired t test finds with probability ``power``, for scores not 0 or 1.

    Args:
        deviation: standard deviation of the differences; the result is in its unit.
        questions: number of pairs.

    Returns:
        None where there are fewer than 2 pairs or the differences do not vary.
    """
    if questions < 2 or deviation == 0:
        return None
    # A second of imports, which is paid for scores that are not 0 or 1 alone.
    from statsmodels.stats.power import TTestPower

    return deviation * float(TTestPower().solve_power(nobs=questions, alpha=alpha, power=power))


def _check(effect: float, discordance: float, alpha: float) -> None:
    if not 0 < discordance <= 1:
        raise ValueError(f"discordance must be above 0 and at most 1, got {discordance}")
    if not 0 <= effect <= discordance:
        raise ValueError(f"effect must be 0 to the discordance {discordance}, got {effect}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1, got {alpha}")
