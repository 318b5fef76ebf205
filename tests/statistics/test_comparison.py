import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.statistics.comparison import compare
from plancheck.statistics.pairs import join_pairs


def compared(differences_by_kind, **kwargs):
    """Wins, losses, both right, both wrong."""
    wins, losses, right, wrong = differences_by_kind
    treatment = [1] * wins + [0] * losses + [1] * right + [0] * wrong
    control = [0] * wins + [1] * losses + [1] * right + [0] * wrong
    ids = [f"q{i:04}" for i in range(len(treatment))]
    pairs = join_pairs(list(zip(ids, treatment, strict=True)), list(zip(ids, control, strict=True)))
    return compare(pairs, generator=np.random.default_rng(0), **kwargs)


def test_the_published_held_out_comparison():
    found = compared((12, 20, 44, 76))
    assert (found.treatment.correct, found.control.correct, found.questions) == (56, 64, 152)
    assert (round(100 * found.treatment.mean, 2), round(100 * found.control.mean, 2)) == (36.84, 42.11)
    assert round(found.p, 3) == 0.215
    assert (round(100 * found.interval.low, 1), round(100 * found.interval.high, 1)) == (-12.5, 2.0)


def test_the_published_planner_and_reranker():
    found = compared((68, 59, 113, 263), resamples=500)
    assert (found.treatment.correct, found.control.correct) == (181, 172)
    assert (round(100 * found.treatment.mean, 2), round(100 * found.control.mean, 2)) == (35.98, 34.19)
    assert (round(100 * found.difference, 2), round(found.p, 3)) == (1.79, 0.478)
    assert found.discordance == 127 / 503


@given(st.integers(1, 20), st.integers(1, 20))
@settings(max_examples=20, deadline=None)
def test_identical_arms_give_p_of_1_and_no_difference(right, wrong):
    found = compared((0, 0, right, wrong), resamples=50)
    assert (found.p, found.difference, found.interval.low, found.interval.high) == (1, 0, 0, 0)
    assert found.detectable is None


@given(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=20, deadline=None)
def test_swapping_the_arms_mirrors_the_comparison(wins, losses, right, wrong):
    rows = [(1, 0)] * wins + [(0, 1)] * losses + [(1, 1)] * right + [(0, 0)] * wrong
    a, b = ([(f"q{i}", row[arm]) for i, row in enumerate(rows)] for arm in (0, 1))
    one, other = (
        compare(join_pairs(*arms), generator=np.random.default_rng(0), resamples=100) for arms in ((a, b), (b, a))
    )
    assert other.difference == pytest.approx(-one.difference)
    assert (other.interval.low, other.interval.high) == pytest.approx((-one.interval.high, -one.interval.low))
    assert (other.treatment, other.control) == (one.control, one.treatment)
    assert (other.p, other.discordance, other.detectable) == (one.p, one.discordance, one.detectable)


def test_scores_that_are_not_0_or_1_have_means_alone():
    pairs = join_pairs([("a", 0.5), ("b", 0.2), ("c", 1)], [("a", 0.1), ("b", 0.3), ("c", 0.4)])
    found = compare(pairs, generator=np.random.default_rng(0), resamples=100)
    assert found.treatment.interval is None and found.control.correct is None
    assert (found.outcomes.wins, found.outcomes.losses) == (2, 1)
    assert found.detectable > 0
