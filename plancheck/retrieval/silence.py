"""Rankings that say nothing: all scores are equal, so that the order is that of position."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pyarrow as pa


def silent(scores: Sequence[float] | np.ndarray) -> bool:
    """Whether no score differs from another; True for one score and for none.

    Raises:
        ValueError: a score is not a number.
    """
    values = np.asarray(scores, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("scores hold NaN")
    return values.size == 0 or bool((values == values[0]).all())


def silence(ranking: str, rows: pa.Table) -> str:
    """One sentence for the log: for how many questions a ranking says nothing.

    Args:
        ranking: its name.
        rows: its own, of data/rankings.parquet or data/rerank.parquet.
    """
    scores: dict[str, list[float]] = defaultdict(list)
    for question_id, score in zip(rows["question_id"].to_pylist(), rows["score"].to_pylist(), strict=True):
        scores[question_id].append(score)
    return (
        f"{ranking}: all scores are equal in {sum(map(silent, scores.values())):,} of {len(scores):,} questions; "
        "there the order is that of position"
    )
