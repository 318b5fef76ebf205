"""The columns that every paired comparison of the tables has, and how families of tests are adjusted."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from plancheck.planning.seeds import seed_of
from plancheck.reporting.columns import DISCORDANCE, QUESTIONS, SAME, TESTS, UNITS, WINS
from plancheck.reporting.results import Results
from plancheck.reporting.table import Column
from plancheck.statistics.bootstrap import paired_bootstrap
from plancheck.statistics.comparison import compare
from plancheck.statistics.multiplicity import benjamini_hochberg
from plancheck.statistics.pairs import join_pairs, same_text
from plancheck.statistics.power import examples_needed_exactly

SAME_TEXT: Final = (
    "Shown the same text: ties of questions to which both showed the same text, so that they could not differ."
)
HOW: Final = (
    f"{UNITS} {SAME_TEXT} "
    "Difference: treatment minus control, bootstrap interval with contexts resampled. p: exact two-sided sign "
    "test, which takes questions for independent. Detectable: the least difference that as many questions find with "
    "the power of params.yaml, before adjustment."
)
OUTCOMES: Final = (
    QUESTIONS,
    Column("contexts", "Contexts", "count", printed=False),
    Column("treatment_accuracy", "Treatment, %", "percent"),
    Column("control_accuracy", "Control, %", "percent"),
    *WINS,
    Column("ties", "Ties", "count"),
    SAME,
    Column("difference", "Difference, points [clustered by context]", "points", interval=("low", "high")),
)
PAIRED: Final = (
    *OUTCOMES,
    Column("difference", "By question", "points", interval=("plain_low", "plain_high"), printed=False),
    *TESTS,
    DISCORDANCE,
    Column("detectable", "Detectable, points", "percent"),
    Column("needed", "Questions needed", "count", printed=False),
)


@dataclass(frozen=True, slots=True)
class Method:
    """How comparisons are made: the values of params.yaml's section analyze."""

    confidence: float
    power: float
    margin: float
    seed: int
    resamples: int

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return round(1 - self.confidence, 12)


@dataclass(frozen=True, slots=True)
class Arm:
    """One side of a comparison.

    Attributes:
        name: of the side.
        right: whether it answers each question right, by question ID.
        shown: what stands for the text that it was shown, by question ID; equal for a question where the text is.
    """

    name: str
    right: Mapping[str, bool]
    shown: Mapping[str, str]


def arm(results: Results, policy: str, budget_chars: int) -> Arm:
    right = {str(name): bool(value) for name, value in results.right(policy, budget_chars).items()}
    return Arm(f"{policy} at {budget_chars}", right, results.texts(policy, budget_chars))


def paired(treatment: Arm, control: Arm, results: Results, split: str, method: Method) -> dict[str, Any]:
    """PAIRED of one comparison, ``p_adjusted`` and ``tests`` still empty.

    ``low`` and ``high`` resample contexts, ``plain_low`` and ``plain_high`` questions; where no two questions share a
    context they are the same. The bootstrap's seed is made of ``method.seed`` and the split
    alone, so that a comparison has the same figures in every table, whatever the arms are called and whatever else is
    compared, and mirrored ones with the arms swapped.
    ``identical`` counts the pairs that were shown the same text: it was answered once, so they are ties whatever the
    policies are. ``needed`` is how many questions find a difference of ``method.margin`` at the discordance seen; empty
    where fewer than that share of questions differ.

    Raises:
        ValueError: an arm lacks a question of the split, or the split has fewer than 2 contexts.
    """
    ids = results.splits[split]
    pairs = join_pairs(*([(name, float(side.right[name])) for name in ids] for side in (treatment, control)))
    clusters = [results.contexts[question_id] for question_id in pairs.question_ids]
    seed = seed_of(method.seed, split)
    found = compare(
        pairs,
        generator=np.random.default_rng(seed),
        clusters=clusters,
        confidence=method.confidence,
        resamples=method.resamples,
        power=method.power,
    )
    plain = found.interval
    if found.clusters != found.questions:
        plain = paired_bootstrap(
            pairs.differences,
            generator=np.random.default_rng(seed),
            confidence=method.confidence,
            resamples=method.resamples,
        )
    return {
        "questions": found.questions,
        "contexts": found.clusters,
        "treatment_accuracy": found.treatment.mean,
        "control_accuracy": found.control.mean,
        "wins": found.outcomes.wins,
        "losses": found.outcomes.losses,
        "ties": found.outcomes.ties,
        "identical": same_text(pairs, treatment.shown, control.shown).pairs,
        "difference": found.difference,
        "low": found.interval.low,
        "high": found.interval.high,
        "plain_low": plain.low,
        "plain_high": plain.high,
        "p": found.p,
        "discordance": found.discordance,
        "detectable": found.detectable,
        "needed": questions_needed(method.margin, found.discordance, alpha=method.alpha, power=method.power),
    }


@cache  # a study's tables ask for the same few discordances over and over
def questions_needed(effect: float, discordance: float, *, alpha: float, power: float) -> int | None:
    """`examples_needed_exactly`, or None where the effect exceeds the discordance, so that no number would do."""
    if effect > discordance:
        return None
    return examples_needed_exactly(effect, discordance, alpha=alpha, power=power)


def adjusted(
    rows: Sequence[dict[str, Any]],
    *,
    family: Callable[[dict[str, Any]], Hashable] = lambda row: None,
    test: Callable[[dict[str, Any]], Hashable] | None = None,
) -> list[dict[str, Any]]:
    """The rows with ``p_adjusted`` and ``tests``, in the order given.

    ``p_adjusted`` is Benjamini and Hochberg's; ``tests`` is the number of tests in the row's family. Rows without a p
    have neither and are in no family. Rows of a family for which ``test`` gives the same are one test, which counts
    once; without it each row is its own.
    """
    keys = [(family(row), number if test is None else test(row)) for number, row in enumerate(rows)]
    families: dict[Hashable, dict[Hashable, float]] = {}
    for (members, key), row in zip(keys, rows, strict=True):
        if row["p"] is not None:
            families.setdefault(members, {})[key] = row["p"]
    found = {members: benjamini_hochberg(tests) for members, tests in families.items()}
    return [
        {**row, "p_adjusted": None, "tests": None}
        if row["p"] is None
        else {**row, "p_adjusted": found[members][key], "tests": len(found[members])}
        for (members, key), row in zip(keys, rows, strict=True)
    ]
