"""Atoms of a user's own chunker, and every fault of their file at once."""

import json

import pytest

from plancheck.given.atoms import read_given_atoms
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question, Span

CHARS = {"c": 202, "d": 9}
QUESTIONS = {
    name: Question(name, "t", "", "", "", "?", ("1", "2"), "A", context)
    for name, context in (("q1", "c"), ("q2", "c"), ("q3", "d"))
}
WHOLE = [{"context_id": "c", "start": 0, "end": 202}, {"context_id": "d", "start": 0, "end": 9}]


def read(tmp_path, *lines):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return read_given_atoms(path, QUESTIONS, CHARS)


def test_a_span_is_of_a_context_or_of_the_context_of_a_question(tmp_path):
    found = read(
        tmp_path,
        {"about": {"name": "ours"}},
        {"question_id": "q2", "start": 5, "end": 202},
        {"context_id": "d", "start": 0, "end": 9},
        {"question_id": "q2", "start": 0, "end": 20, "title": "further fields are not read"},
        {"question_id": "q2", "start": 7, "end": 8},
    )
    assert found == {"c": (Span(5, 202), Span(0, 20), Span(7, 8)), "d": (Span(0, 9),)}


FAULTS = {
    "no JSON": ("{\n", ["line 3: not JSON"]),
    "a line that ends early": ('{"context_id": "c", "start": 1, "en', ["line 3: not JSON"]),
    "a list": ("[0, 3]\n", ["line 3: must be an object"]),
    "two fields of one name": ('{"context_id": "c", "start": 1, "start": 2, "end": 3}\n', ["line 3", "start"]),
    "no ID": ({"start": 1, "end": 3}, ["line 3: must hold one of context_id, question_id, holds none"]),
    "two IDs": ({"context_id": "c", "question_id": "q1", "start": 1, "end": 3}, ["holds context_id, question_id"]),
    "an ID that is a number": ({"context_id": 7, "start": 1, "end": 3}, ["line 3: context_id must be a text, is 7"]),
    "an unknown context": ({"context_id": "q1", "start": 1, "end": 3}, ["(q1): no context of the study has this ID"]),
    "an unknown question": ({"question_id": "c", "start": 1, "end": 3}, ["(c): no question of the study has this ID"]),
    "another name of the context": (
        {"question_id": "q1", "start": 1, "end": 3},
        ["line 3 (q1): its context has rows as context_id c already, line 1; give all rows of a context under one"],
    ),
    "another field": ({"context_id": "c", "begin": 1, "end": 3}, ["line 3 (c): start is missing"]),
    "a bound that is a text": ({"context_id": "c", "start": "1", "end": 3}, ["start must be a whole number, is '1'"]),
    "a bound that is null": ({"context_id": "c", "start": 1, "end": None}, ["end must be a whole number, is None"]),
    "a fraction": ({"context_id": "c", "start": 1, "end": 3.0}, ["end must be a whole number, is 3.0"]),
    "a truth": ({"context_id": "c", "start": True, "end": 3}, ["start must be a whole number, is True"]),
    "NaN": ('{"context_id": "c", "start": NaN, "end": 3}\n', ["line 3"]),
    "infinity": ('{"context_id": "c", "start": 1, "end": Infinity}\n', ["line 3"]),
    "an empty span": ({"context_id": "c", "start": 3, "end": 3}, ["span [3, 3] is empty or outside the context"]),
    "a span that runs backwards": ({"context_id": "c", "start": 9, "end": 3}, ["span [9, 3] is empty or outside"]),
    "a span before the context": ({"context_id": "c", "start": -1, "end": 3}, ["span [-1, 3]"]),
    "a span beyond it": ({"context_id": "d", "start": 0, "end": 10}, ["span [0, 10]", "which has characters 0 to 9"]),
    "a span twice": ({"context_id": "d", "start": 0, "end": 9}, ["line 3 (d)", "a span [0, 9] already, line 2"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_line_and_the_remedy(tmp_path, fault):
    line, parts = FAULTS[fault]
    with pytest.raises(StudyError) as caught:
        read(tmp_path, *WHOLE, line)
    message = str(caught.value)
    assert all(part in message for part in parts), message
    assert "1 fault(s):" in message and "plancheck export questions --text" in message


def test_contexts_without_a_span_are_listed_with_a_question_of_theirs(tmp_path):
    with pytest.raises(StudyError) as caught:
        read(tmp_path, WHOLE[1])
    assert "1 fault(s):" in str(caught.value) and "context c (of question q1): has no span" in str(caught.value)


def test_all_faults_of_rows_are_told_at_once_and_none_of_them_twice(tmp_path):
    by_another = [{"question_id": name, "start": place, "end": 9} for place in range(3) for name in ("q1", "q2")]
    with pytest.raises(StudyError) as caught:
        read(tmp_path, {"context_id": "c", "start": 3}, *by_another, "7\n", {"question_id": "q9", "start": 0, "end": 1})
    lines = [line.removeprefix("  - ") for line in str(caught.value).splitlines() if line.startswith("  - ")]
    assert [line.split(": ")[0] for line in lines] == [
        "line 1 (c)", "line 2 (q1)", "line 3 (q2)", "line 3 (q2)", "line 5 (q2)", "line 7 (q2)", "line 8",
        "line 9 (q9)",
    ]  # fmt: skip
    assert sum("under one name" in line for line in lines) == 2


@pytest.mark.parametrize(
    ("content", "part"),
    [(b"", "holds no row"), (b"\n \n", "holds no row"), (b'{"about": {}}\n', "holds no row"),
     (b"\xff\xfe{", "UTF-8"), ('{"context_id": "é"}'.encode("latin-1"), "UTF-8"), (b"\x1f\x8b\x08", "UTF-8")],
)  # fmt: skip
def test_a_file_without_rows_or_in_another_encoding_is_refused(tmp_path, content, part):
    (tmp_path / "mine.jsonl").write_bytes(content)
    with pytest.raises(StudyError, match=part):
        read_given_atoms(tmp_path / "mine.jsonl", QUESTIONS, CHARS)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(StudyError, match="no such file"):
        read_given_atoms(tmp_path / "none.jsonl", QUESTIONS, CHARS)
