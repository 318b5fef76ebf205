"""Choice confidence: probabilities over the four letters."""

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax


def choice_probabilities(logprobs: Sequence[float]) -> tuple[float, float, float, float]:
    """Four log-probabilities (or mean log-likelihoods), renormalised to sum to 1 over A, B, C, D.

    Raises:
        ValueError: not four finite numbers.
    """
    values = np.asarray(logprobs, dtype=np.float64)
    if values.shape != (4,) or not np.isfinite(values).all():
        raise ValueError(f"needs four finite log-probabilities, got {list(logprobs)}")
    a, b, c, d = (float(value) for value in softmax(values))
    return a, b, c, d
