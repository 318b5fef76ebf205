"""How many questions would tell an effect, at the discordances that the study saw."""

from typing import Any, Final

import pandas as pd

from plancheck.reporting.paired import Method, questions_needed
from plancheck.reporting.results import records
from plancheck.statistics.power import examples_needed

COLUMNS: Final = (
    "budget_chars",
    "treatment",
    "control",
    "questions",
    "discordance",
    "detectable",
    "effect",
    "needed",
    "needed_exact",
)
EFFECTS: Final = (0.01, 0.015, 0.02, 0.03, 0.05, 0.10)


def power_table(comparisons: pd.DataFrame, method: Method) -> pd.DataFrame:
    """COLUMNS: a row an effect (difference of accuracies) for each distinct pair of policies at a budget.

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
            rows.append({**row, "effect": effect, "needed": approximate, "needed_exact": exact})
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"needed": "Int64", "needed_exact": "Int64"})
