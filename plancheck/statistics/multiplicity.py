"""Several tests read together: the false discovery rate of a declared family."""

from collections.abc import Mapping
from typing import TypeVar

Key = TypeVar("Key")


def benjamini_hochberg(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """The adjusted p of each test of a family, in the family's order (Benjamini and Hochberg, JRSS B 1995).

    Rejecting where the adjusted p is at most q keeps the expected share of false rejections at or below q. An empty
    family gives an empty result.

    Raises:
        ValueError: a p is not above 0 and at most 1.
    """
    bad = {name: p for name, p in p_values.items() if not 0 < p <= 1}
    if bad:
        raise ValueError(f"p must be above 0 and at most 1, got {bad}")
    if not p_values:
        return {}
    # A second of imports, which readers of finished tables do not pay.
    from statsmodels.stats.multitest import multipletests

    adjusted = multipletests(list(p_values.values()), method="fdr_bh")[1]
    return dict(zip(p_values, map(float, adjusted), strict=True))
