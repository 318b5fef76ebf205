"""What a program loads: no library that it does not use, for each takes a large part of a second."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from plancheck.benchmark.tables import write_questions
from plancheck.cli import STAGES
from plancheck.records import Benchmark, Question

HEAVY = {
    "altair",
    "datasets",
    "dvc",
    "great_expectations",
    "peft",
    "prefect",
    "sentence_transformers",
    "sklearn",
    "torch",
    "transformers",
    "trl",
}
TABLES = {"pandas", "pyarrow", "pydantic", "scipy", "statsmodels"}
LOADED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr))
"""


def loaded(code, *arguments):
    """The packages that a Python process has loaded when it ends well."""
    command = [sys.executable, "-c", LOADED + code, *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stderr.splitlines()[-1]))


def test_help_loads_no_library_of_a_stage():
    assert not loaded("from plancheck.cli import main; main()", "--help") & (HEAVY | TABLES)


def test_compare_loads_no_model_library_and_no_orchestrator(tmp_path):
    for name, rights in (("a", (1, 0, 1)), ("b", (0, 0, 1))):
        rows = "".join(f"q{number},{right}\n" for number, right in enumerate(rights))
        (tmp_path / f"{name}.csv").write_text(f"id,score\n{rows}")
    found = loaded("from plancheck.cli import main; main()", "compare", tmp_path / "a.csv", tmp_path / "b.csv")
    assert "scipy" in found
    assert not found & HEAVY


def test_inspect_and_diff_load_no_model_library_and_no_orchestrator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_bytes((Path(__file__).parents[1] / "params.yaml").read_bytes())
    modules = ("inspection.reading", "inspection.terminal", "inspection.page", "difference.runs", "difference.report")
    assert not loaded(f"import {', '.join(f'plancheck.{name}' for name in modules)}") & (HEAVY | {"pandas", "scipy"})
    assert not loaded("from plancheck.cli import main; main()", "diff", ".", ".") & (HEAVY | {"pandas", "scipy"})


def test_export_and_new_load_no_model_library_and_no_orchestrator(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.yaml").write_bytes((Path(__file__).parents[1] / "params.yaml").read_bytes())
    question = Question("q1", "d", "", "", "", "?", ("1", "2", "3", "4"), "A", "c", evidence=())
    write_questions(Benchmark((question,), {}))
    for command in (("export", "questions", "--out", "questions.jsonl"), ("new", "planner", "mine")):
        assert not loaded("from plancheck.cli import main; main()", *command) & HEAVY


@pytest.mark.parametrize("module", ["flows.study", "flows.entry"])
def test_a_study_that_finds_nothing_to_do_has_not_loaded_prefect(module):
    assert not loaded(f"import {module}") & ((HEAVY - {"dvc"}) | {"pandas", "scipy"})


def test_results_are_shown_without_charts_and_tests():
    found = loaded("import flows.results; assert 'scipy.stats' not in sys.modules")
    assert "pandas" in found
    assert not found & HEAVY


def test_no_stage_without_a_model_loads_a_model_library_or_prefect():
    modules = sorted(f"plancheck.stages.{name}" for name in STAGES if name != "models")
    assert not loaded(f"import plancheck.params.study, {', '.join(modules)}") & (HEAVY - {"altair", "sklearn"})


def test_only_a_device_that_may_be_missing_is_asked_for():
    ask = "from plancheck.stages.parameters import missing_devices; print(missing_devices({}))"
    everywhere = {"profile": "demo", "plan": {"selectors": []}, "mine": {"device": "auto"}, "answer": {"device": "cpu"}}
    assert "torch" not in loaded(ask.format(everywhere))
    assert "torch" in loaded(ask.format(everywhere | {"answer": {"device": "cuda:99"}}))


def test_the_process_that_runs_stages_has_loaded_neither_prefect_nor_a_model_library():
    assert not loaded("import flows.repro, flows.graph") & ((HEAVY - {"dvc"}) | {"pandas", "scipy"})
