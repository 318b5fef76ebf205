"""Everything said about one paired comparison."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plancheck.statistics.bootstrap import paired_bootstrap
from plancheck.statistics.flips import sign_flip_test
from plancheck.statistics.pairs import Outcomes, Pairs, outcomes
from plancheck.statistics.power import detectable_effect, detectable_mean_difference
from plancheck.statistics.proportions import Interval, wilson
from plancheck.statistics.signs import sign_test

ROUNDING = 1e-12  # of the largest score: what differences of equal size may differ by


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm's mean score over the questions.

    Where every score of both arms is 0 or 1, ``correct`` counts its ones and ``interval`` is Wilson's; else both are
    None.
    """

    mean: float
    correct: int | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Treatment against control; differences are treatment minus control, in the unit of the score.

    ``detectable`` is the least difference that as many questions find with probability ``power`` at level ``alpha``:
    for scores of 0 and 1 by the exact sign test at the discordance seen, else by a paired t test at the deviation
    seen; None when nothing could be found. ``constant`` says that every question has the same difference, so that
    interval and deviation have no width: no measure of chance. ``clusters`` counts what the bootstrap resampled, None
    for questions. ``p`` is two-sided: of the exact sign test for scores of 0 and 1, else of the sign-flip test of the
    mean (flips.py), which flips ``clusters`` as wholes.
    """

    questions: int
    treatment: Arm
    control: Arm
    outcomes: Outcomes
    difference: float
    interval: Interval
    p: float
    discordance: float
    detectable: float | None
    constant: bool
    clusters: int | None
    confidence: float
    alpha: float
    power: float


def compare(
    pairs: Pairs,
    *,
    generator: np.random.Generator,
    clusters: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    power: float = 0.8,
) -> Comparison:
    """Compare two arms: means, wins and losses, percentile bootstrap, test, and what could be found.

    Args:
        pairs: at least 2 questions.
        generator: of the bootstrap and, after it, of the sign-flip test.
        clusters: of the questions, in the pairs' order; bootstrap and sign-flip test draw them, the sign test of
            scores of 0 and 1 does not know them.
        confidence: of all intervals; the tests' level is 1 - confidence.
        resamples: of the bootstrap and of the sign-flip test.
        power: of ``detectable``.

    Raises:
        ValueError: fewer than 2 questions or clusters.
    """
    differences = pairs.differences
    found = outcomes(pairs)
    binary = all(bool(((scores == 0) | (scores == 1)).all()) for scores in (pairs.treatment, pairs.control))
    alpha = round(1 - confidence, 12)
    interval = paired_bootstrap(
        differences, generator=generator, confidence=confidence, resamples=resamples, clusters=clusters
    )
    constant = float(np.ptp(differences)) <= ROUNDING * max(
        float(np.abs(scores).max()) for scores in (pairs.treatment, pairs.control)
    )
    if binary:
        p = sign_test(found.wins, found.losses)
        detectable = detectable_effect(found.questions, found.discordance, alpha=alpha, power=power)
    else:
        p = sign_flip_test(differences, generator=generator, resamples=resamples, clusters=clusters)
        deviation = 0.0 if constant else float(differences.std(ddof=1))
        detectable = detectable_mean_difference(deviation, found.questions, alpha=alpha, power=power)
    return Comparison(
        questions=found.questions,
        treatment=_arm(pairs.treatment, binary=binary, confidence=confidence),
        control=_arm(pairs.control, binary=binary, confidence=confidence),
        outcomes=found,
        difference=float(differences.mean()),
        interval=interval,
        p=p,
        discordance=found.discordance,
        detectable=detectable,
        constant=constant,
        clusters=None if clusters is None else len(set(clusters)),
        confidence=confidence,
        alpha=alpha,
        power=power,
    )


def _arm(scores: NDArray[np.float64], *, binary: bool, confidence: float) -> Arm:
    if not binary:
        return Arm(float(np.mean(scores)), None, None)
    correct = int(scores.sum())
    return Arm(correct / len(scores), correct, wilson(correct, len(scores), confidence=confidence))
