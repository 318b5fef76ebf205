"""A listed split must hold each question of the study just once, and is otherwise taken as it is."""

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.listed_split import listed_split
from plancheck.plumbing.errors import StudyError
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
        assert set(caplog.messages) == {f"{path}: 1 listed IDs are of questions that benchmark.limit leaves out"}
    assert "no question of the benchmark (1): q1" in said(WHOLE, few)


def test_a_context_on_two_sides_is_refused_where_contexts_stay_together(tmp_path, said):
    questions = [*(question(name, "shared") for name in ("q0", "q3")), *(question(f"q{n}") for n in (1, 2, 4, 5))]
    path = written(tmp_path, WHOLE)
    assert set(listed_split(path, questions, one_side=False, left_out=())) == set(SPLITS)
    message = said(WHOLE, questions, one_side=True)
    assert "1 context(s) lie on several sides, which split.group_by=context forbids" in message
    assert "shared: train has questions (1): q0; test has questions (1): q3" in message


def test_an_id_listed_often_names_a_few_places_of_each_split_and_a_count(said):
    message = said({"train": ["q0"] * 1_500, "dev": ["q2"], "test": ["q3", "q4", "q5", "q0", "q1"]})
    assert (
        "listed more than once (1): q0 (train, train item 1; test, test item 4; train, train item 2; 1,498 more)\n"
        in message
    )
    assert "q0 (train, train item 1; train, train item 2; train, train item 3)\n" in said({"train": ["q0"] * 3})


def test_an_unknown_id_is_named_once(said):
    assert "no question of the benchmark (1): x (train item 1)\n" in said({"train": ["x", "x", "q0"], "test": ["x"]})


FORGED = "q\x1b[2J\nerror: forged\x00" + "x" * 100_000


def test_ids_forge_no_line_of_a_message_and_flood_none(said):
    questions = [*(question(f"{FORGED}{n}", "shared") for n in range(3)), question("q0"), question("a, b (c)")]
    ids = {"train": [questions[0].question_id, "q0", "q0", f"{FORGED}?"], "test": [questions[1].question_id] * 2}
    both = {"train": [questions[0].question_id, "q0"], "test": [item.question_id for item in questions[1:3]]}
    shown = r"'q\x1b[2J\nerror: forged\x00xxx"
    for message, count in (
        (said(ids, questions), 3),
        (said({**both, "dev": ["a, b (c)"]}, questions, one_side=True), 3),
    ):
        assert message.count(shown) == count
        assert all(line.isprintable() for line in message.split("\n")) and len(message) < 1_500
    assert "questions in no split (2): 'a, b (c)', 'q" in said(ids, questions)


@pytest.mark.parametrize(
    ("ours", "theirs", "example"),
    [
        ("7", "007", "'007' here and '7' in the benchmark"),
        ("7", "7.0", "'7.0' here and '7' in the benchmark"),
        ("q 7", " q7\n", r"' q7\n' here and 'q 7' in the benchmark"),
        ("\u00e9", "e\u0301", r"'e\u0301' here and '\xe9' in the benchmark"),
        ("Q7", "q7", "'q7' here and 'Q7' in the benchmark"),
    ],
)
def test_an_unknown_id_that_looks_like_a_missing_one_is_told_with_an_example(ours, theirs, example, said):
    questions = [*QUESTIONS, question(ours), question("x01")]
    message = said({**WHOLE, "dev": ["q2", theirs, "x1", "other"]}, questions)
    assert "no question of the benchmark (3): " in message
    assert f"or their form of Unicode (2), such as {example}: write them as the benchmark does\n" in message


def test_ids_that_look_like_none_or_like_a_listed_one_are_not_told_as_such(said):
    questions = [*QUESTIONS, question("r1")]
    assert "such as" not in said({**WHOLE, "dev": ["q2", "q02", "s1"]}, questions)
    assert "such as" not in said({**WHOLE, "dev": ["q2", "r01"]}, questions, left_out={"r01"})
