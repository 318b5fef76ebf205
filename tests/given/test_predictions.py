"""Answers of a finished system: letters that are judged here, or what says itself what is right."""

import json

import pandas as pd
import pytest
from pydantic import ValidationError

from plancheck.given.predictions import GivenAnswer, read_given_predictions
from plancheck.params.given import PredictionsFile
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question

QUESTIONS = {
    name: Question(name, "d", "", "", "", "?", ("1", "2", " 1", "4"), gold, "c")
    for name, gold in (("q1", "A"), ("q2", "B"))
}


def read(tmp_path, *rows, **fields):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_given_predictions(PredictionsFile(path=path, **fields), QUESTIONS)


def test_letters_are_judged_and_a_choice_with_the_gold_text_is_right(tmp_path):
    found = read(tmp_path, {"question_id": "q1", "letter": "C"}, {"question_id": "q2", "letter": "C"})
    assert found == {"q1": GivenAnswer(True, "C"), "q2": GivenAnswer(False, "C")}


def test_a_row_without_a_letter_is_no_answer(tmp_path):
    assert read(tmp_path, {"question_id": "q1", "letter": None}, {"question_id": "q2", "letter": "B"}) == {
        "q2": GivenAnswer(True, "B")
    }


def test_what_is_right_can_be_said_by_the_file(tmp_path):
    lm_eval = [{"doc_id": 0, "doc": {"_id": "q1"}, "acc": 1.0}, {"doc_id": 1, "doc": {"_id": "q2"}, "acc": 0.0}]
    found = {"q1": GivenAnswer(True), "q2": GivenAnswer(False)}
    assert read(tmp_path, *lm_eval, id="doc._id", score="acc") == found
    assert read(tmp_path, *lm_eval) == found, "its doc_id counts samples; the ID of the study is in doc"


def test_tables_are_read_as_compare_reads_them(tmp_path):
    frame = pd.DataFrame({"question_id": ["q1", "q1"], "run": ["a", "b"], "letter": ["A", "B"]})
    frame.to_csv(tmp_path / "mine.csv", index=False)
    entry = PredictionsFile(path=tmp_path / "mine.csv", where={"run": "b"})
    assert read_given_predictions(entry, QUESTIONS) == {"q1": GivenAnswer(False, "B")}


FAULTS = {
    "an unknown question": ([{"question_id": "q9", "letter": "A"}], {}, "(q9): no question of the study has this ID"),
    "a question twice": ([{"question_id": "q1", "letter": "A"}] * 2, {}, "the question has a row already"),
    "no letter": ([{"question_id": "q1", "letter": "Z9"}], {}, "letter must be a letter of the question's, A to D, is"),
    "a letter of no choice": ([{"question_id": "q1", "letter": "E"}], {}, "A to D, is 'E'"),
    "a share": ([{"question_id": "q1", "score": 0.5}, {"question_id": "q2", "score": 1}], {}, "1 or 0, is 0.5"),
    "an unknown scored question": ([{"question_id": "q9", "score": 1}], {}, "q9: no question of the study"),
    "no field that says what is right": (
        [{"question_id": "q1", "said": "A"}],
        {},
        "In the parameters, name the fields",
    ),
    "a letter field that is not there": ([{"question_id": "q1", "said": "A"}], {"letter": "foo"}, "has a field foo"),
    "no field of IDs": ([{"name": "q1", "letter": "A"}], {}, "In the parameters, name the fields"),
    "a field that is not there": ([{"question_id": "q1", "letter": "A"}], {"score": "acc"}, "acc"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told(tmp_path, fault):
    rows, fields, part = FAULTS[fault]
    with pytest.raises(StudyError) as caught:
        read(tmp_path, *rows, **fields)
    assert part in str(caught.value)


def test_a_first_line_about_the_system_is_no_answer(tmp_path):
    about = {"about": {"name": "agent", "trained_on": ["q7"]}}
    assert read(tmp_path, about, {"question_id": "q2", "letter": "B"}) == {"q2": GivenAnswer(True, "B")}
    with pytest.raises(StudyError, match="holds no result"):
        read(tmp_path, about)


def test_letter_and_score_are_not_named_together():
    with pytest.raises(ValidationError, match="names letter and score"):
        PredictionsFile(path="x", letter="letter", score="acc")
