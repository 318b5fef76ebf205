import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from plancheck.statistics.proportions import wilson


@pytest.mark.parametrize(
    ("correct", "questions", "low", "high"), [(182, 503, 32.10, 40.47), (0, 10, 0.0, 27.75), (10, 10, 72.25, 100.0)]
)
def test_published_and_textbook_intervals(correct, questions, low, high):
    interval = wilson(correct, questions, confidence=0.95)
    assert (round(100 * interval.low, 2), round(100 * interval.high, 2)) == (low, high)


@given(st.integers(1, 600), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_statsmodels_agrees(trials, data, confidence):
    successes = data.draw(st.integers(0, trials))
    interval = wilson(successes, trials, confidence=confidence)
    low, high = proportion_confint(successes, trials, alpha=1 - confidence, method="wilson")
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (3, 2), (-1, 2)])
def test_impossible_counts_are_refused(successes, trials):
    with pytest.raises(ValueError):
        wilson(successes, trials, confidence=0.95)
