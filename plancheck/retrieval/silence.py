"""Rankings that say nothing: all scores are equal, so that the order is that of position."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np


def silent(scores: Sequence[float] | np.ndarray) -> bool:
    """Whether no score differs from another; True for one score and for none.

    Raises:
        ValueError: a score is not a number.
    """
    values = np.asarray(scores, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("scores hold NaN")
    return values.size == 0 or bool((values == values[0]).all())


def silence(ranking: str, rows: Iterable[Mapping[str, Any]], score: str) -> str:
    """One sentence for the log: for how many questions a ranking says nothing.

    Args:
        ranking: its name.
        rows: of data/retrieval.parquet or data/rerank.parquet, those of a question together.
        score: the column of the ranking's scores.
    """
    scores = [[row[score] for row in group] for _, group in groupby(rows, key=lambda row: row["question_id"])]
    return (
        f"{ranking}: all scores are equal in {sum(map(silent, scores)):,} of {len(scores):,} questions; "
        "there the order is that of position"
    )
