"""BM25: rank_bm25 itself, Lucene's weight, the shared cases, planted evidence in languages with and without spaces."""

import json
import math
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from plancheck.atoms import cut
from plancheck.params.rankings import Variant
from plancheck.retrieval.lexical import VARIANTS, LexicalIndex
from plancheck.retrieval.ranking import by_score
from plancheck.retrieval.silence import silent
from plancheck.retrieval.words import words

RENDERINGS = json.loads(Path(__file__).with_name("renderings.json").read_text(encoding="utf-8"))
NEVER_NEGATIVE = ("plus", "l", "lucene")
bags = st.lists(st.sampled_from(["mill", "river", "tarn", "1887", "boat"]), min_size=0, max_size=12)


def first(texts, query, variant):
    return by_score(LexicalIndex([words(text) for text in texts], variant=variant).scores(words(query)))[0]


def case(cases, name, *, window_chars, overlap_chars):
    """Of each question of a case: its atoms' texts, and the query."""
    for item in json.loads((cases / f"{name}.json").read_text(encoding="utf-8")):
        context = item["context"]
        atoms = cut("0" * 64, context, window_chars=window_chars, overlap_chars=overlap_chars)
        query = "\n".join([item["question"], *(item[f"choice_{letter}"] for letter in "ABCD")])
        yield [context[atom.start : atom.end] for atom in atoms], query


def test_the_variants_are_those_of_the_parameter():
    assert set(VARIANTS) == set(get_args(Variant))


@pytest.mark.parametrize(("variant", "reference"), [("okapi", BM25Okapi), ("plus", BM25Plus), ("l", BM25L)])
@given(st.lists(bags, min_size=1, max_size=8), bags)
def test_scores_are_rank_bm25s_own(variant, reference, atoms, query):
    expected = reference(atoms).get_scores(query) if any(atoms) else np.zeros(len(atoms))
    assert LexicalIndex(atoms, variant=variant).scores(query).tolist() == expected.tolist()


@given(st.lists(bags, min_size=1, max_size=8), bags)
def test_lucene_is_okapi_with_lucenes_weight(atoms, query):
    mean = sum(map(len, atoms)) / len(atoms)
    expected = [0.0] * len(atoms)
    for word in query:
        count = sum(word in atom for atom in atoms)
        weight = math.log(1 + (len(atoms) - count + 0.5) / (count + 0.5))
        for position, atom in enumerate(atoms):
            times = atom.count(word)
            if times:
                expected[position] += weight * times * 2.5 / (times + 1.5 * (0.25 + 0.75 * len(atom) / mean))
    assert LexicalIndex(atoms, variant="lucene").scores(query) == pytest.approx(expected)


@pytest.mark.parametrize("variant", NEVER_NEGATIVE)
@given(st.lists(bags, min_size=1, max_size=8), bags)
def test_a_word_of_the_question_never_lowers_an_atom(variant, atoms, query):
    scores = LexicalIndex(atoms, variant=variant).scores(query)
    without = [score for score, atom in zip(scores, atoms, strict=True) if not set(atom) & set(query)]
    assert all(score <= scores.min() for score in without)


@pytest.mark.parametrize("variant", NEVER_NEGATIVE)
@given(st.lists(bags, min_size=1, max_size=8), bags)
def test_every_weight_is_above_0(variant, atoms, query):
    assert LexicalIndex(atoms, variant=variant).lowest_weight(query) > 0


def test_okapi_weighs_a_word_of_half_the_atoms_0_and_a_common_one_in_few_atoms_less():
    index = LexicalIndex([["mill", "river"], ["boat", "river"]], variant="okapi")
    assert index.lowest_weight(["mill", "lighthouse"]) == 0
    assert index.lowest_weight(["mill", "river"]) < 0
    assert index.lowest_weight(["lighthouse"]) == math.inf
    assert LexicalIndex([[]], variant="okapi").lowest_weight(["mill"]) == math.inf


@pytest.mark.parametrize("variant", VARIANTS)
@given(st.lists(bags, min_size=1, max_size=8))
def test_a_question_without_a_word_of_the_atoms_ranks_nothing(variant, atoms):
    assert silent(LexicalIndex(atoms, variant=variant).scores(["lighthouse"]))
    assert silent(LexicalIndex(atoms, variant=variant).scores([]))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("language", RENDERINGS)
def test_planted_evidence_comes_first_in_every_language(language, variant):
    paragraphs, questions = RENDERINGS[language]["paragraphs"], RENDERINGS[language]["questions"]
    assert [first(paragraphs, question, variant) for question in questions] == list(range(len(paragraphs)))


@pytest.mark.parametrize("variant", VARIANTS)
def test_chinese_is_ranked(cases, variant):
    for texts, query in case(cases, "chinese_bm25", window_chars=300, overlap_chars=30):
        assert "图书馆每天晚上十点关门" in texts[first(texts, query, variant)]


@pytest.mark.parametrize("variant", NEVER_NEGATIVE)
def test_accents_and_ligatures_match_in_whatever_form(cases, variant):
    for texts, query in case(cases, "decomposed_accents_and_ligatures", window_chars=800, overlap_chars=100):
        best = texts[first(texts, query, variant)]
        assert "cafe\u0301" in best
        assert "\ufb01xed" in best


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("texts", "query", "best"),
    [
        (["রিমা মাছ কিনল", "রমা মাছ কিনল", "রুমা মাছ কিনল"], "রুমা কী কিনল?", 2),
        (["قَلَم على الطاولة", "قِلَم على الطاولة", "عِلْم على الطاولة"], "أين عِلْم؟", 2),
        (["The depot has ＡＢＣ１２ keys.", "The depot has ＡＢＣ１３ keys.", "A mill."], "Where is ABC13?", 1),
        (["The re\u00adfec\u00adto\u00adry opens.", "The fec to ry.", "A mill re."], "When is the refectory open?", 0),
        (["O RIO", "ΟΔΟΣ ΕΡΜΟΥ", "ΟΔΟΣ ΑΘΗΝΑΣ"], "που ειναι η οδος ερμου;", 1),
    ],
)
def test_marks_widths_hyphens_and_case_do_not_part_words(variant, texts, query, best):
    assert first(texts, query, variant) == best


@pytest.mark.parametrize("variant", NEVER_NEGATIVE)
def test_names_that_differ_by_a_vowel_sign_are_different(cases, variant):
    for texts, query in case(cases, "combining_marks_within_words", window_chars=300, overlap_chars=30):
        assert "मीरा" in texts[first(texts, query, variant)]


def test_two_atoms_are_ranked_by_rare_words_where_no_weight_is_negative(cases):
    questions = list(case(cases, "two_window_context_bm25", window_chars=8000, overlap_chars=1000))
    right = {
        variant: sum("Quillfeather" in texts[first(texts, query, variant)] for texts, query in questions)
        for variant in VARIANTS
    }
    assert right == {"okapi": 3, "plus": 10, "l": 8, "lucene": 10}


@pytest.mark.parametrize(
    ("texts", "query", "best"),
    [
        (["The mill by the river.", "The boat by the river, near the mill."], "Who moored the boat at the mill?", 1),
        (["a b c d e", "a b c d lamp"], "a b c d lamp", 1),
        (["the the the of the the", "the of Marrowby", "the of the"], "the of the Marrowby", 1),
    ],
)
def test_a_rare_word_outweighs_common_ones_in_few_atoms(texts, query, best):
    assert {variant: first(texts, query, variant) for variant in ("plus", "lucene")} == {"plus": best, "lucene": best}
