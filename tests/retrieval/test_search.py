"""Retrieval of one context, with an encoder that counts letters: every kind of ranking that needs no cross-encoder."""

import json

import numpy as np
import pytest
from pydantic import TypeAdapter

from plancheck.atoms import cut
from plancheck.params.rankings import Rankings
from plancheck.plumbing.errors import StudyError
from plancheck.records import RANKINGS, Question
from plancheck.retrieval.search import Asked, search_context
from plancheck.retrieval.silence import silent
from plancheck.trec import Hit


class Letters:
    """Encodes a text as how often it has each letter of the Latin alphabet."""

    max_tokens = 100

    def encode(self, texts, *, batch_size):
        counts = np.array([[1.0, *(text.count(chr(ord("a") + n)) for n in range(26))] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    def token_counts(self, texts):
        return [len(text.split()) for text in texts]

    def windows(self, text, *, tokens):
        return [text]


def questions_of(cases, name):
    for item in json.loads((cases / f"{name}.json").read_text(encoding="utf-8")):
        choices = tuple(item[f"choice_{letter}"] for letter in "ABCD")
        yield (
            Question(
                item["_id"], item["domain"], "", "easy", "short", item["question"], choices, item["answer"], item["_id"]
            ),
            item["context"],
        )


def declared(variant="lucene", **more):
    rankings = {
        "mine": {"kind": "bm25", "variant": variant},
        "letters": {"kind": "dense", "model": "encoder", "coverage": "head"},
        "apart": {"kind": "mmr", "of": "letters", "lambda": 0.5},
        "both": {"kind": "fusion", "weights": {"mine": 1, "letters": 2}},
        "read": {"kind": "cross_encoder", "model": "reranker", "coverage": "head", "rest": "both"},
    }
    return TypeAdapter(Rankings).validate_python(rankings | more)


def search(question, context, rankings, *, pool=("mine", "letters"), window_chars=8000, overlap_chars=1000, runs=None):
    atoms = cut(question.context_id, context, window_chars=window_chars, overlap_chars=overlap_chars)
    encoders = {"encoder": Letters(), "again": Letters()}
    asked = Asked([question], context, atoms, encoders, runs or {})
    return search_context(asked, rankings, pool=pool, pool_size=3, batch_size=8)


def column(found, ranking, name):
    return [row[name] for row in found.rows if row["ranking"] == ranking]


def test_questions_that_okapis_weights_change_are_counted(cases):
    items = questions_of(cases, "two_window_context_bm25")
    found = [search(*item, declared("okapi")).changes["mine"][0] for item in items]
    assert sum(change.first_atom for change in found) == 7
    assert not any(change.first_five for change in found)


@pytest.mark.parametrize("variant", ["plus", "l", "lucene"])
def test_weights_above_0_change_nothing(cases, variant):
    for item in questions_of(cases, "two_window_context_bm25"):
        assert search(*item, declared(variant)).changes == {"mine": [None]}


@pytest.mark.parametrize("other", [{"variant": "plus"}, {"variant": "okapi", "k1": 0.2, "b": 0}], ids=["plus", "k1 b"])
def test_variant_and_constants_decide_the_scores(cases, other):
    items = list(questions_of(cases, "two_window_context_bm25"))
    rankings = declared("okapi", other={"kind": "bm25", **other})
    found = [search(*item, rankings, window_chars=300, overlap_chars=30) for item in items]
    assert any(column(one, "mine", "score") != column(one, "other", "score") for one in found)


def long(cases):
    for item in questions_of(cases, "chinese_bm25"):
        yield *item, {"window_chars": 300, "overlap_chars": 30}


def test_every_ranking_without_a_cross_encoder_is_a_permutation_with_the_rows_of_the_table(cases):
    for question, context, windows in long(cases):
        found = search(question, context, declared(), **windows)
        assert all(set(row) == set(RANKINGS.names) for row in found.rows)
        assert list(dict.fromkeys(row["ranking"] for row in found.rows)) == ["mine", "letters", "apart", "both"]
        atoms = column(found, "mine", "atom_id")
        for name in ("mine", "letters", "apart", "both"):
            assert sorted(column(found, name, "rank")) == list(range(1, len(atoms) + 1))
        assert not silent(column(found, "mine", "score"))
        assert set(column(found, "apart", "score")) == {None}
        assert None not in column(found, "letters", "truncated") and set(column(found, "mine", "tokens")) == {None}
        assert [row["position"] for row in found.candidates] == sorted(row["position"] for row in found.candidates)
        assert {row["atom_id"] for row in found.candidates} <= set(atoms)
        assert len(found.candidates) == min(3, len(atoms))


def test_a_second_encoder_by_name_only_ranks_as_the_first_with_the_same_weights_and_by_its_prefixes(cases):
    dense = {"kind": "dense", "model": "again", "coverage": "head"}
    rankings = declared(again=dense, asked=dense | {"query_prefix": "zzzzzzzzzz "},
                        shown=dense | {"passage_prefix": "qqqq "})  # fmt: skip
    changed = 0
    for question, context, windows in long(cases):
        found = search(question, context, rankings, **windows)
        for name in ("score", "rank", "tokens", "truncated"):
            assert column(found, "again", name) == column(found, "letters", name)
        changed += column(found, "asked", "score") != column(found, "letters", "score")
        changed += column(found, "shown", "score") != column(found, "letters", "score")
    assert changed


def test_a_prefix_that_leaves_no_room_is_refused(cases):
    dense = {"kind": "dense", "model": "again", "coverage": "head", "passage_prefix": "a " * 100}
    question, context, _ = next(long(cases))
    with pytest.raises(StudyError, match="leaves the encoder no room for an atom"):
        search(question, context, declared(again=dense))


def test_a_ranking_written_as_a_run_comes_back_as_the_same_ranks_and_fills_a_pool(cases):
    run = {"kind": "run", "path": "given/runs/mine.run"}
    for question, context, windows in long(cases):
        whole = search(question, context, declared(), **windows)
        columns = [column(whole, "letters", name) for name in ("atom_id", "rank", "score")]
        hits = [Hit(*row) for row in zip(*columns, strict=True)]
        runs = {"mine_run": {question.question_id: hits}}
        rankings = declared(mine_run=run)
        found = search(question, context, rankings, pool=["mine", "mine_run"], runs=runs, **windows)
        for name in ("score", "rank"):
            assert column(found, "mine_run", name) == column(whole, "letters", name)
        assert found.candidates == whole.candidates
