"""A benchmark that the study cannot be made of is refused before any stage that makes something."""

import copy
import hashlib
import json
from pathlib import Path

import pytest
import yaml

from plancheck.params.study import parse_params
from plancheck.plumbing.errors import StudyError
from plancheck.stages.inputs import REPORT, run

ROOT = Path(__file__).parents[2]
VALUES = yaml.safe_load((ROOT / "params.yaml").read_text())
FILE = "questions.jsonl"


def params(**changes):
    """Parameters for ``FILE`` without the harness; with some changed: keys are paths with "/"."""
    values = copy.deepcopy(VALUES)
    values["benchmark"] |= {"source": "file", "path": FILE}
    for name in ("evidence", "evidence_half", "random_plan"):
        del values["selectors"][name]
    values["split"]["sizes"] = {"train": 0.5, "dev": 0.2, "test": 0.3}
    del values["pack"]["grids"]["harness"]
    for path, value in changes.items():
        *sections, last = path.split("/")
        place = values
        for section in sections:
            place = place[section]
        place[last] = value
    return parse_params(values, name="params.yaml")


def record(number, **changes):
    letters = {f"choice_{letter}": f"{letter} {number}" for letter in "ABCD"}
    return {"_id": str(number), "question": f"Where is {number}?", **letters, "answer": "A",
            "context": f"Context {number}."} | changes  # fmt: skip


def write(records):
    Path(FILE).write_text("".join(json.dumps(item) + "\n" for item in records))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refused(**changes):
    with pytest.raises(StudyError) as error:
        run(params(**changes))
    assert not REPORT.exists()
    return str(error.value)


def test_inputs_that_can_be_used_leave_the_same_bytes_whatever_they_are():
    write(record(number) for number in range(10))
    run(params())
    first = REPORT.read_bytes()
    write(record(number) for number in range(20))
    run(params(**{"benchmark/limit": 12, "split/sizes": {"train": 6, "dev": 2, "test": 4}}))
    assert REPORT.read_bytes() == first
    assert sorted(path.name for path in Path.cwd().iterdir()) == [FILE, "reports"]


def test_the_generated_questions_can_be_used():
    lexicon = str(ROOT / VALUES["benchmark"]["path"])
    run(parse_params(VALUES | {"benchmark": VALUES["benchmark"] | {"path": lexicon}}, name="params.yaml"))
    assert REPORT.exists()


@pytest.mark.parametrize(
    ("records", "changes", "expected"),
    [
        ([record(1, answer="E")], {}, "answer must mean one choice"),
        ([record(1), record(1)], {}, "IDs must be unique"),
        ([], {}, "is empty"),
        (map(record, range(10)), {"split/sizes": {"train": 301, "dev": 50, "test": 152}}, "the benchmark has 10"),
        (map(record, range(10)), {"split/sizes": {"train": 8, "dev": 1, "test": 1}}, "intervals need 2 or more"),
        (map(record, range(10)), {"benchmark/limit": 2}, "would be empty with 2 questions"),
        (map(record, range(10)), {"benchmark/columns": {"context": "passage"}}, "no record has passage"),
    ],
    ids=["letter", "doubled", "empty", "sizes", "one context", "limit", "column"],
)
def test_what_the_study_cannot_be_made_of_is_refused(records, changes, expected):
    write(records)
    assert expected in refused(**changes)


def listed(**ids):
    Path("ids.json").write_text(json.dumps(ids))
    return {"split/path": "ids.json"}


def test_listed_ids_may_name_questions_that_the_limit_leaves_out_and_no_others():
    write(record(number) for number in range(20))
    ids = {"train": list(range(12)), "dev": [], "test": list(range(12, 20))}
    run(params(**listed(**ids), **{"benchmark/limit": 10}))
    REPORT.unlink()
    assert "no question of the benchmark (1): 20 (test item 9)" in refused(
        **listed(**ids | {"test": list(range(12, 21))}), **{"benchmark/limit": 10}
    )


def test_listed_ids_that_are_no_split_of_the_questions_are_refused_whatever_the_sizes():
    write(record(number) for number in range(10))
    said = refused(**listed(train=[1, 2, 3], dev=[3], test=[4, 5, 6, 7, 8, 9]))
    assert "listed more than once (1): 3 " in said and "questions in no split (1): 0" in said


def test_near_equal_contexts_on_two_sides_are_refused_here_where_contexts_stay_together():
    write(
        record(number, context="One text." + " " * (number % 2) if number < 2 else f"{number}") for number in range(6)
    )
    ids = listed(train=[0, 2], dev=[3], test=[1, 4, 5])
    run(params(**ids))
    REPORT.unlink()
    assert "1 context(s) lie on several sides" in refused(**ids, **{"split/group_by": "context"})


def test_a_file_that_is_not_there_is_refused():
    assert f"{FILE}: no such file" in refused()


