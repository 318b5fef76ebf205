"""Choices, answers, documents and evidence as files write them, and what is refused of them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.answers import gold_letter
from plancheck.benchmark.choices import Choices
from plancheck.benchmark.joined import joined
from plancheck.benchmark.questions import read_benchmark
from plancheck.params.benchmark import BenchmarkParams
from plancheck.params.formats import FORMATS
from plancheck.plumbing.errors import StudyError
from plancheck.records import LETTERS, Span

CUSTOM = FORMATS["custom"]
CONTROLLED = {
    "questions": 12, "context_chars": 2_000, "lexical_gap": 0.5, "two_hops": 0.5, "near_misses": 2,
    "shared_contexts": 0.3,
}  # fmt: skip
COLOURS = ["red", "green", "blue", "white", "black", "grey", "pink", "brown", "gold", "teal", "lime"]
TEXT = "The mill is red. The barn is green. The mill is old."


def record(choices, answer, name="q1", **changes):
    return {
        "question_id": name, "question": "Which?", "choices": choices, "answer": answer, "context": TEXT, **changes
    }  # fmt: skip


def by_field(count, answer, **changes):
    made = {f"choice_{letter}": text for letter, text in zip("ABCDEFGHIJK", COLOURS[:count], strict=False)}
    return {"_id": "q1", "question": "Which?", "context": TEXT, "answer": answer, **made, **changes}


def read(folder, records, form="custom", *, answer_index=None, **columns):
    """The questions of a file of these records, read as the parameters say."""
    path = folder / "questions"
    path.write_text(json.dumps(records))
    settings = BenchmarkParams.model_validate(
        {"source": "file", "format": form, "path": str(path), "seed": 1, "answer_index": answer_index,
         "columns": columns or None, "controlled": CONTROLLED}
    )  # fmt: skip
    return read_benchmark(settings.path, settings.columns, settings.answer_index)


READ = {
    "two in a list, a letter": (record(COLOURS[:2], "B"), {}, "B"),
    "five in a list, a text": (record(COLOURS[:5], "black"), {}, "E"),
    "ten in a list, a letter": (record(COLOURS[:10], "J"), {}, "J"),
    "an index from 0": (record(COLOURS[:5], 4), {"answer_index": 0}, "E"),
    "an index from 1": (record(COLOURS[:5], 4), {"answer_index": 1}, "D"),
    "an index in digits": (record(COLOURS[:5], "4"), {"answer_index": 1}, "D"),
    "a mapping": (record(dict(zip("ABC", COLOURS, strict=False)), "C"), {}, "C"),
    "a mapping in another order": (record({"B": "green", "A": "red"}, "B"), {}, "B"),
    "a mapping in lower case": (record({"a": "red", "b": "green"}, "b"), {}, "B"),
    "a mapping from 1": (record({"1": "red", "2": "green"}, 2), {}, "B"),
    "a mapping from 0": (record({"0": "red", "1": "green"}, "1"), {}, "B"),
    "a mapping, its text": (record({"A": "red", "B": "green"}, "green"), {}, "B"),
    "labels beside texts": (record({"label": ["A", "B", "C"], "text": COLOURS[:3]}, "C"), {}, "C"),
    "labels that are numbers": (record({"label": [1, 2, 3], "text": COLOURS[:3]}, "3"), {}, "C"),
    "two fields": (by_field(2, "B"), {"form": "longbench_v2"}, "B"),
    "four fields": (by_field(4, "D"), {"form": "longbench_v2"}, "D"),
    "ten fields": (by_field(10, "J"), {"form": "longbench_v2"}, "J"),
    "fields, a text": (by_field(4, "blue"), {"form": "longbench_v2"}, "C"),
    "fields that are letters": (by_field(2, "A", choice_A="B", choice_B="A"), {"form": "longbench_v2"}, "A"),
    "null for choices that are not there": (
        by_field(3, "C", choice_D=None, choice_E=float("nan")), {"form": "longbench_v2"}, "C",
    ),
    "fields of other names": (
        {"question_id": 1, "question": "Which?", "opa": "x", "opb": "y", "answer": "B", "context": TEXT},
        {"choices": ["opa", "opb", "opc"]}, "B",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_choices_and_their_answer_are_read(tmp_path, name):
    made, settings, letter = READ[name]
    (question,) = read(tmp_path, [made], **settings).questions
    assert question.answer == letter
    assert 2 <= len(question.choices) <= 10


def test_questions_may_differ_in_their_number_of_choices(tmp_path):
    made = [record(COLOURS[:count], LETTERS[count - 1], f"q{count}") for count in (2, 10, 4, 5)]
    questions = read(tmp_path, made).questions
    assert [(len(question.choices), question.answer) for question in questions] == [
        (2, "B"), (10, "J"), (4, "D"), (5, "E"),
    ]  # fmt: skip


def test_a_mapping_in_parquet_has_null_for_labels_of_other_rows(tmp_path):
    made = [record({"A": "red", "B": "green", "C": "blue"}, "C"), record({"A": "red", "B": "green"}, "B", "q2")]
    pq.write_table(pa.Table.from_pylist(made), tmp_path / "questions")
    questions = read_benchmark(tmp_path / "questions", CUSTOM.columns).questions
    assert [question.choices for question in questions] == [("red", "green", "blue"), ("red", "green")]


def test_quality_has_a_record_for_an_article(tmp_path):
    asked = [
        {"question": f"Which {number}?", "question_unique_id": f"q{number}", "options": COLOURS[:4],
         "gold_label": number, "writer_label": 1, "difficult": 0}
        for number in (1, 4)
    ]  # fmt: skip
    made = {"article_id": "1", "source": "Slate", "title": "T", "article": TEXT, "questions": asked, "url": ""}
    benchmark = read(tmp_path, [made, made | {"questions": [asked[0] | {"question_unique_id": "q9"}]}], "quality")
    assert [(q.question_id, q.answer, q.domain) for q in benchmark.questions] == [
        ("q1", "A", "Slate"), ("q4", "D", "Slate"), ("q9", "A", "Slate"),
    ]  # fmt: skip
    assert list(benchmark.contexts.values()) == [TEXT]


def test_mmlu_like_counts_from_0(tmp_path):
    made = {"id": 7, "question": "Which?", "subject": "law", "choices": COLOURS[:4], "answer": 3, "context": TEXT}
    (question,) = read(tmp_path, [made], "mmlu_like").questions
    assert (question.question_id, question.answer, question.domain) == ("7", "D", "law")


def test_documents_of_a_list_are_kept_as_they_are_given(tmp_path):
    documents = ["One.\n\nStill one.", "Two: *** [Document 3]", "Three."]
    benchmark = read(tmp_path, [record(["a", "b"], "A", context=documents), record(["a", "b"], "A", "q2")])
    given, plain = (question.context_id for question in benchmark.questions)
    text = benchmark.contexts[given]
    spans = benchmark.documents[given]
    assert plain not in benchmark.documents
    assert [text[span.start : span.end].removesuffix("\n\n") for span in spans] == documents
    assert (spans[0].start, spans[-1].end) == (0, len(text))


@given(st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=6))
def test_documents_cover_their_text_and_begin_where_they_begin(documents):
    text, spans = joined(documents)
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(text.startswith(document, span.start) for document, span in zip(documents, spans, strict=True))


@pytest.mark.parametrize(
    ("evidence", "spans"),
    [
        (None, None),
        ([[0, 16]], [(0, 16)]),
        ([[36, 52], {"start": 0, "end": 16}], [(0, 16), (36, 52)]),
        (["The barn is green."], [(17, 35)]),
        (["old", [0, 16]], [(0, 16), (48, 51)]),
    ],
)
def test_evidence_is_spans_or_quotes_in_the_order_of_the_context(tmp_path, evidence, spans):
    (question,) = read(tmp_path, [record(["a", "b"], "A", evidence=evidence)]).questions
    assert question.evidence == (None if spans is None else tuple(Span(*span) for span in spans))


def test_a_quote_of_a_list_of_documents_is_found_in_the_joined_text(tmp_path):
    (question,) = read(tmp_path, [record(["a", "b"], "A", context=["One.", "Two."], evidence=["Two."])]).questions
    assert question.evidence == (Span(6, 10),)


A_OR_B = "answer must mean one choice: its letter A to B or its exact text"
LABELS = "choices must have the labels A, B, each once"
BAD = {
    "one choice": (record(["a"], "A"), {}, "choices must hold 2 to 10 choices, but holds 1"),
    "no choice": (record([], "A"), {}, "choices must hold 2 to 10 choices, but holds 0"),
    "eleven choices": (record(COLOURS, "A"), {}, "choices must hold 2 to 10 choices, but holds 11"),
    "eleven fields": (by_field(11, "A"), {"form": "longbench_v2"}, "choice_K looks like a further choice, but a "),
    "one field": (by_field(1, "A"), {"form": "longbench_v2"}, "has no choice_B"),
    "no field": (by_field(0, "A"), {"form": "longbench_v2"}, "has no choice_A, choice_B"),
    "a gap between fields": (by_field(4, "A", choice_C=None), {"form": "longbench_v2"}, "has no choice_C"),
    "a blank field": (by_field(4, "A", choice_E=" "), {"form": "longbench_v2"}, "choice_E must hold more than white"),
    "no choices": (record(None, "A"), {}, "has no choices"),
    "text for choices": (record("A or B", "A"), {}, "choices must be a list of texts or a mapping from letters"),
    "a number for choices": (record(4, "A"), {}, "choices must be a list of texts or a mapping from letters"),
    "a number among choices": (record(["a", 2], "A"), {}, "choices: choice B must be text, got a number"),
    "NaN among choices": (record(["a", float("nan")], "A"), {}, "choices: choice B must be text, got a number"),
    "a null among choices": (record(["a", None, "c"], "A"), {}, "choices: choice B must be text, got null"),
    "a blank choice": (record(["a", " "], "A"), {}, "choices: choice B must hold more than white space"),
    "a label twice": (record({"label": ["A", "A"], "text": ["a", "b"]}, "A"), {}, f"{LABELS}, got A, A"),
    "a label in two cases": (record({"A": "a", "a": "b"}, "A"), {}, f"{LABELS}, got A, a"),
    "a gap between labels": (record({"A": "a", "C": "c"}, "A"), {}, f"{LABELS}, got A, C"),
    "labels of no order": (record({"yes": "a", "no": "b"}, "A"), {}, f"{LABELS}, got yes, no"),
    "fewer labels than texts": (record({"label": ["A"], "text": ["a", "b"]}, "A"), {}, "as many labels as texts"),
    "a letter beyond": (record(["a", "b"], "C"), {}, f"{A_OR_B}, got 'C'"),
    "a letter in lower case": (record(["x", "y"], "a"), {}, f"{A_OR_B}, got 'a'"),
    "a text of no choice": (record(["a", "b"], "grey"), {}, f"{A_OR_B}, got 'grey'"),
    "a text of two choices": (record(["red", "red"], "red"), {}, f"{A_OR_B}, got 'red'"),
    "a letter and a text": (record(["B", "A"], "A"), {}, f"{A_OR_B}, got 'A'"),
    "no answer": (record(["a", "b"], None), {}, "has no answer"),
    "NaN for an answer": (record(["a", "b"], float("nan")), {}, "has no answer"),
    "a fraction": (record(["a", "b"], 0.5), {"answer_index": 0}, "got 0.5"),
    "a list of answers": (record(["a", "b"], ["A"]), {}, f"{A_OR_B}, got ['A']"),
    "true for an answer": (record(["a", "b"], True), {"answer_index": 0}, "got True"),
    "an index not declared": (record(["a", "b"], 1), {}, "say it: -S benchmark.answer_index=0 (or 1)"),
    "digits not declared": (record(["a", "b"], "1"), {}, "answer: 1 answer(s) are numbers, from 1 to 1"),
    "an index beyond": (record(["a", "b"], 2), {"answer_index": 0}, "its index 0 to 1 or its exact text, got 2"),
    "an index below": (record(["a", "b"], 0), {"answer_index": 1}, "its index 1 to 2 or its exact text, got 0"),
    "a negative index": (record(["a", "b"], -1), {"answer_index": 0}, "got -1"),
    "digits and a text": (record(["1", "0"], "1"), {"answer_index": 1}, None),
    "digits or a text": (record(["2", "1"], "2"), {"answer_index": 1}, "its index 1 to 2 or its exact text, got '2'"),
    "no document": (record(["a", "b"], "A", context=[]), {}, "context must hold a document, but is an empty list"),
    "a blank document": (record(["a", "b"], "A", context=["x", " "]), {}, "context document 2 must hold more than"),
    "a number for a document": (record(["a", "b"], "A", context=[7]), {}, "context document 1 must be text, got a"),
    "an object for a context": (record(["a", "b"], "A", context={}), {}, "context must be text or a list of texts"),
    "text for evidence": (record(["a", "b"], "A", evidence="old"), {}, "evidence must be a list of spans [start, end]"),
    "no evidence in it": (record(["a", "b"], "A", evidence=[]), {}, "where it is not known, leave it out"),
    "a quote of another text": (record(["a", "b"], "A", evidence=["barn is red"]), {}, "1 is not in the context"),
    "a quote that stands twice": (record(["a", "b"], "A", evidence=["mill"]), {}, "1 stands more than once in the"),
    "a blank quote": (record(["a", "b"], "A", evidence=[" "]), {}, "evidence 1 must hold more than white space"),
    "a span beyond": (record(["a", "b"], "A", evidence=[[0, 53]]), {}, "0 <= start < end <= 52, the context's length"),
    "a span of nothing": (record(["a", "b"], "A", evidence=[[3, 3]]), {}, "0 <= start < end <= 52"),
    "a span of three": (record(["a", "b"], "A", evidence=[[1, 2, 3]]), {}, "must be [start, end] in whole numbers"),
    "a span of fractions": (record(["a", "b"], "A", evidence=[[0.0, 2.5]]), {}, "must be [start, end] in whole"),
    "a span twice": (record(["a", "b"], "A", evidence=[[48, 51], "old"]), {}, "evidence 2 is the same span as 1"),
    "questions that are no list": ({"article": TEXT, "questions": "x"}, {"form": "quality"}, "record 1, questions: mu"),
    "a question that is text": (
        {"article": TEXT, "questions": ["x"]},
        {"form": "quality"},
        "question 1: must be an ob",
    ),
    "an article of no question": ({"article": TEXT, "questions": []}, {"form": "quality"}, "no record has a question"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_question_is_refused_with_place_rule_and_remedy(tmp_path, name):
    made, settings, expected = BAD[name]
    if expected is None:
        assert read(tmp_path, [made], **settings).questions[0].answer == "A"
        return
    with pytest.raises(StudyError) as caught:
        read(tmp_path, [made], **settings)
    assert expected in str(caught.value)
    assert "record 1" in str(caught.value) or "questions: " in str(caught.value)


def test_an_index_that_is_not_declared_is_told_once_for_the_file_with_its_range(tmp_path):
    made = [record(["a", "b", "c"], number % 3, f"q{number}") for number in range(30)]
    with pytest.raises(StudyError, match=r"1 problem\(s\) in 30 record\(s\)") as caught:
        read(tmp_path, made)
    assert "answer: 30 answer(s) are numbers, from 0 to 2" in str(caught.value)


def test_all_bad_quotes_are_listed_at_once(tmp_path):
    with pytest.raises(StudyError) as caught:
        read(tmp_path, [record(["a", "b"], "A", evidence=["mill", "dog", [9, 1]])])
    assert "3 problem(s)" in str(caught.value)
    assert all(f"evidence {number} " in str(caught.value) for number in (1, 2, 3))


def test_one_text_cut_into_documents_in_two_ways_is_refused(tmp_path):
    made = [record(["a", "b"], "A", context=["One.", "Two."]), record(["a", "b"], "A", "q2", context="One.\n\nTwo.")]
    with pytest.raises(StudyError, match=r"record 2 .*context has the text of that of record 1, but other documents"):
        read(tmp_path, made)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [({"choices": ["a"]}, "2 to 10"), ({"choices": list("abcdefghijk")}, "2 to 10"), ({"choice_a": "x"}, "choice_a")],
)
def test_columns_that_hold_no_choices_are_refused(tmp_path, columns, expected):
    with pytest.raises(ValueError, match=expected):
        read(tmp_path, [record(["a", "b"], "A")], **columns)


@pytest.mark.parametrize(
    ("texts", "answer", "index", "letter"),
    [
        (["0", "1", "2", "3"], 3, 0, "D"),
        (["w", "x", "y", "z"], 2, 1, "B"),
        (["A) w", "B) x", "C) y", "D) z"], "B", None, "B"),
        (["B) w", "A) x", "C) y", "D) z"], "B", None, None),
        (["B", "A", "C", "D"], "A", None, None),
        (["w", "x", "y", "z"], "y", None, "C"),
        (["2", "1"], 2, 1, "B"),
        (["2", "1"], "2", 1, None),
    ],
)
def test_an_answer_that_could_mean_two_choices_means_none(texts, answer, index, letter):
    assert gold_letter(answer, Choices(tuple(texts)), index) == letter


@given(st.integers(2, 10), st.data())
def test_letter_index_and_text_of_a_choice_mean_the_same(count, data):
    place = data.draw(st.integers(0, count - 1))
    choices = Choices(tuple(COLOURS[:count]))
    answers = [(LETTERS[place], None), (place, 0), (place + 1, 1), (str(place), 0), (COLOURS[place], None)]
    assert {gold_letter(answer, choices, index) for answer, index in answers} == {LETTERS[place]}
