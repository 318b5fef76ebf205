"""Score flatness: known answers, the definition of the Gini coefficient, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.statistics.flatness import Flatness, flatness

SCORES = st.lists(st.integers(-1000, 1000).map(float), min_size=1, max_size=30)
FLAT = Flatness(normalised_entropy=1.0, top_gap=0.0, gini=0.0, variation=0.0)


def values(found):
    return found.normalised_entropy, found.top_gap, found.gini, found.variation


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([3.0], (1, 0, 0, 0)),
        ([-2.0, -2.0, -2.0], (1, 0, 0, 0)),
        ([1.0, 0.0], (0, 1, 0.5, 1)),
        ([5.0, 5.0, 1.0], (math.log(2) / math.log(3), 0, 1 / 3, math.sqrt(1 / 2))),
        ([0.0, 0.0, 0.0, 7.0], (0, 1, 0.75, math.sqrt(3))),
        ([-1.0, -3.0, -5.0], ((math.log(3) - 2 / 3 * math.log(2)) / math.log(3), 0.5, 4 / 9, math.sqrt(2 / 3))),
    ],
)
def test_known_answers(scores, expected):
    assert values(flatness(scores)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scores", [[], [1.0, math.nan], [math.inf, 0.0]])
def test_no_score_or_one_that_is_not_finite_is_an_error(scores):
    with pytest.raises(ValueError, match="finite"):
        flatness(scores)


@given(scores=SCORES)
def test_gini_is_half_the_mean_difference_of_two_scores_over_their_mean(scores):
    x = np.array(scores) - min(scores)
    expected = np.abs(x[:, None] - x[None, :]).mean() / (2 * x.mean()) if x.any() else 0
    assert flatness(scores).gini == pytest.approx(expected, abs=1e-9)


@given(scores=SCORES, shift=st.integers(-1000, 1000), scale=st.sampled_from([0.25, 2.0, 7.0]))
def test_no_shift_or_scaling_changes_a_statistic(scores, shift, scale):
    moved = [scale * score + shift for score in scores]
    assert values(flatness(moved)) == pytest.approx(values(flatness(scores)), abs=1e-9)


@given(scores=SCORES, data=st.data())
def test_the_order_of_the_scores_changes_nothing(scores, data):
    assert flatness(data.draw(st.permutations(scores))) == flatness(scores)


@given(scores=SCORES)
def test_each_statistic_is_in_its_range_and_only_equal_scores_are_flat(scores):
    found, n = flatness(scores), len(scores)
    assert 0 <= found.normalised_entropy <= 1
    assert 0 <= found.top_gap <= 1
    assert 0 <= found.gini <= (n - 1) / n + 1e-9
    assert 0 <= found.variation <= math.sqrt(n - 1) + 1e-9
    assert (found == FLAT) == (len(set(scores)) == 1)