@pytest.mark.parametrize("selector", ["evidence", "evidence_half"])
def test_a_selector_that_reads_the_evidence_is_refused_where_no_question_names_it(selector):
    write(record(number) for number in range(10))
    said = refused(**{f"selectors/{selector}": {"kind": selector}})
    assert f"selectors: {selector} need each question's evidence, which 10 of 10 questions do not name" in said
    assert "the first is 0" in said


def run_of(*lines):
    """Parameters with a run of these lines, and a policy that it fills."""
    path = Path("given/runs/mine.run")
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{line} mine\n" for line in lines))
    return {"rankings/mine": {"kind": "run", "path": str(path)}, "pack/policies/mine": "mine"}


def test_a_run_is_read_here_and_all_that_it_names_must_be_there():
    write(record(number) for number in range(10))
    said = refused(**run_of("0 Q0 nowhere-00000 1 2.5", "77 Q0 nowhere-00000 1 2.5"))
    assert "given/runs/mine.run: not a run over this study's atoms" in said
    assert "0: nowhere-00000 is no atom of its context" in said and "77: no question of the study" in said


def test_a_run_with_a_broken_line_is_refused_here():
    write(record(number) for number in range(10))
    assert "1 line(s) of this run break a rule" in refused(**run_of("0 Q0 nowhere-00000 1 nan"))


def test_a_template_that_leaves_out_the_question_is_refused_here():
    write(record(number) for number in range(10))
    Path("mine.jinja").write_text("{{ context }}")
    assert "mine.jinja: leaves out or changes the question" in refused(**{"answer/prompt": "mine.jinja"})
    assert "mine.jinja, line 1: 'context' is undefined" in refused(**{"planner/prompt": "mine.jinja"})


def test_a_template_that_shows_one_question_of_the_study_otherwise_is_refused_here():
    write(record(number) for number in range(10))
    Path("mine.jinja").write_text("{{ context if '7' not in question else '' }} {{ question }}")
    said = refused(**{"answer/prompt": "mine.jinja"})
    assert "mine.jinja: leaves out or changes the context" in said and "This is question 7, with" in said


def chunks(*lines):
    path = Path("given/atoms/mine.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return {"atoms/path": path.as_posix()}


def test_atoms_of_one_s_own_are_read_with_all_their_faults():
    write(record(number) for number in range(10))
    whole = [{"question_id": str(number), "start": 0, "end": 10} for number in range(10)]
    run(params(**chunks(*whole)))
    REPORT.unlink()
    said = refused(**chunks({"question_id": "0", "start": 5, "end": 11}, *whole[1:9], {"question_id": "x"}))
    assert "given/atoms/mine.jsonl: 2 fault(s):" in said
    assert "span [5, 11]" in said and "no question of the study" in said
    assert "(of question 9): has no span" in refused(**chunks(*whole[:9]))


def plans(atom_ids):
    path = Path("given/plans/mine.jsonl")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"question_id": "1", "atom_ids": atom_ids}) + "\n")
    return {"selectors/mine": {"kind": "plans", "path": path.as_posix()}}


def test_plans_name_the_atoms_of_one_s_own():
    write(record(number) for number in range(10))
    spans = [{"question_id": str(number), "start": start, "end": 10} for number in range(10) for start in (0, 4)]
    prefix = hashlib.sha256(b"Context 1.").hexdigest()[:16]
    run(params(**chunks(*spans), **plans([f"{prefix}-00001"])))
    REPORT.unlink()
    assert f"no atom of the question's context has the ID '{prefix}-00002'" in refused(
        **chunks(*spans), **plans([f"{prefix}-00002"])
    )


def test_plans_name_windows_of_contexts_that_came_as_lists_of_documents_as_stage_atoms_cuts_them():
    texts = ["A" * 210, "B"]
    write(record(number, context=[*texts, str(number)]) for number in range(10))
    prefix = hashlib.sha256("\n\n".join([*texts, "1"]).encode()).hexdigest()[:16]
    run(params(**plans([f"{prefix}-00003"]), **{"atoms/other/window_chars": 400}))  # windows of 200: A, A, B, 1


def test_what_is_wrong_with_several_files_is_told_at_once():
    write(record(number) for number in range(10))
    Path("answers.csv").write_text("question_id,letter\n1,Z\n")
    Path("texts.jsonl").write_text("{")
    answers, texts = (
        {"predictions": {"agent": {"path": "answers.csv"}}},
        {"contexts": {"short": {"path": "texts.jsonl"}}},
    )
    said = refused(**answers, **texts, **plans(["nowhere"]), **run_of("0 Q0 nowhere-00000 1 nan"))
    for part in ("answers.csv: 1 fault", "texts.jsonl: 1 fault", "mine.jsonl: 1 fault", "1 line(s) of this run"):
        assert part in said, said
