import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.params import Policy
from plancheck.policies import Rankings, order, rerank_first
from plancheck.records import Atom

ATOMS = [Atom(f"a{i}", "c", i * 10, i * 10 + 10, 0) for i in range(4)]
RANKINGS = Rankings(bm25=(2, 0, 1, 3), dense=(3, 2, 0, 1), mmr=(3, 0, 2, 1), rerank=(1, 3, 2, 0))


def positions(policy, question_id="q", seed=1):
    found = order(Policy.model_validate(policy), RANKINGS, ATOMS, question_id=question_id, seed=seed, rrf_k=60)
    return [ATOMS.index(atom) for atom in found]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"fill": "none"}, []),
        ({"fill": "bm25"}, [2, 0, 1, 3]),
        ({"fill": "dense"}, [3, 2, 0, 1]),
        ({"fill": "mmr"}, [3, 0, 2, 1]),
        ({"fill": "rerank"}, [1, 3, 2, 0]),
        ({"fill": {"bm25": 1, "dense": 1}}, [2, 3, 0, 1]),
        ({"fill": {"bm25": 1, "dense": 9}}, [3, 2, 0, 1]),
        ({"anchors": {"ranking": "bm25", "atoms": 2}, "fill": "dense"}, [2, 0, 3, 1]),
        ({"anchors": {"ranking": "bm25", "atoms": 9}, "fill": "dense"}, [2, 0, 1, 3]),
        ({"anchors": {"ranking": "bm25", "atoms": 1}, "fill": {"bm25": 1, "dense": 1}}, [2, 3, 0, 1]),
    ],
)
def test_anchors_come_first_and_the_fill_follows_without_them(policy, expected):
    assert positions(policy) == expected


def test_random_is_seeded_per_question():
    many = {tuple(positions({"fill": "random"}, question_id=f"q{i}")) for i in range(30)}
    assert len(many) > 5
    assert positions({"fill": "random"}) == positions({"fill": "random"})
    assert any(positions({"fill": "random"}, seed=seed) != positions({"fill": "random"}) for seed in range(2, 9))


@pytest.mark.parametrize("fill", ["head", "head_tail"])
def test_fills_that_show_spans_order_no_atoms(fill):
    with pytest.raises(ValueError, match="orders no atoms"):
        positions({"fill": fill})


@given(st.permutations(range(6)), st.lists(st.integers(0, 5), unique=True))
def test_the_reranked_pool_leads_and_the_rest_follows_in_hybrid_order(hybrid, pool):
    ranking = rerank_first([(position, rank) for rank, position in enumerate(pool, start=1)], tuple(hybrid))

    assert sorted(ranking) == list(range(6))
    assert list(ranking[: len(pool)]) == pool
    rest = ranking[len(pool) :]
    assert list(rest) == [position for position in hybrid if position in rest]
