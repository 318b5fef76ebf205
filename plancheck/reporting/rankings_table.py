"""Rankings that say nothing: where all scores are equal, so that the order is that of position."""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from plancheck.reporting.columns import QUESTIONS
from plancheck.reporting.table import Column, Table
from plancheck.retrieval.silence import silent

RANKINGS: Final = Table(
    name="rankings",
    title="Rankings that say nothing",
    notes="Questions in which all scores of a ranking are equal, so that its order is that of position; of these, "
    "those with one atom.",
    empty="nothing was ranked",
    columns=(
        Column("ranking", "Ranking"),
        QUESTIONS,
        Column("silent", "All scores equal", "count"),
        Column("one_atom", "Of these with one atom", "count"),
    ),
)


def rankings_table(scores: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """RANKINGS: a row a ranking that scores an atom, in the order given.

    Args:
        scores: by ranking, columns question_id and score, a row an atom that it scores.

    Returns:
        ``silent`` counts the questions all of whose scores are equal, ``one_atom`` those of them with one atom, which
        no ranking could order.
    """
    rows = []
    for ranking, table in scores.items():
        found = [own.to_numpy() for _, own in table.groupby("question_id")["score"]]
        if found:
            alone = sum(len(own) == 1 for own in found)
            equal = sum(silent(own) for own in found)
            rows.append({"ranking": ranking, "questions": len(found), "silent": equal, "one_atom": alone})
    return RANKINGS.frame(rows)
