"""Rankings that say nothing: all scores are equal, so that the order is that of position."""

from collections.abc import Sequence

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
