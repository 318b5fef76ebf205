"""Rankings of atoms: fusion, diversity, pools, cosines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.retrieval.candidates import candidate_pool
from plancheck.retrieval.dense import cosines
from plancheck.retrieval.diversity import maximal_marginal_relevance
from plancheck.retrieval.fusion import reciprocal_rank
from plancheck.retrieval.ranking import by_score, ranks


def permutations(n):
    return st.permutations(range(n)).map(tuple)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_equal_scores_keep_the_earlier_atom():
    assert by_score([1.0, 3.0, 1.0, 3.0]) == (1, 3, 0, 2)


def test_no_scores_make_an_empty_ranking():
    assert by_score([]) == ()


def test_a_score_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        by_score([1.0, float("nan")])


@given(permutations(7))
def test_ranks_invert_a_ranking(ranking):
    assert [ranking[rank - 1] for rank in ranks(ranking)] == list(range(7))


def test_reciprocal_rank_by_hand():
    # k = 60: atom 0 has 1/61 + 1/63, atom 1 has 1/62 + 1/61, atom 2 has 1/63 + 1/62.
    assert reciprocal_rank([(0, 1, 2), (1, 2, 0)], k=60) == (1, 0, 2)


def test_weights_shift_a_fusion():
    assert reciprocal_rank([(0, 1, 2), (2, 1, 0)], k=1, weights=[3, 1]) == (0, 1, 2)


def test_equal_sums_keep_the_earlier_atom():
    assert reciprocal_rank([(0, 1), (1, 0)], k=60) == (0, 1)


@given(permutations(6), st.integers(1, 100), st.integers(1, 4))
def test_fusing_copies_of_one_ranking_gives_it_back(ranking, k, copies):
    assert reciprocal_rank([ranking] * copies, k=k) == ranking


@given(st.lists(permutations(6), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_fused_rankings_changes_nothing(rankings, random):
    shuffled = list(rankings)
    random.shuffle(shuffled)
    assert reciprocal_rank(rankings, k=60) == reciprocal_rank(shuffled, k=60)


def test_rankings_of_other_atoms_are_refused():
    with pytest.raises(ValueError, match="same atom positions"):
        reciprocal_rank([(0, 1), (0, 2)], k=60)


def test_the_pool_takes_turns_and_holds_an_atom_once():
    assert candidate_pool([(0, 1, 2, 3), (3, 0, 1, 2)], size=3) == (0, 3, 1)
    assert candidate_pool([(0, 1, 2), (2, 0, 1), (1, 0, 2)], size=3) == (0, 2, 1)
    assert candidate_pool([(2, 0, 1)], size=2) == (2, 0)


@given(st.lists(permutations(8), min_size=1, max_size=4), st.integers(1, 12))
def test_the_pool_holds_the_best_of_each(rankings, size):
    pool = candidate_pool(rankings, size=size)
    assert len(pool) == len(set(pool)) == min(size, 8)
    assert pool[0] == rankings[0][0]
    assert size < len(rankings) or {ranking[0] for ranking in rankings} <= set(pool)


def test_an_atom_counts_by_its_nearest_part():
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], dtype=np.float32)
    assert cosines(np.array([0.0, 1.0]), vectors, [0, 0, 1], atoms=2).tolist() == [1.0, 0.8]


def test_an_atom_without_a_vector_is_refused():
    with pytest.raises(ValueError, match="every atom"):
        cosines(np.array([1.0, 0.0]), np.array([[1.0, 0.0]]), [0], atoms=2)


def test_mmr_passes_over_a_near_copy():
    vectors = unit(np.array([[1.0, 0.0, 0.0], [0.99, 0.14, 0.0], [0.0, 0.0, 1.0]]))
    relevance = np.array([0.9, 0.89, 0.5])
    assert maximal_marginal_relevance(relevance, vectors, trade_off=0.5) == (0, 2, 1)


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(0, 2**31), st.floats(0, 1))
def test_mmr_is_a_permutation_equal_to_the_textbook_loop(n, seed, trade_off):
    generator = np.random.default_rng(seed)
    vectors = unit(generator.normal(size=(n, 4)))
    relevance = np.round(generator.uniform(-1, 1, size=n), 6)

    taken = []
    while len(taken) < n:

        def value(i):
            nearest = max((float(vectors[i] @ vectors[j]) for j in taken), default=0.0)
            return round(trade_off * relevance[i] - (1 - trade_off) * nearest, 6)

        left = [i for i in range(n) if i not in taken]
        taken.append(max(left, key=lambda i: (value(i), -i)))

    assert maximal_marginal_relevance(relevance, vectors, trade_off=trade_off) == tuple(taken)


@given(st.integers(1, 8), st.integers(0, 2**31))
def test_mmr_of_pure_relevance_is_the_dense_ranking(n, seed):
    generator = np.random.default_rng(seed)
    relevance = np.round(generator.uniform(-1, 1, size=n), 6)
    vectors = unit(generator.normal(size=(n, 3)))
    assert maximal_marginal_relevance(relevance, vectors, trade_off=1.0) == by_score(relevance)
