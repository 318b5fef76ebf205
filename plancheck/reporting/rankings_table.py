"""Rankings that say nothing: where all scores are equal, so that the order is that of position."""

from collections.abc import Mapping
from typing import Final

import pandas as pd

from plancheck.retrieval.silence import silent

COLUMNS: Final = ("ranking", "questions", "silent", "one_atom")


def rankings_table(scores: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """COLUMNS: a row a ranking that scores an atom, in the order given.

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
            rows.append((ranking, len(found), sum(silent(own) for own in found), alone))
    return pd.DataFrame(rows, columns=list(COLUMNS))
