import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from plancheck.statistics.bootstrap import paired_bootstrap
from plancheck.statistics.pairs import join_pairs

SCORES = st.lists(st.tuples(st.sampled_from([0, 1, 0.5]), st.sampled_from([0, 1])), min_size=2, max_size=40)


def interval(differences, *, seed=0, resamples=200, **kwargs):
    found = paired_bootstrap(differences, generator=np.random.default_rng(seed), resamples=resamples, **kwargs)
    return found.low, found.high


def arms(scores):
    return (
        [(f"q{i}", treatment) for i, (treatment, _) in enumerate(scores)],
        [(f"q{i}", control) for i, (_, control) in enumerate(scores)],
    )


def test_the_published_held_out_interval():
    low, high = interval(np.repeat([1, -1, 0], [12, 20, 120]), resamples=10_000)
    assert (round(100 * low, 1), round(100 * high, 1)) == (-12.5, 2.0)


@given(SCORES)
@settings(max_examples=30, deadline=None)
def test_swapping_the_arms_mirrors_the_interval(scores):
    treatment, control = arms(scores)
    low, high = interval(join_pairs(treatment, control).differences)
    assert interval(join_pairs(control, treatment).differences) == pytest.approx((-high, -low))


@given(SCORES, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_permuting_the_questions_changes_nothing(scores, random):
    treatment, control = arms(scores)
    before = interval(join_pairs(treatment, control).differences)
    random.shuffle(treatment)
    random.shuffle(control)
    assert interval(join_pairs(treatment, control).differences) == before


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=2, max_size=40))
@settings(max_examples=30, deadline=None)
def test_one_question_a_cluster_equals_the_plain_bootstrap(differences):
    clusters = [f"context {i}" for i in range(len(differences))]
    assert interval(differences, clusters=clusters) == interval(differences)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
@settings(max_examples=30, deadline=None)
def test_scipy_agrees(differences):
    expected = bootstrap(
        (np.array(differences),), np.mean, n_resamples=200, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    assert interval(differences) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_equal_arms_give_an_interval_of_0():
    assert interval([0, 0, 0]) == (0, 0)


def test_doubling_every_question_in_its_context_narrows_nothing_when_contexts_are_resampled():
    once = np.repeat([1, -1, 0], [12, 20, 60])
    twice, contexts = np.repeat(once, 2), np.repeat(np.arange(len(once)), 2).tolist()

    assert interval(twice, clusters=contexts) == pytest.approx(interval(once))
    low, high = interval(twice, resamples=2000)
    expected_low, expected_high = interval(once, resamples=2000)
    assert high - low < 0.8 * (expected_high - expected_low)


def test_unequal_clusters_weigh_by_their_questions():
    # Two clusters: the mean of a resample is over its questions, so (2 * 1 + 0) / 3 and the pure draws alone occur.
    low, high = interval([1, 1, 0], clusters=["a", "a", "b"], resamples=500)
    assert (low, high) == (0, 1)


@pytest.mark.parametrize(
    ("differences", "clusters", "message"),
    [
        ([1], None, "at least 2"),
        ([], None, "at least 2"),
        ([1, 0], ["a", "a"], "got 1"),
        ([1, 0], ["a"], "1 clusters given for 2"),
        ([1, np.nan], None, "finite"),
        ([[1, 0]], None, "one finite number"),
    ],
)
def test_what_cannot_be_resampled_is_refused(differences, clusters, message):
    with pytest.raises(ValueError, match=message):
        interval(differences, clusters=clusters)


MANY = st.tuples(st.integers(1, 120), st.integers(1, 120), st.integers(170, 400))


@given(MANY, st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_counts_of_many_draws_give_the_interval_that_the_draws_give(times, random):
    """Both are quantiles of 10,000 means; a mean is a multiple of 1/n, and the quantiles may differ by two of them."""
    differences = np.repeat([1, -1, 0], times)
    random.shuffle(differences)
    found = bootstrap(
        (differences.astype(float),), np.mean, n_resamples=10_000, method="percentile", batch=500,
        rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    low, high = interval(differences, resamples=10_000)
    assert (low, high) == pytest.approx((found.low, found.high), abs=2.5 / len(differences))
    assert interval(-differences, resamples=10_000) == pytest.approx((-high, -low))
    assert interval(differences, resamples=10_000, clusters=list(range(len(differences)))) == (low, high)


def test_counts_of_clusters_give_the_interval_that_drawing_clusters_gives():
    """300 contexts of one or three questions, right or wrong together."""
    generator = np.random.default_rng(3)
    sizes, signs = generator.choice([1, 3], 300), generator.choice([1, 0, -1], 300, p=[0.4, 0.4, 0.2])
    differences, clusters = np.repeat(signs, sizes), np.repeat(np.arange(300), sizes).tolist()
    drawn = generator.integers(300, size=(10_000, 300))
    means = (signs * sizes)[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    expected = np.percentile(means, [2.5, 97.5])
    assert interval(differences, clusters=clusters, resamples=10_000) == pytest.approx(tuple(expected), abs=0.006)


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=41), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_whole_numbers_give_the_means_of_the_draws_to_the_last_bit_however_often_a_state_comes_again(values, seed):
    """The first context has two questions, so that sizes count."""
    sums, sizes = np.array([values[0] + values[1], *values[2:]]), np.array([2, *[1] * (len(values) - 2)])
    by_hand, generator = np.random.default_rng(seed), np.random.default_rng(seed)
    places = by_hand.integers(len(sums), size=(200, len(sums)))
    expected = np.percentile(sums[places].sum(axis=1) / sizes[places].sum(axis=1), [50 * (1 - 0.95), 50 * (1 + 0.95)])
    found = paired_bootstrap(values, generator=generator, resamples=200, clusters=[0, *range(len(sums))])
    assert (found.low, found.high) == tuple(expected)
    assert generator.integers(1 << 40) == by_hand.integers(1 << 40)
