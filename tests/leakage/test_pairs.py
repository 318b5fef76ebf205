"""Contexts and questions that are alike, against brute force; what an audit makes of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.leakage.audit import KINDS, Alike, concerned
from plancheck.leakage.contexts import context_pairs
from plancheck.leakage.likeness import Likeness, likeness
from plancheck.leakage.questions import question_pairs
from plancheck.leakage.shingles import shingles
from plancheck.records import Question

THRESHOLDS = Likeness(0.5, 0.8)
WORDS = [f"w{number}" for number in range(400)]


def prose(seed, count):
    """Words in an order of the seed's own."""
    return " ".join(np.random.default_rng(seed).choice(WORDS, count))


def changed(text, every):
    """The text with every so manieth word replaced."""
    found = text.split()
    return " ".join(f"new{place}" if place % every == 0 else word for place, word in enumerate(found))


def pairs_of(texts, *, one_in=1, size=3):
    asked = []

    def read(ids):
        asked.append(list(ids))
        return (texts[name] for name in ids)

    return context_pairs(sorted(texts), read, size=size, one_in=one_in, thresholds=THRESHOLDS), asked


def question(name, text="Where is the inn?", choices=("Lund", "Bath", "Ghent", "Ulm"), context="c", group=""):
    return Question(name, "d", "", "", "", text, choices, "A", context, context_group=group)


@pytest.mark.parametrize("one_in", [1, 4])
def test_a_near_copy_and_a_contained_context_are_found_and_others_are_not(one_in):
    text, other = prose(1, 900), prose(2, 4000)
    texts = {
        "a-test": text,
        "b-near": changed(text, 40),
        "c-other": other,
        "d-around": f"{prose(3, 2000)} {text} {prose(4, 9000)}",
        "e-part": " ".join(text.split()[:100] + prose(5, 800).split()),
    }
    found, _ = pairs_of(texts, one_in=one_in)
    assert [(pair.left, pair.right, pair.kind) for pair in found.pairs] == [
        ("a-test", "b-near", "near"),
        ("d-around", "a-test", "contained"),
        ("d-around", "b-near", "contained"),
    ]
    assert found.compared == 10
    around = found.pairs[1]
    assert around.exact == likeness(shingles(texts["d-around"], 3), shingles(text, 3))
    assert around.exact.containment == 1.0
    assert around.exact.jaccard < 0.1


def test_what_reaches_no_threshold_is_told_by_its_greatest_indices():
    text = prose(1, 900)
    texts = {"a": text, "b": " ".join(text.split()[:580] + prose(5, 320).split())}
    found, _ = pairs_of(texts)
    exact = likeness(shingles(texts["a"], 3), shingles(texts["b"], 3))
    assert (found.pairs, found.verified, found.below) == ((), 1, exact)


def test_only_contexts_that_may_be_alike_are_read_again_and_one_after_the_other():
    text = prose(1, 900)
    texts = {"a": text, "b": f"{text} more", "c": prose(2, 900), "d": prose(3, 900)}
    _, asked = pairs_of(texts, one_in=2)
    assert asked == [["a", "b", "c", "d"], ["b", "a"]]


TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join), max_size=6)


@given(TEXTS, st.integers(1, 3))
def test_pairs_are_those_of_brute_force(texts, size):
    by_id = {f"c{number}": text for number, text in enumerate(texts)}
    found, _ = pairs_of(by_id, size=size)
    expected = {}
    for one, other in combinations(sorted(by_id), 2):
        exact = likeness(shingles(by_id[one], size), shingles(by_id[other], size))
        if exact.reaches(THRESHOLDS):
            expected[one, other] = exact
    assert {tuple(sorted((pair.left, pair.right))): pair.exact for pair in found.pairs} == expected
    assert all(pair.estimate == pair.exact for pair in found.pairs)  # all is sampled
    for pair in found.pairs:
        assert (pair.kind == "near") == (pair.exact.jaccard >= THRESHOLDS.jaccard)
        assert len(shingles(by_id[pair.left], size)) >= len(shingles(by_id[pair.right], size))


