"""With the real graph: what is wrong with params.yaml or the benchmark is told before DVC removes anything."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CODE = ("flows", "given", "tasks", "validation", "plancheck")


@pytest.fixture
def study(project: Path, clean_environment: dict[str, str]):
    """The project's code and graph on ten good questions, brought up to stage benchmark; and how to run DVC there."""
    for name in CODE:
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dvc.yaml", "requirements.lock", ".dvcignore"):
        shutil.copy2(ROOT / name, project / name)
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["benchmark"] |= {"source": "longbench_v2", "path": "questions.jsonl"}
    params["split"]["sizes"] = {"train": 0.5, "dev": 0.2, "test": 0.3}
    for name in params["pack"]["grids"].pop("harness")["selectors"]:
        del params["selectors"][name]
    write(project, params, good=True)
    made = dvc(clean_environment, "benchmark")
    assert made.returncode == 0, made.stderr
    (project / "models" / "weights").mkdir(parents=True)
    (project / "models" / "weights" / "kept").write_text("weights")
    return project, params


def write(project: Path, params: dict, *, good: bool) -> None:
    (project / "params.yaml").write_text(yaml.safe_dump(params))
    records = [
        {"_id": str(number), "question": f"Where is {number}?", "choice_A": "a", "choice_B": "b", "choice_C": "c",
         "choice_D": "d", "answer": "A" if good else "none", "context": f"Context {number}."}
        for number in range(10)
    ]  # fmt: skip
    (project / "questions.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


def dvc(environment: dict[str, str], *targets: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dvc", "repro", *targets]
    path = f"{Path(sys.executable).parent}:{environment['PATH']}"
    return subprocess.run(command, env=environment | {"PATH": path}, capture_output=True, text=True, check=False)


def test_a_bad_file_and_a_bad_parameter_cost_no_table_and_no_model(study, clean_environment) -> None:
    project, params = study
    tables = [project / "data" / name for name in ("questions.parquet", "contexts.parquet")]
    before = [table.read_bytes() for table in tables]

    write(project, params, good=False)
    bad_file = dvc(clean_environment)
    write(project, params | {"route": params["route"] | {"folds": 1}}, good=True)
    bad_parameter = dvc(clean_environment)
    write(project, params | {"benchmark": params["benchmark"] | {"path": "../gone.jsonl"}}, good=True)
    no_file = dvc(clean_environment)

    assert "error: questions.jsonl: 10 problem(s) in 10 record(s)" in bad_file.stderr
    assert "error: params.yaml: 1 parameter(s) break a rule" in bad_parameter.stderr
    assert "name your file with `-S benchmark.path=FILE`" in no_file.stderr
    for refused in (bad_file, bad_parameter, no_file):
        assert refused.returncode != 0
        assert "'models'" not in refused.stdout + refused.stderr
        assert "Traceback" not in refused.stderr
    assert [table.read_bytes() for table in tables] == before
    assert (project / "models" / "weights" / "kept").read_text() == "weights"

    write(project, params, good=True)
    assert "Stage 'benchmark' didn't change" in dvc(clean_environment, "benchmark").stdout
