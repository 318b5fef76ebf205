"""Near-equal contexts: one group, named by the least of their IDs."""

import hashlib
import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.groups import common_form, context_groups, grouped
from plancheck.benchmark.questions import read_benchmark
from plancheck.params.formats import FORMATS
from plancheck.splits import split_questions

TEXT = "Café of Tarn\nsecond line\n\n  third"


@pytest.mark.parametrize(
    "other",
    [
        TEXT + "\n",
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n", "\r"),
        "\n \t" + TEXT + " \u3000",
        TEXT.replace("\n", " \t\n"),
        unicodedata.normalize("NFD", TEXT),
        "\ufeff" + TEXT,
    ],
)
def test_white_space_at_ends_and_the_unicode_form_keep_texts_together(other):
    assert other != TEXT
    assert common_form(other) == common_form(TEXT)


@pytest.mark.parametrize(
    "other",
    [TEXT.lower(), TEXT.replace("of Tarn", "of  Tarn"), TEXT.replace("\n\n", "\n"), TEXT.replace("  t", "t"), ""],
)
def test_other_texts_are_told_apart(other):
    assert common_form(other) != common_form(TEXT)


@given(st.text())
def test_the_common_form_of_a_plain_text_is_its_own_hash(text):
    plain = "\n".join(line.rstrip() for line in unicodedata.normalize("NFC", text).splitlines()).strip().strip("\ufeff")
    if plain == plain.strip() and plain.splitlines() == plain.split("\n"):
        assert common_form(plain) == hashlib.sha256(plain.encode()).hexdigest()


def test_a_group_is_named_by_the_least_id_and_a_context_alone_by_its_own():
    assert context_groups({"c": "x\n", "b": "x", "a": "y", "d": " x"}) == {"c": "b", "b": "b", "a": "a", "d": "b"}


def test_contexts_that_differ_by_a_line_end_are_split_together(cases):
    benchmark = grouped(
        read_benchmark(cases / "contexts_that_differ_by_a_line_end.json", FORMATS["longbench_v2"].columns)
    )
    records = json.loads((cases / "contexts_that_differ_by_a_line_end.json").read_text())
    texts = {record["context"].strip() for record in records}
    assert len({question.context_group for question in benchmark.questions}) == len(texts) < len(benchmark.contexts)
    splits = split_questions(benchmark.questions, {"train": 0.5, "dev": 0.2, "test": 0.3}, seed=7, group_by="context")
    split_of = {question_id: split for split, ids in splits.items() for question_id in ids}
    sides = {(record["context"].strip(), split_of[record["_id"]]) for record in records}
    assert len(sides) == len(texts)
