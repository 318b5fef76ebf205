import dataclasses

import pytest

from flows.answer import prediction_rows
from plancheck.answering.asking import Answered
from plancheck.benchmark.tables import write_questions
from plancheck.plumbing.files import DATA, write_table
from plancheck.records import PACKED, Benchmark, Question

QUESTION = Question("q1", "", "", "", "", "Which?", ("red", "red ", "Red", "blue"), "B", "c")


@pytest.mark.parametrize(("letter", "right"), [("A", True), ("B", True), ("C", False), ("D", False), (None, False)])
def test_a_letter_with_the_text_of_the_gold_choice_is_correct(letter, right, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_questions(Benchmark((QUESTION, dataclasses.replace(QUESTION, question_id="q2", answer="D")), {}))
    shown = {name: None for name in PACKED.names} | {
        "question_id": "q1", "policy": "bm25", "budget_chars": 9, "packed_id": "p", "atom_ids": [], "starts": [],
        "ends": [], "chars": 0, "cut": False, "skipped": 0, "plan_failed": False,
    }  # fmt: skip
    write_table(DATA / "packed.parquet", [shown], PACKED)
    rows = list(prediction_rows({"p": Answered("p", letter, None if letter else "unparsable", None, 5)}))
    assert [(row["letter"], row["gold"], row["correct"]) for row in rows] == [(letter, "B", right)]
