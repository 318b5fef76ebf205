"""The columns that every paired comparison of the tables has, and how families of tests are adjusted."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import pandas as pd

from plancheck.planning.seeds import seed_of
from plancheck.reporting.results import Results
from plancheck.statistics.bootstrap import paired_bootstrap
from plancheck.statistics.comparison import compare
from plancheck.statistics.multiplicity import benjamini_hochberg
from plancheck.statistics.pairs import join_pairs, same_text
from plancheck.statistics.power import examples_needed_exactly

PAIRED: Final = (
    "questions",
    "contexts",
    "treatment_accuracy",
    "control_accuracy",
    "wins",
    "losses",
    "ties",
    "identical",
    "difference",
    "low",
    "high",
    "plain_low",
    "plain_high",
    "p",
    "p_adjusted",
    "tests",
    "discordance",
    "detectable",
    "needed",
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
        name: of the side, which its bootstrap is seeded with.
        right: whether it answers each question right, by question ID.
        shown: what stands for the text that it was shown, by question ID; equal for a question where the text is.
    """

    name: str
    right: pd.Series
    shown: Mapping[str, str]


def arm(results: Results, policy: str, budget_chars: int) -> Arm:
    return Arm(f"{policy} at {budget_chars}", results.right(policy, budget_chars), results.texts(policy, budget_chars))


def paired(treatment: Arm, control: Arm, results: Results, split: str, method: Method) -> dict[str, Any]:
    """PAIRED of one comparison, ``p_adjusted`` and ``tests`` still empty.

    ``low`` and ``high`` resample contexts, ``plain_low`` and ``plain_high`` questions; where no two questions share a
    context they are the same. The bootstrap's seed is made of ``method.seed``, the two names and the split, so that a
    comparison has the same figures in every table, whatever else is compared, and mirrored ones with the arms swapped.
    ``identical`` counts the pairs that were shown the same text: it was answered once, so they are ties whatever the
    policies are. ``needed`` is how many questions find a difference of ``method.margin`` at the discordance seen; empty
    where fewer than that share of questions differ.

    Raises:
        ValueError: an arm lacks a question of the split, or the split has fewer than 2 contexts.
    """
    ids = results.splits[split]
    pairs = join_pairs(*([(i, float(side.right[i])) for i in ids] for side in (treatment, control)))
    clusters = [results.contexts[question_id] for question_id in pairs.question_ids]
    seed = seed_of(method.seed, *sorted((treatment.name, control.name)), split)
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


def table_of(
    rows: Sequence[dict[str, Any]],
    columns: Sequence[str],
    *,
    family: Callable[[dict[str, Any]], Hashable] = lambda row: None,
    test: Callable[[dict[str, Any]], Hashable] | None = None,
) -> pd.DataFrame:
    """The rows as a table of ``columns``, with the p of each family of tests adjusted.

    ``p_adjusted`` is Benjamini and Hochberg's; ``tests`` is the number of tests in the row's family. Rows without a p
    have neither and are in no family. Rows of a family for which ``test`` gives the same are one test, which counts
    once; without it each row is its own. Whole numbers stay whole numbers where a row has none.
    """
    keys = [(family(row), number if test is None else test(row)) for number, row in enumerate(rows)]
    families: dict[Hashable, dict[Hashable, float]] = {}
    for (members, key), row in zip(keys, rows, strict=True):
        if row["p"] is not None:
            families.setdefault(members, {})[key] = row["p"]
    found = {members: benjamini_hochberg(tests) for members, tests in families.items()}
    adjusted = [
        {**row, "p_adjusted": None, "tests": None}
        if row["p"] is None
        else {**row, "p_adjusted": found[members][key], "tests": len(found[members])}
        for (members, key), row in zip(keys, rows, strict=True)
    ]
    return whole(pd.DataFrame(adjusted, columns=list(columns)))


def whole(table: pd.DataFrame) -> pd.DataFrame:
    """The table with whole numbers in the columns that count, also beside empty cells."""
    return table.astype({name: "Int64" for name in ("needed", "tests", "wins", "losses", "identical") if name in table})
