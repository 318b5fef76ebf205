"""`plancheck new`: its programs run as they are on what is exported, and write what docs/bring-your-own.md says."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.given.plans import read_given_plans
from plancheck.given.predictions import read_given_predictions
from plancheck.params.given import PredictionsFile
from plancheck.params.study import parse_params
from plancheck.starting.starter import EXAMPLE_BUDGETS, PROGRAMS, STARTERS
from plancheck.tables import read_atoms
from plancheck.trec import read_run

ROOT = Path(__file__).parents[2]
BUDGETS = (60, 30)


@pytest.fixture
def new(study, plancheck):
    """What the program prints, once it wrote a starter."""

    def write(*arguments):
        status, out, err = plancheck("new", *arguments)
        assert status == 0, err
        return out

    return write


def follow(printed, plancheck):
    """Do what it says to type, but for the copy into conf/."""
    for program, rest in re.findall(r"^  (plancheck|python) (.+)$", printed, re.MULTILINE):
        if program == "plancheck":
            assert plancheck(*shlex.split(rest))[0] == 0
        else:
            subprocess.run([sys.executable, "-I", *shlex.split(rest)], check=True)  # no library of the environment


def lines(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def entry(name):
    return yaml.safe_load(Path(f"yours/{name}.params.yaml").read_text())


def test_the_planner_plans_every_question_by_its_candidates(new, study, plancheck):
    follow(new("planner", "mine"), plancheck)
    plans = lines("given/plans/mine.jsonl")
    candidates = {
        row["question_id"]: {atom["atom_id"] for atom in row["candidates"]} for row in lines("yours/candidates.jsonl")
    }
    assert [plan["question_id"] for plan in plans] == list(candidates)
    assert all(plan["atom_ids"] and set(plan["atom_ids"]) <= candidates[plan["question_id"]] for plan in plans)
    assert plans[1]["atom_ids"][0] == "north 0"  # "the mill is in Tarn", and the question asks for it
    assert entry("mine")["selectors"] == {"mine": {"kind": "plans", "path": "given/plans/mine.jsonl"}}


def test_the_study_reads_a_plan_of_the_planner_for_every_question(new, study, plancheck):
    follow(new("planner", "mine"), plancheck)
    questions = {question.question_id: question for question in read_questions()}
    given = read_given_plans(Path("given/plans/mine.jsonl"), questions, read_contexts(), read_atoms())
    assert {name: list(plan.atom_ids) for name, plan in given.items()} == {
        plan["question_id"]: plan["atom_ids"] for plan in lines("given/plans/mine.jsonl")
    }
    assert set(given) == set(questions)


def test_the_ranking_is_a_run_of_every_atom(new, study, plancheck):
    follow(new("ranking", "mine"), plancheck)
    run = read_run(Path("given/runs/mine.run"))
    assert {name: {hit.docid for hit in hits} for name, hits in run.items()} == {
        name: {f"{context} {place}" for place in range(5)} for name, (context, *_) in study.questions.items()
    }
    assert entry("mine") == {
        "rankings": {"mine": {"kind": "run", "path": "given/runs/mine.run"}},
        "pack": {"policies": {"mine": {"fill": "mine"}}},
        "analyze": {"tiers": {"mine": ["mine"]}},
    }


def test_the_compressor_fills_each_budget_of_the_study(new, study, plancheck):
    study.change("pack", budgets_chars=list(BUDGETS))
    study.change("route", budget_chars=60)
    follow(new("compressor", "mine"), plancheck)
    shown = lines("given/contexts/mine.jsonl")
    assert [(row["question_id"], row["budget_chars"]) for row in shown] == [
        (name, budget) for name in sorted(study.questions) for budget in BUDGETS
    ]
    assert all(0 < len(row["text"]) <= row["budget_chars"] for row in shown)
    assert entry("mine") == {"contexts": {"mine": {"path": "given/contexts/mine.jsonl"}}}


def test_the_finished_system_answers_every_question(new, study, plancheck):
    follow(new("predictions", "mine"), plancheck)
    answers = {row["question_id"]: row["letter"] for row in lines("given/predictions/mine.jsonl")}
    assert set(answers) == set(study.questions) and set(answers.values()) <= set("ABCD")
    assert answers["50%"] == "C"  # "the" is the commonest word
    assert entry("mine") == {"predictions": {"mine": {"path": "given/predictions/mine.jsonl"}}}


def test_the_study_reads_an_answer_of_the_finished_system_for_every_question(new, study, plancheck):
    follow(new("predictions", "mine"), plancheck)
    questions = {question.question_id: question for question in read_questions()}
    found = read_given_predictions(PredictionsFile.model_validate(entry("mine")["predictions"]["mine"]), questions)
    assert {name: answer.letter for name, answer in found.items()} == {
        row["question_id"]: row["letter"] for row in lines("given/predictions/mine.jsonl")
    }


@pytest.mark.parametrize("kind", STARTERS)
def test_an_example_is_short_and_imports_no_library(kind):
    text = (PROGRAMS / f"{kind}.py").read_text()
    tree = ast.parse(text)
    code = [line for line in text.splitlines() if line.strip()]
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {name.partition(".")[0] for name in imported} <= set(sys.stdlib_module_names)
    assert len(code) < 35
    assert "NAME" in text and (EXAMPLE_BUDGETS in text) == (kind == "compressor")


def test_it_prints_the_entry_and_what_to_type(new):
    printed = new("planner", "mine", "--folder", "elsewhere/deep")
    assert "  selectors:\n    mine: {kind: plans, path: given/plans/mine.jsonl}\n" in printed
    assert "  plancheck export candidates --out elsewhere/deep/candidates.jsonl\n" in printed
    assert "  cp elsewhere/deep/mine.params.yaml conf/policies/mine.yaml\n" in printed
    assert "NAME" not in Path("elsewhere/deep/mine.py").read_text()


BAD_NAMES = {
    "blanks": ("my planner", "letters a to z, digits and _"),
    "capitals": ("Mine", "letters a to z, digits and _"),
    "a path": ("../mine", "letters a to z, digits and _"),
    "a module of Python's": ("json", "would hide Python's own module json"),
    "a policy of the study": ("bm25", "params.yaml calls something else so"),
    "a selector of the study": ("evidence", "params.yaml calls something else so"),
    "a file of policies": ("controls", "conf/policies/controls.yaml is there already"),
    "a program that is there": ("mine", "yours/mine.py is there already"),
}


@pytest.mark.parametrize("case", BAD_NAMES)
def test_a_name_that_will_not_do_is_refused(case, study, plancheck):
    name, expected = BAD_NAMES[case]
    for path in ("conf/policies/controls.yaml", "yours/mine.py"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("theirs")
    status, printed, message = plancheck("new", "planner", name)
    assert (status, printed) == (1, "") and expected in message
    assert Path("yours/mine.py").read_text() == "theirs" and len(list(Path("yours").iterdir())) == 1


def test_force_replaces_a_program_but_no_policies(study, plancheck, new):
    new("planner", "mine")
    assert "TREC" in (new("ranking", "mine", "--force") and Path("yours/mine.py").read_text())
    Path("conf/policies").mkdir(parents=True)
    Path("conf/policies/mine.yaml").write_text("theirs")
    status, _, message = plancheck("new", "planner", "mine", "--force")
    assert status == 1 and "conf/policies/mine.yaml is there already" in message


@pytest.fixture
def with_entry(new, study, tmp_path):
    """The demo's parameters, checked, with the entry of a starter called `mine`."""
    from dvc.utils.hydra import compose_and_dump  # takes a second

    def compose(kind, *overrides):
        new(kind, "mine")
        conf = tmp_path / "conf"
        shutil.copytree(ROOT / "conf", conf)
        shutil.copy("yours/mine.params.yaml", conf / "policies" / "mine.yaml")
        given = ["profile=demo", "policies=[controls,matched,planner,harness,mine]", *overrides]
        compose_and_dump(tmp_path / "composed.yaml", str(conf), None, "config", str(conf), given)
        return parse_params(yaml.safe_load((tmp_path / "composed.yaml").read_text()), name="composed")

    return compose


def test_the_entry_of_a_planner_composes_to_the_policies_of_the_studys_own(with_entry):
    params = with_entry("planner", "analyze.planner=mine+bm25")

    def behind(selector):
        return [name.partition("+")[2] for name, policy in params.pack.policies.items() if policy.selector == selector]

    first = next(iter(params.pack.grids.values())).selectors[0]
    assert behind("mine") == behind(first) != []


def test_the_entry_of_predictions_composes_to_a_system_that_the_report_can_be_about(with_entry):
    params = with_entry("predictions", "analyze.planner=mine")
    assert list(params.predictions) == ["mine"] and "mine" in params.treatments
