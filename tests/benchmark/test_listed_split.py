"""A listed split must hold each question of the study just once, and is otherwise taken as it is."""

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.listed_split import listed_split
from plancheck.errors import StudyError
from plancheck.records import SPLITS, Question
from plancheck.splits import split_questions


def question(name, context=None):
    return Question(name, "d", "", "", "", "?", ("a", "b", "c", "d"), "A", context or f"context of {name}")


QUESTIONS = [question(f"q{number}") for number in range(6)]
WHOLE = {"train": ["q4", "q0", "q1"], "dev": ["q2"], "test": ["q3", "q5"]}


@pytest.fixture
def said(tmp_path):
    """What is said of a split of questions that cannot be used."""

    def refusal(ids, questions=QUESTIONS, *, one_side=False, left_out=()):
        path = tmp_path / "ids.json"
        path.write_text(json.dumps(ids))
        with pytest.raises(StudyError) as caught:
            listed_split(path, questions, one_side=one_side, left_out=left_out)
        return str(caught.value)

    return refusal


def written(folder, ids):
    path = folder / "ids.json"
    path.write_text(json.dumps(ids))
    return path


def test_the_ids_come_back_sorted_whatever_the_sizes(tmp_path):
    found = listed_split(written(tmp_path, WHOLE), QUESTIONS, one_side=True, left_out=())
    assert found == {"train": ["q0", "q1", "q4"], "dev": ["q2"], "test": ["q3", "q5"]}


@given(total=st.integers(10, 40), seed=st.integers(0, 9), group_by=st.sampled_from(["none", "context"]))
def test_a_split_of_our_own_listed_is_the_same_split(total, seed, group_by, tmp_path_factory):
    questions = [question(f"q{number}", f"c{number // 2}") for number in range(total)]
    ours = split_questions(questions, {"train": 0.5, "dev": 0.2, "test": 0.3}, seed=seed, group_by=group_by)
    path = written(tmp_path_factory.mktemp("split"), {name: ids[::-1] for name, ids in ours.items()})
    assert listed_split(path, questions, one_side=group_by == "context", left_out=()) == ours


def test_all_that_is_wrong_is_told_at_once(said):
    message = said({"train": ["q0", "q1", "q1", "x"], "dev": ["q2", "q0"], "val ": []})
    for part in (
        "ids.json: is no split of the 6 questions:",
        "listed more than once (2): q0 (train, train item 1; dev, dev item 2), q1 (train, train item 2; train, train ",
        "no question of the benchmark (1): x (train item 4)",
        "questions in no split (3): q3, q4, q5",
        "test: no question",
        "names every question of the benchmark once, keep more of them (benchmark.limit), or set split.path=plancheck/",
    ):
        assert part in message


def test_twenty_are_named_and_the_others_counted(said):
    questions = [*QUESTIONS, *(question(f"r{number:02d}") for number in range(30))]
    message = said(WHOLE, questions)
    assert "questions in no split (30): r00, r01, " in message
    assert "r19 and 10 more" in message and "r20" not in message


def test_no_dev_questions_are_a_split_and_no_train_questions_are_none(tmp_path, said):
    path = written(tmp_path, {"train": ["q0", "q1", "q2"], "test": ["q3", "q4", "q5"]})
    assert listed_split(path, QUESTIONS, one_side=False, left_out=())["dev"] == []
    assert "train: no question" in said({"dev": ["q0", "q1", "q2"], "test": ["q3", "q4", "q5"]})


def test_ids_of_questions_that_are_left_out_may_be_listed_and_are_counted(tmp_path, said, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("plancheck"), "propagate", True)
    caplog.set_level(logging.INFO, logger="plancheck.split")
    path = written(tmp_path, WHOLE)
    few = [item for item in QUESTIONS if item.question_id != "q1"]
    expected = {"train": ["q0", "q4"], "dev": ["q2"], "test": ["q3", "q5"]}
    for left_out in ({"q1", "q9"}, None):
        caplog.clear()
        assert listed_split(path, few, one_side=False, left_out=left_out) == expected
        assert caplog.messages == [f"{path}: 1 listed IDs are of questions that benchmark.limit leaves out"]
    assert "no question of the benchmark (1): q1" in said(WHOLE, few)


def test_a_context_on_two_sides_is_refused_where_contexts_stay_together(tmp_path, said):
    questions = [*(question(name, "shared") for name in ("q0", "q3")), *(question(f"q{n}") for n in (1, 2, 4, 5))]
    path = written(tmp_path, WHOLE)
    assert set(listed_split(path, questions, one_side=False, left_out=())) == set(SPLITS)
    message = said(WHOLE, questions, one_side=True)
    assert "1 context(s) lie on several sides, which split.group_by=context forbids" in message
    assert "shared: train has questions (1): q0; test has questions (1): q3" in message
