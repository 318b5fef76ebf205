"""Rankings made of others or of nothing, and every declared ranking from what the tables hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from plancheck.known import complete
from plancheck.params.rankings import Fusion, Position, Random, Rankings
from plancheck.records import Atom
from plancheck.retrieval.derived import derived, pool_first
from plancheck.retrieval.fusion import reciprocal_rank

ATOMS = [Atom(f"a{i}", "c", i * 10, i * 10 + 10, 0) for i in range(4)]
PERMUTATIONS = st.permutations(range(4)).map(tuple)


def at_random(question_id="q", seed=1):
    return derived(Random(kind="random", seed=seed), {}, ATOMS, question_id=question_id).ranking


def test_random_is_seeded_per_question():
    assert len({at_random(f"q{number}") for number in range(30)}) > 5
    assert at_random() == at_random()
    assert any(at_random(seed=seed) != at_random() for seed in range(2, 9))
    assert all(sorted(at_random(seed=seed)) == [0, 1, 2, 3] for seed in range(9))


def test_position_is_the_order_in_the_context():
    assert derived(Position(kind="position"), {}, ATOMS, question_id="q").ranking == (0, 1, 2, 3)


@given(PERMUTATIONS, PERMUTATIONS, st.integers(1, 5), st.integers(1, 90))
def test_a_fusion_follows_its_scores_and_is_that_of_the_same_weights_in_a_policy(one, other, weight, k):
    spec = Fusion(kind="fusion", weights={"one": weight, "other": 1}, k=k)
    found = derived(spec, {"other": other, "one": one, "unused": one}, ATOMS, question_id="q")
    assert found.ranking == reciprocal_rank([one, other], k=k, weights=[weight, 1])
    scores = [found.scores[position] for position in found.ranking]
    assert scores == sorted(scores, reverse=True)


@given(st.permutations(range(6)).map(tuple), st.lists(st.integers(0, 5), unique=True))
def test_the_pool_leads_and_the_rest_follows_in_the_order_of_another_ranking(other, pool):
    ranking = pool_first(pool, other)
    assert sorted(ranking) == list(range(6))
    assert list(ranking[: len(pool)]) == pool
    rest = ranking[len(pool) :]
    assert list(rest) == [position for position in other if position in rest]


DECLARED = TypeAdapter(Rankings).validate_python(
    {
        "both": {"kind": "fusion", "weights": {"read": 1, "bm25": 1}},
        "read": {"kind": "cross_encoder", "model": "reranker", "coverage": "head", "rest": "bm25"},
        "bm25": {"kind": "bm25", "variant": "okapi"},
    }
)


def test_every_declared_ranking_is_of_all_atoms_also_one_made_of_a_cross_encoders():
    found, missing = complete({"bm25": ["a2", "a0", "a1", "a3"], "read": ["a1", "a2"]}, DECLARED, ATOMS, "q")
    assert not missing
    assert found["read"] == (1, 2, 0, 3)
    assert found["both"] == reciprocal_rank([(1, 2, 0, 3), (2, 0, 1, 3)], k=60)


@pytest.mark.parametrize(
    ("stored", "missing"),
    [
        ({"read": ["a1"]}, {"bm25", "read", "both"}),
        ({"bm25": ["a0", "a1", "a2", "a3"]}, {"read", "both"}),
    ],
)
def test_what_was_not_made_is_named_with_all_that_is_made_of_it(stored, missing):
    assert set(complete(stored, DECLARED, ATOMS, "q")[1]) == missing
