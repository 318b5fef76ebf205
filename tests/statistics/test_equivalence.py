import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy
from scipy.stats import multinomial
from statsmodels.stats.weightstats import DescrStatsW

from plancheck.statistics.equivalence import equivalence_test, excess_test, losing_share
from plancheck.statistics.pairs import Outcomes


def test_large_samples_agree_with_statsmodels():
    seen = Outcomes(600, 620, 8780)
    differences = np.repeat([1, -1, 0], [seen.wins, seen.losses, seen.ties])
    for margin in (0.008, 0.01):
        expected = DescrStatsW(differences).ttost_mean(-margin, margin)[0]
        assert equivalence_test(seen, margin=margin) == pytest.approx(expected, abs=0.002)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 200), st.floats(-0.5, 0.5))
def test_the_share_of_losses_is_the_likeliest_one(wins, losses, ties, difference):
    n = wins + losses + ties
    found = losing_share(wins, losses, n, difference)

    def unlikelihood(q):
        return -(xlogy(wins, q + difference) + xlogy(losses, q) + xlogy(ties, 1 - 2 * q - difference))

    low, high = max(0.0, -difference), (1 - difference) / 2
    best = minimize_scalar(unlikelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    assert low - 1e-9 <= found <= high + 1e-9
    assert unlikelihood(min(max(found, low), high)) <= best.fun + 1e-5


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 200), st.floats(0.01, 0.5))
def test_swapping_the_arms_changes_nothing(wins, losses, ties, margin):
    p = equivalence_test(Outcomes(wins, losses, ties), margin=margin)
    assert p == pytest.approx(equivalence_test(Outcomes(losses, wins, ties), margin=margin))
    assert 0 < p <= 1


def test_arms_that_always_agree_are_equivalent_only_with_enough_questions():
    assert equivalence_test(Outcomes(0, 0, 48), margin=0.05) > 0.05
    assert equivalence_test(Outcomes(0, 0, 480), margin=0.05) < 0.001


def test_a_wider_margin_is_easier_to_show():
    seen = Outcomes(20, 22, 458)
    assert equivalence_test(seen, margin=0.02) > 0.05 > equivalence_test(seen, margin=0.05)


@pytest.mark.parametrize(("seen", "margin"), [(Outcomes(0, 0, 0), 0.1), (Outcomes(1, 1, 1), 0), (Outcomes(1, 1, 1), 1)])
def test_impossible_input_is_refused(seen, margin):
    with pytest.raises(ValueError):
        equivalence_test(seen, margin=margin)


@pytest.mark.parametrize(("questions", "excluded"), [(14, False), (140, True)])
def test_a_gain_is_excluded_by_questions_and_not_by_the_lack_of_differences(questions, excluded):
    assert (excess_test(Outcomes(0, 0, questions), margin=0.05) <= 0.025) == excluded


@pytest.mark.parametrize("questions", [152, 503])
@pytest.mark.parametrize("margin", [0.02, 0.05])
def test_a_gain_of_the_margin_is_wrongly_excluded_as_often_as_the_level_says(questions, margin):
    discordance = 0.2
    most = range(questions * 2 // 5)
    seen = [Outcomes(wins, losses, questions - wins - losses) for wins in most for losses in most]
    shares = [(discordance + margin) / 2, (discordance - margin) / 2, 1 - discordance]
    chances = multinomial.pmf([[each.wins, each.losses, each.ties] for each in seen], questions, shares)
    likely = [(each, chance) for each, chance in zip(seen, chances, strict=True) if chance > 1e-7]
    excluded = sum(chance for each, chance in likely if excess_test(each, margin=margin) <= 0.025)
    assert sum(chance for _, chance in likely) == pytest.approx(1, abs=1e-3)
    assert excluded == pytest.approx(0.025, abs=0.002)


def test_the_larger_of_two_one_sided_tests_is_the_equivalence_test():
    seen, mirrored = Outcomes(10, 4, 90), Outcomes(4, 10, 90)
    one_sided = [excess_test(outcomes, margin=0.1) for outcomes in (seen, mirrored)]
    assert equivalence_test(seen, margin=0.1) == equivalence_test(mirrored, margin=0.1) == max(one_sided)
