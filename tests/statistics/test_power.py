from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from plancheck.statistics.power import (
    detectable_effect,
    detectable_mean_difference,
    examples_needed,
    examples_needed_exactly,
    sign_test_power,
)
from plancheck.statistics.signs import sign_test

PUBLISHED = 127 / 503


@pytest.mark.parametrize(("effect", "published"), [(0.015, 8_800), (0.020, 4_900)])
def test_published_figures_to_the_hundred(effect, published):
    assert round(examples_needed(effect, PUBLISHED), -2) == published


@pytest.mark.parametrize(("effect", "needed"), [(0.015, 8801), (0.020, 4947), (0.05, 786), (0.1, 191)])
def test_miettinens_formula_worked_by_hand(effect, needed):
    assert examples_needed(effect, PUBLISHED) == needed


def enumerated_power(questions, effect, discordance, alpha):
    """The sum over every count of wins and losses, with the study's own test."""
    win, lose = (discordance + effect) / 2, (discordance - effect) / 2
    total = 0.0
    for wins in range(questions + 1):
        for losses in range(questions + 1 - wins):
            ties = questions - wins - losses
            ways = comb(questions, wins) * comb(questions - wins, losses)
            if sign_test(wins, losses) <= alpha and (wins > losses or effect == 0):
                total += ways * win**wins * lose**losses * (1 - discordance) ** ties
    return total


@pytest.mark.parametrize(
    ("questions", "effect", "discordance"),
    [(1, 0.1, 0.3), (30, 0.0, 0.5), (30, 0.3, 0.5), (30, 0.4, 0.4), (25, 0.9, 1.0)],
)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_exact_power_is_the_sum_over_all_outcomes(questions, effect, discordance, alpha):
    assert sign_test_power(questions, effect, discordance, alpha=alpha) == pytest.approx(
        enumerated_power(questions, effect, discordance, alpha)
    )


@given(st.floats(0.02, 1), st.floats(0.1, 1))
@settings(max_examples=25, deadline=None)
def test_the_exact_number_reaches_the_power_and_one_fewer_does_not(discordance, share):
    effect = max(0.02, share * discordance)
    if effect <= discordance:
        needed = examples_needed_exactly(effect, discordance)
        assert sign_test_power(needed, effect, discordance) >= 0.8
        assert needed == 1 or sign_test_power(needed - 1, effect, discordance) < 0.8


@given(st.integers(20, 1000), st.floats(0.05, 1))
@settings(max_examples=25, deadline=None)
def test_the_detectable_effect_is_found_with_the_power_asked_for(questions, discordance):
    effect = detectable_effect(questions, discordance)
    if effect is None:
        assert sign_test_power(questions, discordance, discordance) < 0.8
    else:
        assert 0 < effect <= discordance
        assert sign_test_power(questions, effect, discordance) == pytest.approx(0.8, abs=1e-3)


def test_five_discordant_questions_can_show_nothing():
    # Five wins and no loss give p = 0.0625.
    assert detectable_effect(5, 1.0) is None
    assert detectable_effect(100, 0.0) is None


def test_the_published_run_could_have_found_six_points():
    assert round(100 * detectable_effect(503, PUBLISHED), 1) == 6.4


def test_mean_differences_are_those_of_statsmodels():
    found = detectable_mean_difference(0.3, 100)
    assert TTestPower().power(found / 0.3, 100, 0.05) == pytest.approx(0.8, abs=1e-4)
    assert found == pytest.approx(0.3 * (1.96 + 0.8416) / np.sqrt(100), rel=0.02)
    assert detectable_mean_difference(0.0, 100) is None
    assert detectable_mean_difference(0.3, 1) is None


@pytest.mark.parametrize(
    ("effect", "discordance", "message"),
    [(0.3, 0.2, "effect"), (-0.1, 0.2, "effect"), (0.1, 0, "discordance"), (0.1, 1.1, "discordance"), (0, 0.2, "0")],
)
def test_impossible_effects_are_refused(effect, discordance, message):
    with pytest.raises(ValueError, match=message):
        examples_needed(effect, discordance)


def test_no_question_has_no_power():
    with pytest.raises(ValueError, match="questions"):
        sign_test_power(0, 0.1, 0.2)
