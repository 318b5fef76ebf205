"""What a cross-encoder reads of its candidates, and the ranks that follow, with a reader that counts words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.records import Atom, Question
from plancheck.retrieval.coverage import coverage
from plancheck.retrieval.ports import Reranker
from plancheck.retrieval.reranking import best_parts, rerank_pool

QUESTION = Question("q", "d", "", "", "", "mill", ("a", "b", "c", "d"), "A", "c")
ROOM = 3
WORDS = st.lists(st.sampled_from(["mill", "boat", "old"]), min_size=1, max_size=9).map(" ".join)


class Reader:
    """Reads the query and 3 words of a text; its logit is the share of "mill" among them. Tokens are words."""

    def scores(self, pairs, *, batch_size):
        read = [text.split()[:ROOM] for _, text in pairs]
        return np.array([words.count("mill") / max(len(words), 1) for words in read], dtype=np.float64)

    def room(self, query):
        return ROOM

    def token_counts(self, texts):
        return [len(text.split()) for text in texts]

    def windows(self, text, *, tokens):
        words = text.split()
        return [" ".join(words[start : start + tokens]) for start in range(0, max(len(words), 1), tokens)]


READER: Reranker = Reader()


def ranked(texts, *, windows, shown=None):
    context, atoms = "".join(texts), []
    for text in texts:
        start = atoms[-1].end if atoms else 0
        atoms.append(Atom(f"c-{len(atoms)}", "c", start, start + len(text), 0))
    return rerank_pool("mine", QUESTION, context, atoms, shown or texts, READER, windows=windows, batch_size=2)


def column(rows, name):
    return [row[name] for row in rows]


TEXTS = ["old old old old mill mill mill", "mill old old", "boat boat boat boat"]


@pytest.mark.parametrize(
    ("windows", "shown", "scores", "order", "truncated"),
    [
        (False, None, [0, 1 / 3, 0], [2, 1, 3], [True, False, True]),
        (True, None, [1, 1 / 3, 0], [1, 2, 3], [False, False, False]),
        (False, ["mill mill", "mill old old", "boat"], [1, 1 / 3, 0], [1, 2, 3], [True, False, True]),
    ],
    ids=["head", "windows", "snippet"],
)
def test_an_atom_counts_by_what_is_read_of_it(windows, shown, scores, order, truncated):
    rows = ranked(TEXTS, windows=windows, shown=shown)
    assert column(rows, "score") == np.round(scores, 6).tolist()
    assert column(rows, "rank") == order
    assert column(rows, "tokens") == [7, 3, 4]
    assert column(rows, "truncated") == truncated
    assert column(rows, "atom_id") == ["c-0", "c-1", "c-2"]
    assert column(rows, "ranking") == ["mine"] * 3


def test_a_given_part_that_is_too_long_is_read_in_part_as_well():
    assert column(ranked(["old old old mill", "old"], windows=False), "truncated") == [True, False]


def test_no_candidates_make_no_rows():
    assert ranked([], windows=True) == ranked([], windows=False) == []


def test_the_part_that_is_learned_from_is_the_first_that_scores_best():
    given_texts = ["old old old mill old old old mill boat", "boat"]
    (part, score), other = best_parts("mill", given_texts, READER, windows=True, batch_size=4)
    assert (part, score) == ("mill old old", pytest.approx(1 / 3))
    assert other == ("boat", 0.0)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_in_parts_every_atom_is_read_whole_and_scores_at_least_as_its_beginning(texts):
    head, parts = ranked(texts, windows=False), ranked(texts, windows=True)
    assert not any(column(parts, "truncated"))
    assert all(more >= less for more, less in zip(column(parts, "score"), column(head, "score"), strict=True))
    whole = [not cut for cut in column(head, "truncated")]
    same = [a == b for a, b in zip(column(head, "score"), column(parts, "score"), strict=True)]
    assert all(alike for alike, fits in zip(same, whole, strict=True) if fits)


@given(st.lists(st.booleans(), max_size=8))
def test_the_share_read_in_part_is_counted(truncated):
    found = coverage("head", truncated)
    assert (found["coverage"], found["atoms"], found["truncated"]) == ("head", len(truncated), truncated.count(True))
    assert found["truncated_share"] == (np.mean(truncated) if truncated else 0)
