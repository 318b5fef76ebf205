"""Choice confidence: probabilities over the letters of a question."""

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax


def choice_probabilities(logprobs: Sequence[float]) -> tuple[float, ...]:
    """Log-probabilities (or mean log-likelihoods) of the choices, A first, renormalised to sum to 1.

    Raises:
        ValueError: not two or more finite numbers.
    """
    values = np.asarray(logprobs, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise ValueError(f"needs two or more finite log-probabilities, got {list(logprobs)}")
    return tuple(float(value) for value in softmax(values))
