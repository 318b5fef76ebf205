"""Is the statistical procedure calibrated? Simulated paired outcomes against the functions the study uses.

Prints a table and writes it to benchmarks/calibration.csv. Same seed, same file.

    python benchmarks/calibration.py
"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plancheck.statistics.bootstrap import paired_bootstrap
from plancheck.statistics.pairs import Outcomes
from plancheck.statistics.power import examples_needed, examples_needed_exactly
from plancheck.statistics.proportions import Interval
from plancheck.statistics.signs import sign_test

OUTPUT = Path(__file__).with_name("calibration.csv")
QUESTIONS = (152, 503)
DISCORDANCES = (0.05, 0.1, 0.25, 0.5)
PUBLISHED_DISCORDANCE = 127 / 503
EFFECTS = (0.015, 0.02, 0.05, 0.1)
ALPHA = 0.05
RESAMPLES = 1000
TESTS, INTERVALS, CLUSTERED = 20_000, 4_000, 800

# Context sizes: LongBench-v2's 480 questions at hand (427 alone, 53 in 13 groups), and passages of 4 questions each.
DESIGNS = {
    "LongBench-v2's contexts": [1] * 427 + [4] * 12 + [5],
    "contexts of 4 questions": [4] * 126,
}
CORRELATIONS = (0.1, 0.3)


@dataclass(frozen=True, slots=True)
class Result:
    """A share of repetitions, with its Monte Carlo standard error."""

    what: str
    questions: int
    discordance: float
    effect: float
    measure: str
    share: float
    standard_error: float
    repetitions: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20261130)
    generator = np.random.default_rng(parser.parse_args().seed)
    check_shortcut(generator)
    results = [*no_difference(generator), *true_difference(generator), *shared_contexts(generator)]
    table = pd.DataFrame([astuple(result) for result in results], columns=[field.name for field in fields(Result)])
    table = table.round({"discordance": 4, "share": 4, "standard_error": 4})
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def no_difference(generator: np.random.Generator) -> Iterator[Result]:
    """Arms equally good: how often the sign test rejects and the interval covers 0."""
    for questions in QUESTIONS:
        for discordance in DISCORDANCES:
            yield from checked("no true difference", generator, questions, discordance, 0.0)


def true_difference(generator: np.random.Generator) -> Iterator[Result]:
    """A true difference: how often the interval covers it, and the sign test finds it at the computed n."""
    for questions in QUESTIONS:
        for discordance in DISCORDANCES:
            yield from checked("true difference", generator, questions, discordance, 0.3 * discordance)
    for effect in EFFECTS:
        for what, needed in (("Miettinen's n", examples_needed), ("the exact test's n", examples_needed_exactly)):
            questions = needed(effect, PUBLISHED_DISCORDANCE, alpha=ALPHA, power=0.8)
            drawn = draw(generator, questions, PUBLISHED_DISCORDANCE, effect, TESTS)
            found = [rejects(wins, losses) and wins > losses for wins, losses in drawn]
            yield result(f"power at {what}", questions, PUBLISHED_DISCORDANCE, effect, "effect found", found)


def checked(
    what: str, generator: np.random.Generator, questions: int, discordance: float, effect: float
) -> Iterator[Result]:
    drawn = draw(generator, questions, discordance, effect, TESTS)
    if effect == 0:
        yield result(
            what, questions, discordance, effect, "sign test rejects", [rejects(wins, losses) for wins, losses in drawn]
        )
    covers = [covered(interval(generator, Outcomes(w, v, questions - w - v)), effect) for w, v in drawn[:INTERVALS]]
    yield result(what, questions, discordance, effect, "interval covers", covers)


def shared_contexts(generator: np.random.Generator) -> Iterator[Result]:
    """Arms equally good, but questions of a context lean the same way: what ignoring that costs."""
    discordance = 0.25
    for name, sizes in DESIGNS.items():
        contexts = np.repeat(np.arange(len(sizes)), sizes)
        for correlation in CORRELATIONS:
            kept: tuple[list[bool], list[bool], list[bool]] = ([], [], [])
            for _ in range(CLUSTERED):
                differences = leaning(generator, contexts, discordance, correlation)
                seen = Outcomes(
                    int((differences > 0).sum()), int((differences < 0).sum()), int((differences == 0).sum())
                )
                kept[0].append(rejects(seen.wins, seen.losses))
                kept[1].append(covered(interval(generator, seen), 0.0))
                clustered = paired_bootstrap(
                    differences, generator=generator, resamples=RESAMPLES, clusters=contexts.tolist()
                )
                kept[2].append(covered(clustered, 0.0))
            what = f"{name}, correlation {correlation}"
            measures = ("sign test rejects", "interval of questions covers", "interval of contexts covers")
            for measure, shares in zip(measures, kept, strict=True):
                yield result(what, len(contexts), discordance, 0.0, measure, shares)


def draw(
    generator: np.random.Generator, questions: int, discordance: float, effect: float, repetitions: int
) -> list[tuple[int, int]]:
    """Wins and losses of each repetition."""
    shares = [(discordance + effect) / 2, (discordance - effect) / 2, 1 - discordance]
    return [(int(wins), int(losses)) for wins, losses, _ in generator.multinomial(questions, shares, size=repetitions)]


def leaning(
    generator: np.random.Generator, contexts: NDArray[np.int64], discordance: float, correlation: float
) -> NDArray[np.int64]:
    """Differences of -1, 0 and 1; a question copies its context's with probability sqrt(correlation), else its own."""
    shares = [discordance / 2, 1 - discordance, discordance / 2]
    own = generator.choice([-1, 0, 1], size=len(contexts), p=shares)
    common = generator.choice([-1, 0, 1], size=contexts.max() + 1, p=shares)[contexts]
    return np.where(generator.random(len(contexts)) < math.sqrt(correlation), common, own)


