"""What rankings, models and policies may not be, each told where it stands, and what any number of them may be."""

import pytest

from plancheck.params.rankings import read_by_models, scorers
from plancheck.params.study import parse_params
from plancheck.plumbing.errors import StudyError


def with_values(values, changes):
    """The parameters with others at their paths; ``...`` drops one."""
    for path, value in changes.items():
        *parents, name = path.split("/")
        place = values
        for parent in parents:
            place = place[parent]
        if value is ...:
            del place[name]
        else:
            place[name] = value
    return values


FUSED = {"kind": "fusion", "weights": {"bm25": 1, "dense": 1}}
ENCODED = {"kind": "dense", "model": "encoder", "coverage": "head"}
READ = {"kind": "cross_encoder", "model": "reranker", "coverage": "head", "rest": "hybrid"}
RUN = {"kind": "run", "path": "given/runs/mine.run"}
MINE = {"pack/policies/mine": {"fill": "mine"}}
FOLDER = {"source": "path", "path": "mine"}

PLANNER = {"selectors/sft_early/adapter": ..., "selectors/sft_early/model": "big"}

BAD = {
    "a planner of a model that there is not": (
        PLANNER, ["selectors.sft_early.model: there is no role 'big' in models"],
    ),
    "a planner with an adapter that there is not": (
        {"selectors/sft_early/adapter": "lora"}, ["selectors.sft_early.adapter: there is no role 'lora' in models"],
    ),
    "an adapter of this study for another model": (
        {"models/big": FOLDER, "selectors/sft_early/model": "big"},
        ["selectors.sft_early.planner: adapter 'early' is trained for models.planner, and model is 'big'"],
    ),
    "an adapter that another planner takes for a model": (
        PLANNER | {"models/big": FOLDER, "selectors/sft/adapter": "big"},
        ["selectors.sft_early.model: 'big' is an adapter of another selector, and this must be a model"],
    ),
    "a role that is called as an adapter of this study is": (
        PLANNER | {"models/last": FOLDER, "selectors/sft_early/model": "last"},
        ["models.last: 'last' is what selectors call an adapter of stage train"],
    ),
    "a planner of a cross-encoder": (
        {"selectors/prompted/model": "reranker"}, ["selectors.prompted.model: source tuned makes a cross-encoder"],
    ),
    "a kind that there is not": ({"rankings/mine": {"kind": "bm26"}}, ["rankings.mine", "'bm26'", "'bm25'"]),
    "a field of another kind": ({"rankings/bm25/weights": {"dense": 1}}, ["rankings.bm25.bm25.weights", "permitted"]),
    "a lambda above 1": ({"rankings/mmr/lambda": 1.5}, ["rankings.mmr.mmr.lambda", "less than or equal to 1"]),
    "a fusion of nothing": ({"rankings/hybrid/weights": {}}, ["rankings.hybrid.fusion.weights", "at least 1 item"]),
    "a weight of 0": ({"rankings/hybrid/weights": {"bm25": 0}}, ["rankings.hybrid.fusion.weights.bm25"]),
    "no ranking": ({"rankings": {}}, ["rankings: Dictionary should have at least 1 item"]),
    "an unknown ranking in a policy": (
        {"pack/policies/bm25": {"fill": "bm52"}},
        ["pack.policies.bm25: there is no ranking 'bm52'; declare it in rankings, or name one of bm25, dense"],
    ),
    "an unknown ranking in a policy's fusion": (
        {"pack/policies/bm25": {"fill": {"bm52": 1}}}, ["pack.policies.bm25: there is no ranking 'bm52'"],
    ),
    "an unknown ranking of anchors": (
        {"pack/policies/bm25": {"fill": "bm25", "anchors": {"ranking": "bm52", "atoms": 1}}},
        ["pack.policies.bm25: there is no ranking 'bm52'"],
    ),
    "an order by a ranking that was dropped": (
        {"rankings/hybrid": ..., "rankings/rerank/rest": "bm25", "rankings/rerank_tuned/rest": "bm25"},
        ["pack.policies.sft+hybrid_order: there is no ranking 'hybrid'"],
    ),
    "an unknown ranking in the pool": (
        {"retrieve/pool/rankings": ["bm25", "e5"]}, ["retrieve.pool.rankings: there is no ranking 'e5'"],
    ),
    "an unknown ranking in a fusion": (
        {"rankings/hybrid/weights": {"bm25": 1, "e5": 1}}, ["rankings.hybrid: there is no ranking 'e5'"],
    ),
    "an unknown rest": ({"rankings/rerank/rest": "e5"}, ["rankings.rerank: there is no ranking 'e5'"]),
    "a pool of one ranking twice": (
        {"retrieve/pool/rankings": ["bm25", "bm25"]}, ["retrieve.pool.rankings", "'bm25' comes twice"],
    ),
    "a circle of fusions": (
        {"rankings/hybrid/weights": {"mine": 1}, "rankings/mine": {"kind": "fusion", "weights": {"hybrid": 1}}},
        ["rankings.hybrid: is made of itself, by way of mine", "rankings.mine: is made of itself, by way of hybrid"],
    ),
    "a fusion of itself": (
        {"rankings/hybrid/weights": {"hybrid": 1}}, ["rankings.hybrid: is made of itself, by way of hybrid; break"],
    ),
    "diversity of words": (
        {"rankings/mmr/of": "bm25"}, ["rankings.mmr.of: 'bm25' is of kind bm25 and has no vectors; name one of kind"],
    ),
    "a pool that needs the pool": (
        {"retrieve/pool/rankings": ["bm25", "rerank"]},
        ["retrieve.pool.rankings: 'rerank' needs a cross-encoder, which reads the pool"],
    ),
    "a pool of a fusion that needs the pool": (
        {"rankings/mine": {"kind": "fusion", "weights": {"rerank": 1}}, "retrieve/pool/rankings": ["mine"]},
        ["retrieve.pool.rankings: 'mine' needs a cross-encoder"],
    ),
    "a ranking called as a fill": (
        {"rankings/head": FUSED}, ["rankings.head: 'head' is a fill that orders no atoms; call your ranking different"],
    ),
    "a ranking called as a side": ({"rankings/planner": ENCODED}, ["rankings.planner: 'planner' is what router fea"]),
    "an unknown role of an encoder": (
        {"rankings/dense/model": "e5"},
        ["rankings.dense.model: there is no role 'e5' in models (answer, planner, encoder, reranker)"],
    ),
    "an unknown role of a cross-encoder": (
        {"rankings/rerank/model": "e5"}, ["rankings.rerank.model: there is no role 'e5' in models"],
    ),
    "an encoder that stage tune makes": (
        {"rankings/dense/model": "reranker_tuned"}, ["rankings.dense.model: there is no role 'reranker_tuned'"],
    ),
    "an unknown role of an encoder that is tuned": (
        {"models/reranker/encoder": "e5"}, ["models.reranker.encoder: there is no role 'e5' in models"],
    ),
    "an unknown base": ({"tune/base": "e5"}, ["tune.base: there is no role 'e5' in models"]),
    "no planner": ({"models/planner": ...}, ["models: there is no role 'planner', which every study has; add it"]),
    "a role that nothing uses": ({"models/e5": FOLDER}, ["models.e5: nothing uses it; use it or drop it"]),
    "an encoder of source tuned": (
        {"rankings/dense/model": "reranker"}, ["rankings.dense.model: source tuned makes a cross-encoder"],
    ),
    "an answer model of source tuned": (
        {"models/answer": {"source": "tuned", "questions": 9, "negatives": 1, "epochs": 1, "batch_size": 1,
                           "learning_rate": 0.1, "seed": 3}},
        ["models.answer: source tuned makes a cross-encoder"],
    ),
    "a tuned role that is there": (
        {"models/reranker_tuned": FOLDER}, ["tune.role: 'reranker_tuned' is in models, and stage tune makes"],
    ),
    "a tuned role that is off": (
        {"tune/enabled": False}, ["tune.enabled: is false, but rankings rerank_tuned use 'reranker_tuned'"],
    ),
    "one tuned model read in two ways": (
        {"rankings/mine": READ | {"model": "reranker_tuned"}, **MINE},
        ["rankings rerank_tuned, mine: differ in coverage, and 'reranker_tuned' learns from what it reads"],
    ),
    "a run that DVC does not see": (
        {"rankings/mine": RUN | {"path": "/tmp/mine.run"}, **MINE},
        ["rankings.mine.path: /tmp/mine.run: put the run into given/runs/, so that DVC sees when it changes"],
    ),
    "a run that leads out of its folder": (
        {"rankings/mine": RUN | {"path": "given/runs/../mine.run"}, **MINE}, ["put the run into given/runs/"],
    ),
    "an adapter that DVC does not see": (
        {"models/mine": FOLDER, "selectors/prompted/adapter": "mine"},
        ["models.mine.path: mine: put the adapter's folder into given/adapters/, so that DVC sees when it changes"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "told"), BAD.values(), ids=BAD)
def test_what_does_not_fit_is_told_with_its_place_and_remedy(changes, told, composed):
    with pytest.raises(StudyError) as caught:
        parse_params(with_values(composed("demo"), changes), name="demo")
    assert [part for part in told if part not in str(caught.value)] == []


def test_any_number_of_each_kind_with_models_of_any_name(composed):
    changes = {
        "models/e5": FOLDER, "models/minilm_cross": FOLDER,
        "rankings/e5": ENCODED | {"model": "e5", "query_prefix": "query: ", "passage_prefix": "passage: "},
        "rankings/e5_apart": {"kind": "mmr", "of": "e5", "lambda": 0.3},
        "rankings/second": READ | {"model": "minilm_cross", "rest": "mine"},
        "rankings/mine": RUN,
        "rankings/all": {"kind": "fusion", "weights": {"second": 2, "e5_apart": 1, "place": 1}, "k": 10},
        "rankings/place": {"kind": "position"},
        "retrieve/pool/rankings": ["bm25", "mine", "e5"],
        "pack/policies/mine": {"fill": "all", "anchors": {"ranking": "second", "atoms": 1}},
    }  # fmt: skip
    params = parse_params(with_values(composed("demo"), changes), name="demo")
    assert list(scorers(params.rankings, params.tune.role)) == ["bm25", "dense", "rerank", "e5", "second"]
    assert [name for name in params.rankings if read_by_models(params.rankings, name)] == [
        "rerank", "rerank_tuned", "second", "all",
    ]  # fmt: skip
    again = params.model_dump(mode="json")
    assert parse_params(again, name="demo") == params
    assert again["rankings"]["mmr"]["lambda"] == 0.5
