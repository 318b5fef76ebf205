"""A small study: two questions on one context, shown and answered under planner, control and finished system."""

import hashlib
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.packing import packed_id, packed_text
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import (
    GIVEN_PREDICTIONS,
    PACKED,
    PLANS,
    PREDICTIONS,
    Benchmark,
    Piece,
    Question,
    Span,
)

ROOT = Path(__file__).parents[2]
#        0         1         2         3         4         5         6         7
#        0123456789012345678901234567890123456789012345678901234567890123456789012345678
TEXT = "The mill is in Tarn. The inn is in Lund. Old oaks stand here. A boat lies there."
CHOICES = ("Tarn", "Lund", "Tarn ", "nowhere")
MILL, INN, OAKS = Piece("n 0", 0, 24), Piece("n 1", 18, 42), Piece("n 2", 40, 62)


def questions(text=TEXT, choices=CHOICES):
    context_id = hashlib.sha256(text.encode()).hexdigest()
    made = [
        ("mill-1", "Where is the mill?", "A", (Span(0, 20),)),
        ("mill-2", "Where is the inn?", "B", (Span(21, 40), Span(62, 80))),
        ("oaks", "Where are the oaks?", "D", None),
    ]
    return [
        Question(name, "Lore", "", "hard", "", asked, choices, gold, context_id, evidence=evidence)
        for name, asked, gold, evidence in made
    ]


def packed_row(name, policy, pieces, *, text=TEXT, recall=None, plan_failed=False, budget=900, given=None):
    shown = packed_text(text, pieces) if given is None else given
    return {
        "question_id": name, "policy": policy, "budget_chars": budget, "packed_id": packed_id(name, text, pieces),
        "atom_ids": [piece.atom_id for piece in pieces], "starts": [piece.start for piece in pieces],
        "ends": [piece.end for piece in pieces], "chars": len(shown), "cut": False, "skipped": 0,
        "evidence_recall": recall, "plan_failed": plan_failed, "text": given,
    }  # fmt: skip


def answer_row(packed, gold, letter, *, correct=None, failure=None, probs=None):
    return {
        "question_id": packed["question_id"], "policy": packed["policy"], "budget_chars": packed["budget_chars"],
        "packed_id": packed["packed_id"], "letter": letter, "gold": gold,
        "correct": letter == gold if correct is None else correct, "failure": failure, "probs": probs,
        "prompt_tokens": 40,
    }  # fmt: skip


def write_study(text=TEXT, choices=CHOICES):
    made = questions(text, choices)
    write_questions(Benchmark(tuple(made), {}))
    write_contexts(Benchmark((), {made[0].context_id: text}))
    write_json(DATA / "splits.json", {"train": ["mill-1"], "dev": [], "test": ["mill-2", "oaks"]})
    packed = {
        "bm25": packed_row("mill-1", "bm25", [OAKS, MILL], text=text, recall=1.0),
        "sft": packed_row("mill-1", "sft+bm25", [MILL, OAKS], text=text, recall=1.0),
        "prompted": packed_row("mill-1", "prompted+bm25", [OAKS, MILL], text=text, recall=1.0, plan_failed=True),
        "inn": packed_row("mill-2", "bm25", [OAKS], text=text, recall=0.0),
        "inn sft": packed_row("mill-2", "sft+bm25", [INN], text=text, recall=0.5),
        "small": packed_row("mill-2", "bm25", [], text=text, recall=0.0, budget=450),
        "oaks": packed_row("oaks", "bm25", [OAKS], text=text),
    }
    write_table(DATA / "packed.parquet", packed.values(), PACKED)
    answers = [
        answer_row(packed["bm25"], "A", "B", probs=[0.3, 0.4, 0.2, 0.1]),
        answer_row(packed["sft"], "A", "C", correct=True, probs=[0.2, 0.2, 0.4, 0.2]),
        answer_row(packed["prompted"], "A", "B", probs=[0.3, 0.4, 0.2, 0.1]),
        answer_row(packed["inn"], "B", None, failure="cut_off"),
        answer_row(packed["inn sft"], "B", "B", probs=[0.1, 0.4, 0.4, 0.1]),
        answer_row(packed["small"], "B", "B", probs=[0.1, 0.5, 0.2, 0.2]),
        answer_row(packed["oaks"], "D", "A", probs=[0.7, 0.1, 0.1, 0.1]),
    ]
    write_table(DATA / "predictions.parquet", answers, PREDICTIONS)
    plans = [
        {"question_id": "mill-1", "selector": "sft", "atom_ids": ["n 0"], "starts": [0], "ends": [24], "parsed": True},
        {"question_id": "mill-1", "selector": "prompted", "atom_ids": [], "starts": [], "ends": [], "parsed": False,
         "failure": "unparsable"},
    ]  # fmt: skip
    write_table(DATA / "plans.parquet", plans, PLANS)
    write_table(DATA / "given_plans.parquet", [], PLANS)
    system = {"question_id": "mill-1", "system": "theirs", "letter": "A", "gold": "A", "correct": True}
    write_table(DATA / "given_predictions.parquet", [system], GIVEN_PREDICTIONS)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """The study in the current folder, and how to write it with another text or other choices."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "params.yaml", tmp_path / "params.yaml")
    write_study()
    return SimpleNamespace(write=write_study, text=TEXT)


@pytest.fixture
def inspected(study, plancheck):
    """What `plancheck inspect` prints, with blanks at the ends of lines left out."""

    def inspect(*arguments):
        status, out, err = plancheck("inspect", *arguments)
        assert status == 0, err
        return "\n".join(line.rstrip() for line in out.splitlines())

    return inspect
