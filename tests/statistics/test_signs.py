import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar

from plancheck.statistics.signs import sign_test

COUNTS = st.integers(0, 300)


@pytest.mark.parametrize(("wins", "losses", "p"), [(56, 37, 0.061), (12, 20, 0.215), (68, 59, 0.478)])
def test_published_figures(wins, losses, p):
    assert round(sign_test(wins, losses), 3) == p


@given(COUNTS, COUNTS)
def test_statsmodels_exact_mcnemar_agrees_and_the_arms_can_be_swapped(wins, losses):
    p = sign_test(wins, losses)
    assert p == pytest.approx(sign_test(losses, wins))
    if wins + losses:
        assert p == pytest.approx(min(1, mcnemar([[0, wins], [losses, 0]], exact=True).pvalue))


@given(COUNTS)
def test_equal_wins_and_losses_give_p_of_1(count):
    assert sign_test(count, count) == 1


def test_p_is_never_0():
    assert 0 < sign_test(5000, 0) < 1e-300


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="at least 0"):
        sign_test(-1, 3)
