"""The sign-flip test against all flips counted one by one, the sign test and the t test."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import permutation_test, ttest_1samp

from plancheck.statistics.flips import sign_flip_test
from plancheck.statistics.signs import sign_test


def generator():
    return np.random.default_rng(0)


def counted(sums):
    """The share of all flips whose sum is as far from 0, in whole numbers."""
    flips = [
        abs(sum(sign * value for sign, value in zip(signs, sums, strict=True)))
        for signs in product((1, -1), repeat=len(sums))
    ]
    return sum(flip >= abs(sum(sums)) for flip in flips) / len(flips)


@given(st.lists(st.integers(-6, 6), min_size=2, max_size=9))
def test_small_samples_are_exact(differences):
    assert sign_flip_test(differences, generator=generator()) == pytest.approx(counted(differences))


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.integers(-3, 3)), min_size=2, max_size=12))
def test_clusters_are_flipped_as_wholes(members):
    names = [name for name, _ in members]
    assume(len(set(names)) > 1)
    sums = [sum(value for name, value in members if name == wanted) for wanted in sorted(set(names))]
    p = sign_flip_test([value for _, value in members], generator=generator(), clusters=names)
    assert p == pytest.approx(counted(sums))


@pytest.mark.parametrize(("wins", "losses", "ties"), [(9, 0, 1), (3, 7, 5), (1, 0, 3), (0, 0, 2), (2, 2, 0)])
def test_of_right_and_wrong_answers_it_is_the_sign_test(wins, losses, ties):
    differences = [1] * wins + [-1] * losses + [0] * ties
    assert sign_flip_test(differences, generator=generator()) == pytest.approx(sign_test(wins, losses))


def test_of_many_questions_it_is_near_the_t_test():
    differences = np.random.default_rng(1).normal(0.15, 1, 300)
    p = sign_flip_test(differences, generator=generator(), resamples=200_000)
    assert p == pytest.approx(ttest_1samp(differences, 0).pvalue, abs=0.005)


@pytest.mark.parametrize(("number", "shift"), [(14, 0.4), (60, -0.2), (200, 0.06)])
def test_drawn_flips_are_those_of_scipy(number, shift):
    differences = np.random.default_rng(number).choice([-0.5, 0.25, 1.0], number) + shift
    theirs = permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=9_999, rng=np.random.default_rng(3)
    )
    p = sign_flip_test(differences, generator=generator(), resamples=9_999)
    assert p == pytest.approx(theirs.pvalue, abs=4 * np.sqrt(2 * theirs.pvalue / 9_999))


def test_p_is_never_0_and_the_generator_decides_it():
    differences = np.full(50, 0.25) + np.linspace(0, 0.1, 50)
    assert sign_flip_test(differences, generator=generator(), resamples=999) == pytest.approx(2 / 1000)
    noisy = np.random.default_rng(2).normal(0.1, 1, 60)
    assert sign_flip_test(noisy, generator=generator()) == sign_flip_test(noisy, generator=generator())


@pytest.mark.parametrize("differences", [[], [1.0], [1.0, float("nan")]])
def test_too_little_is_refused(differences):
    with pytest.raises(ValueError):
        sign_flip_test(differences, generator=generator())
