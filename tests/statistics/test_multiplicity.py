import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from plancheck.statistics.multiplicity import benjamini_hochberg

FAMILY = st.lists(st.floats(1e-300, 1), min_size=1, max_size=30)


def test_a_family_worked_by_hand():
    assert benjamini_hochberg({"b": 0.04, "a": 0.01, "c": 0.03, "d": 0.5}) == pytest.approx(
        {"b": 0.16 / 3, "a": 0.04, "c": 0.16 / 3, "d": 0.5}
    )


@given(FAMILY)
def test_statsmodels_and_scipy_agree(p_values):
    found = list(benjamini_hochberg(dict(enumerate(p_values))).values())
    assert found == pytest.approx(multipletests(p_values, method="fdr_bh")[1])
    assert found == pytest.approx(false_discovery_control(p_values))
    assert all(adjusted >= p for adjusted, p in zip(found, p_values, strict=True))


def test_an_empty_family_stays_empty():
    assert benjamini_hochberg({}) == {}


@pytest.mark.parametrize("p", [0, -0.1, 1.1, np.nan])
def test_an_impossible_p_is_refused(p):
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        benjamini_hochberg({"a": p})
