"""docs/bring-your-own.md: its commands run, and its examples of formats are read."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from plancheck.answering.prompt import asker, refuse_incomplete
from plancheck.exporting.command import app
from plancheck.given.about import About, read_about
from plancheck.given.atoms import read_given_atoms
from plancheck.given.plans import read_given_plans
from plancheck.given.predictions import GivenAnswer, read_given_predictions
from plancheck.params.answer import Answer
from plancheck.params.given import PredictionsFile
from plancheck.records import Atom, Question, Span
from plancheck.starting.starter import STARTERS
from plancheck.trec import Hit, read_run

PAGE = (Path(__file__).parents[2] / "docs" / "bring-your-own.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.+?)^```", PAGE, re.MULTILINE | re.DOTALL)
SCRIPTS = [text.splitlines() for language, text in BLOCKS if not language]


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_a_script_of_the_page_runs_from_its_first_line_to_its_last(script, study, plancheck):
    for line in script:
        program, *arguments = shlex.split(line.partition("|")[0], comments=True)
        if program == "python":
            subprocess.run([sys.executable, *arguments], check=True)
        else:
            assert program == "plancheck"
            status, _, err = plancheck(*arguments)
            assert status == 0, err
        for file in re.findall(r"(?:--out|# writes) (\S+\.\w+)", line):
            assert Path(file).read_text(encoding="utf-8")


@pytest.fixture
def example(tmp_path):
    """A file that holds the page's example of a format."""

    def write(language):
        (text,) = (text for name, text in BLOCKS if name == language)
        path = tmp_path / f"{language}.jsonl"
        path.write_text(text)
        return path

    return write


CONTEXT = "The mill is in Tarn. The inn is in Lund. Old oaks stand here."
QUESTIONS = {
    name: Question(name, "", "", "", "", "Where?", ("Tarn", "Lund", "Ost", "Asp"), "B", "north")
    for name in ("q1", "q2", "q3")
}


def test_the_chunks_of_the_page_read_as_it_says(example):
    path = example("chunks")
    assert read_given_atoms(path, QUESTIONS, {"north": len(CONTEXT)}) == {
        "north": (Span(0, 20), Span(21, 40), Span(0, 40))
    }
    assert [CONTEXT[0:20], CONTEXT[21:40]] == ["The mill is in Tarn.", "The inn is in Lund."]
    assert read_about(path) == About("My chunker", "my-splitter", "v3")


def test_the_plans_of_the_page_read_as_it_says(example):
    path = example("plans")
    atoms = [Atom(f"a89bb3eec9098863-{place:05}", "north", place, place + 9, 0) for place in range(13)]
    plans = read_given_plans(path, QUESTIONS, {"north": CONTEXT}, {"north": atoms})
    assert {name: plan.spans for name, plan in plans.items()} == {
        "q1": (Span(12, 21), Span(4, 13)),
        "q2": (Span(40, 58), Span(0, 16)),
        "q3": (Span(21, 40),),
    }
    assert read_about(path) == About("My planner", "my-model-7b", "v2", ("q9",))


def test_the_predictions_of_the_page_read_as_it_says(example):
    entry = PredictionsFile(path=example("predictions"))
    assert read_given_predictions(entry, QUESTIONS) == {"q1": GivenAnswer(True, "B")}


def test_the_run_of_the_page_reads_as_it_says(example):
    assert read_run(example("trec")) == {
        "q1": [Hit("a89bb3eec9098863-00012", 1, 7.25), Hit("a89bb3eec9098863-00004", 2, 7.25)],
        "my question": [Hit("a89bb3eec9098863-00005", 1, 0.5)],
    }


@pytest.mark.parametrize("count", [2, 4, 10])
def test_the_prompt_of_the_page_shows_what_it_must(example, count):
    settings = {"max_new_tokens": 4, "pass_tokens": 64, "batch_size": 2, "device": "cpu", "dtype": "float32"}
    answer = Answer(mode="generate", prompt=example("jinja"), **settings)
    refuse_incomplete(answer, [count])
    [message] = asker(answer)(QUESTIONS["q1"], CONTEXT)
    assert message["content"].startswith(f"{CONTEXT}\n\nWhere?\n\n(A) Tarn\n(B) Lund\n")
    assert message["content"].endswith("one of A, B, C, D. Answer with its letter.")


def test_the_page_shows_every_export_and_every_kind_of_program():
    rows = set(re.findall(r"^\| `?(\w+)", PAGE, re.MULTILINE))
    assert {command.name for command in app.registered_commands} | set(STARTERS) <= rows
