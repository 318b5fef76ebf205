"""How many questions would tell an effect, at the discordances that the study saw."""

from dataclasses import replace
from typing import Any, Final

import pandas as pd

from plancheck.reporting.columns import BUDGET, DISCORDANCE, PAIR, QUESTIONS, UNITS
from plancheck.reporting.paired import Method, questions_needed
from plancheck.reporting.results import records
from plancheck.reporting.table import Column, Table
from plancheck.statistics.power import examples_needed

POWER: Final = Table(
    name="power",
    title="Questions needed for an effect",
    notes="How many questions would tell an effect at the discordance seen: by McNemar's test (Miettinen's "
    f"approximation), and by the exact sign test. {UNITS}",
    empty="too few questions differ to plan from",
    columns=(
        BUDGET,
        *PAIR,
        QUESTIONS,
        replace(DISCORDANCE, printed=True),
        Column("detectable", "Detectable here, points", "percent"),
        Column("effect", "Effect, points", "percent"),
        Column("needed", "Questions needed (Miettinen)", "count"),
        Column("needed_exact", "Questions needed (exact)", "count"),
    ),
)
SEEN: Final = ("budget_chars", "treatment", "control", "questions", "discordance", "detectable")
EFFECTS: Final = (0.01, 0.015, 0.02, 0.03, 0.05, 0.10)


def power_table(comparisons: pd.DataFrame, method: Method) -> pd.DataFrame:
    """POWER: a row an effect (difference of accuracies) for each distinct pair of policies at a budget.

    Args:
        comparisons: paired comparisons on all questions; of two rows of the same pair the first counts.
        method: whose power and level count.

    Returns:
        ``needed`` by Miettinen's approximation, ``needed_exact`` by the exact sign test's power; both empty where the
        effect exceeds the discordance, so that no number of questions would do.
    """
    rows: list[dict[str, Any]] = []
    for row in records(comparisons.drop_duplicates(["budget_chars", "treatment", "control"])):
        discordance = row["discordance"]
        for effect in EFFECTS:
            approximate = None
            if effect <= discordance:
                approximate = examples_needed(effect, discordance, alpha=method.alpha, power=method.power)
            exact = questions_needed(effect, discordance, alpha=method.alpha, power=method.power)
            seen = {name: row[name] for name in SEEN}
            rows.append({**seen, "effect": effect, "needed": approximate, "needed_exact": exact})
    return POWER.frame(rows)
