"""Texts of a user's own for each question and budget, and every fault of their file at once."""

import json

import pytest

from plancheck.given.contexts import read_given_contexts
from plancheck.params.given import ContextsFile
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question

QUESTIONS = {name: Question(name, "d", "", "", "", "?", ("1", "2", "3", "4"), "A", "c") for name in ("q1", "q2")}


def read(tmp_path, *lines, overflow="refuse"):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return read_given_contexts(ContextsFile(path=path, overflow=overflow), QUESTIONS, [20, 10])


def row(question_id="q1", budget_chars=10, text="short", **more):
    return {"question_id": question_id, "budget_chars": budget_chars, "text": text, **more}


def test_a_text_is_for_a_question_at_a_budget(tmp_path):
    assert read(tmp_path, row(), row(budget_chars=20, text="longer")) == {("q1", 10): "short", ("q1", 20): "longer"}


def test_an_empty_text_is_none(tmp_path):
    assert read(tmp_path, row(text="")) == {}


def test_a_text_that_is_too_long_is_refused_or_kept_to_be_cut(tmp_path):
    with pytest.raises(StudyError, match="text has 11 characters, more than its budget of 10"):
        read(tmp_path, row(text="x" * 11))
    assert read(tmp_path, row(text="x" * 11), overflow="cut") == {("q1", 10): "x" * 11}


FAULTS = {
    "an unknown question": (row("q9"), "no question of the study has this ID"),
    "a budget of another study": (row(budget_chars=30), "among pack.budgets_chars 20, 10, is 30"),
    "a budget that is a text": (row(budget_chars="10"), "is '10'"),
    "a budget that is a truth": (row(budget_chars=True), "is True"),
    "no budget": ({"question_id": "q1", "text": "a"}, "is None"),
    "no text": ({"question_id": "q1", "budget_chars": 10}, "text must be a text, is None"),
    "a text that is a list": (row(text=["a"]), "text must be a text"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_line(tmp_path, fault):
    line, part = FAULTS[fault]
    with pytest.raises(StudyError) as caught:
        read(tmp_path, line)
    assert part in str(caught.value) and "line 1 (" in str(caught.value)


def test_half_a_character_is_no_text(tmp_path):
    with pytest.raises(StudyError, match=r"line 1: not JSON .*surrogates"):
        read(tmp_path, row(text="a\ud800"))
    assert read(tmp_path, row(text="\U0001f600")) == {("q1", 10): "\U0001f600"}


def test_all_faults_are_told_at_once(tmp_path):
    with pytest.raises(StudyError) as caught:
        read(tmp_path, row(), row(), row("q9"), "{\n")
    assert "3 fault(s)" in str(caught.value) and "at 10 characters already, line 1" in str(caught.value)