LONG = "Which of the two inns near the old harbour opened first, and in which year did it close again"


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (question("b"), "same"),
        (question("b", "WHERE  is the\ninn?"), "same"),
        (question("b", choices=("Bath", "lund ", "Ulm", "Ghent")), "same"),
        (question("b", "Where is the barn?", ("Oslo", "Rome", "Bonn", "Kiel")), None),
        (question("b", choices=("Oslo", "Rome", "Bonn", "Kiel")), None),  # the wording alone
    ],
)
def test_questions_that_are_the_same(other, kind):
    found = question_pairs([other, question("a")], size=3, threshold=0.8)
    assert [pair.kind for pair in found] == ([kind] if kind else [])


def test_a_question_of_nearly_the_same_words_is_near():
    (pair,) = question_pairs([question("a", LONG), question("b", f"{LONG}, then")], size=3, threshold=0.8)
    assert (pair.left, pair.right, pair.kind) == ("a", "b", "near")
    assert 0.8 < pair.jaccard < 1.0


def test_questions_without_a_word_are_the_same_when_they_read_the_same():
    marks = [question(name, "?", ("+", "-")) for name in ("a", "b")]
    assert [(pair.kind, pair.jaccard) for pair in question_pairs(marks, size=3, threshold=0.8)] == [("same", 1.0)]


@settings(max_examples=50)
@given(st.lists(TEXTS.filter(lambda texts: len(texts) >= 3), max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_questions_changes_nothing(items, random):
    questions = [question(f"q{number}", text, tuple(choices)) for number, (text, *choices) in enumerate(items)]
    shuffled = random.sample(questions, len(questions))
    assert question_pairs(shuffled, size=2, threshold=0.5) == question_pairs(questions, size=2, threshold=0.5)


def audit(questions, contexts=None, tested=("t",), learned=("l",)):
    found, _ = pairs_of(contexts or {})
    alike = Alike(
        {one.question_id: one for one in questions},
        found.pairs,
        question_pairs(questions, size=3, threshold=0.8),
    )
    shared = alike.shared(tested, learned)
    assert tuple(shared) == KINDS
    return {kind: names for kind, names in shared.items() if names}


OTHER = ("Is the barn in Bonn?", ("yes", "no"))


def test_what_a_test_question_shares_is_told_by_its_kind():
    text = prose(1, 300)
    contexts = {"near": changed(text, 60), "own": text, "around": f"{prose(2, 1000)} {text}", "other": prose(3, 300)}
    own = question("t", context="own")

    def with_learned(*parts, context="other", group=""):
        return audit([own, question("l", *parts, context=context, group=group)], contexts)

    assert with_learned(*OTHER) == {}
    assert with_learned(*OTHER, context="own") == {"same_context": ["t"]}
    assert with_learned(*OTHER, context="crlf", group="own") == {"same_context": ["t"]}
    assert with_learned(*OTHER, context="near") == {"near_context": ["t"]}
    assert with_learned(*OTHER, context="around") == {"contained_context": ["t"]}
    assert with_learned() == {"same_question": ["t"]}
    assert with_learned(context="own") == {"same_context": ["t"], "same_question": ["t"]}


def test_a_question_that_is_tested_and_learned_is_the_same_id_and_nothing_else():
    assert audit([question("t")], tested=["t"], learned=["t"]) == {"same_id": ["t"]}


def test_questions_of_the_same_side_share_nothing_across():
    same = [question("t", context="own"), question("u", context="own"), question("l", *OTHER, context="other")]
    assert audit(same, tested=["t", "u"]) == {}


def test_a_question_is_concerned_once_whatever_it_shares():
    assert concerned({"same_id": ["b"], "same_context": ["a", "b"], "near_question": []}) == ["a", "b"]
