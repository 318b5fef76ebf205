"""Retrieval of one context, with an encoder that counts letters: what it says of BM25's weights, and its rows."""

import json

import numpy as np
import pytest

from plancheck.atoms import cut
from plancheck.records import RETRIEVAL, Question
from plancheck.retrieval.search import search_context
from plancheck.retrieval.silence import silent


class Letters:
    """Encodes a text as how often it has each letter of the Latin alphabet."""

    max_tokens = 100

    def encode(self, texts, *, batch_size):
        counts = np.array([[1.0, *(text.count(chr(ord("a") + n)) for n in range(26))] for text in texts], np.float32)
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)

    def token_counts(self, texts):
        return [len(text.split()) for text in texts]

    def windows(self, text):
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


def search(question, context, variant, *, window_chars=8000, overlap_chars=1000):
    atoms = cut(question.context_id, context, window_chars=window_chars, overlap_chars=overlap_chars)
    knobs = {"coverage": "head", "pool_size": 30, "mmr_lambda": 0.5, "batch_size": 8}
    return search_context([question], context, atoms, Letters(), variant=variant, **knobs)


def test_questions_that_okapis_weights_change_are_counted(cases):
    found = [search(*item, "okapi").changes[0] for item in questions_of(cases, "two_window_context_bm25")]
    assert sum(change.first_atom for change in found) == 7
    assert not any(change.first_five for change in found)


@pytest.mark.parametrize("variant", ["plus", "l", "lucene"])
def test_weights_above_0_change_nothing(cases, variant):
    for item in questions_of(cases, "two_window_context_bm25"):
        assert search(*item, variant).changes == [None]


def test_the_variant_ranks_the_atoms(cases):
    items = list(questions_of(cases, "two_window_context_bm25"))
    first = {variant: [search(*item, variant).rows[0]["bm25_rank"] for item in items] for variant in ("okapi", "plus")}
    assert first["okapi"] != first["plus"]


def test_rows_are_of_the_table_and_chinese_says_something(cases):
    for item in questions_of(cases, "chinese_bm25"):
        rows = search(*item, "lucene", window_chars=300, overlap_chars=30).rows
        assert all(set(row) == set(RETRIEVAL.names) for row in rows)
        assert [row["position"] for row in rows] == list(range(len(rows)))
        assert not silent([row["bm25_score"] for row in rows])
