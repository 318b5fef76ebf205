"""Choice confidence: probabilities over the letters of a question."""

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax


def choice_probabilities(logprobs: Sequence[float | None]) -> tuple[float | None, ...] | None:
    """Log-probabilities (or mean log-likelihoods) of the choices, A first, renormalised to sum to 1.

    Where a server tells those of its likeliest tokens alone, the others are None and stay None; what is known is
    renormalised by itself. With fewer than two known there is nothing to compare: None.

    Raises:
        ValueError: not two or more numbers or None, or a number that is not finite.
    """
    known = np.asarray([value for value in logprobs if value is not None], dtype=np.float64)
    if len(logprobs) < 2 or not np.isfinite(known).all():
        raise ValueError(f"needs two or more finite log-probabilities, got {list(logprobs)}")
    if len(known) < 2:
        return None
    shares = iter(softmax(known))
    return tuple(None if value is None else float(next(shares)) for value in logprobs)
