from itertools import combinations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from plancheck.mechanisms.win_loss import FEWEST, win_loss_test


def enumerated(wins, losses):
    """The two-sided p over every way to split the values into wins and losses."""
    values = np.array([*wins, *losses])

    def statistic(chosen):
        other = np.delete(values, chosen)
        return sum(np.sum(value > other) + np.sum(value == other) / 2 for value in values[chosen])

    seen = statistic(np.arange(len(wins)))
    all_statistics = [statistic(np.array(chosen)) for chosen in combinations(range(len(values)), len(wins))]
    above, below = np.mean([u >= seen for u in all_statistics]), np.mean([u <= seen for u in all_statistics])
    return min(1.0, 2 * min(above, below))


@pytest.mark.parametrize(
    ("wins", "losses"),
    [
        ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]),
        ([0, 0, 1, 1, 1], [0, 0, 0, 0, 1]),
        ([1, 2, 2, 3, 9], [2, 2, 4, 5, 6, 7]),
    ],
)
def test_few_values_are_tested_exactly_also_with_ties(wins, losses):
    assert win_loss_test(wins, losses) == pytest.approx(enumerated(wins, losses))


def test_many_values_are_tested_as_scipy_does():
    generator = np.random.default_rng(5)
    wins, losses = generator.random(40).tolist(), (generator.random(30) + 0.1).tolist()
    assert win_loss_test(wins, losses) == mannwhitneyu(wins, losses, alternative="two-sided").pvalue


def test_swapping_wins_and_losses_changes_nothing():
    wins, losses = [1, 2, 2, 3, 9], [2, 2, 4, 5, 6, 7]
    assert win_loss_test(wins, losses) == pytest.approx(win_loss_test(losses, wins))


def test_p_is_never_0_and_1_for_equal_values():
    assert win_loss_test(list(range(500)), list(range(1000, 9000))) > 0
    assert win_loss_test([1.0] * 6, [1.0] * 7) == 1


@pytest.mark.parametrize(("wins", "losses"), [(FEWEST - 1, 50), (50, FEWEST - 1), (0, 0)])
def test_too_few_wins_or_losses_are_not_tested(wins, losses):
    assert win_loss_test([1.0] * wins, [2.0] * losses) is None