def interval(generator: np.random.Generator, seen: Outcomes) -> Interval:
    """The bootstrap interval of outcomes, by drawing how often each outcome comes instead of each question.

    That is the same distribution as resampling questions, in a fiftieth of the time; ``check_shortcut`` compares both.
    """
    n = seen.questions
    drawn = generator.multinomial(n, [seen.wins / n, seen.losses / n, seen.ties / n], size=RESAMPLES)
    low, high = np.quantile((drawn[:, 0] - drawn[:, 1]) / n, [ALPHA / 2, 1 - ALPHA / 2])
    return Interval(float(low), float(high))


def check_shortcut(generator: np.random.Generator) -> None:
    """Bounds of the shortcut and of the study's function, averaged over 40 intervals, agree within half a question."""
    for seen in (Outcomes(12, 20, 120), Outcomes(68, 59, 376), Outcomes(3, 4, 145)):
        differences = np.repeat([1, -1, 0], [seen.wins, seen.losses, seen.ties])
        ours = [interval(generator, seen) for _ in range(40)]
        study = [paired_bootstrap(differences, generator=generator, resamples=RESAMPLES) for _ in range(40)]
        for bound in ("low", "high"):
            gap = np.mean([getattr(i, bound) for i in ours]) - np.mean([getattr(i, bound) for i in study])
            if abs(gap) * seen.questions > 0.5:
                raise AssertionError(
                    f"the shortcut's {bound} bound is off by {gap * seen.questions} questions at {seen}"
                )


@cache
def rejects(wins: int, losses: int) -> bool:
    return sign_test(wins, losses) <= ALPHA


def covered(interval: Interval, value: float) -> bool:
    # Bounds are multiples of 1/n in floating point: one that equals the value must count as covering it.
    return interval.low - 1e-12 <= value <= interval.high + 1e-12


def result(what: str, questions: int, discordance: float, effect: float, measure: str, found: list[bool]) -> Result:
    share = sum(found) / len(found)
    error = math.sqrt(share * (1 - share) / len(found))
    return Result(what, questions, discordance, effect, measure, share, error, len(found))


if __name__ == "__main__":
    main()
