"""The shape of the code: import directions, and what DVC watches."""

import re
import subprocess
from functools import reduce
from operator import getitem
from pathlib import Path

import grimp
import pytest
import yaml
from importlinter import api

from plancheck.params.study import Params
from plancheck.plumbing.errors import doubled
from validation.gates import GATES
from validation.inputs import table_file

ROOT = Path(__file__).parents[1]
PARAMS = yaml.safe_load((ROOT / "params.yaml").read_text())
PACKAGES = ("flows", "tasks", "validation", "plancheck")

# How a stage is started and ended changes none of its outputs.
STARTING = {
    "flows",
    "flows.entry",
    "flows.progress",
    "flows.runners",
    "flows.server",
    "flows.stage_runs",
    "flows.stages",
    "flows.statuses",
    "tasks",
    "tasks.retries",
    "tasks.shards",
    "plancheck",
    "plancheck.cli",
    "plancheck.stages",
}

SECTIONS = set(Params.model_fields) - {"run", "runtime"}  # whether and where stages run decides no output


def stages():
    """Name, command, dependencies and parameter sections of every stage."""
    for name, stage in yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"].items():
        yield name, stage["cmd"], stage["deps"], stage.get("params", [])


STAGES = {name: (cmd, deps, params) for name, cmd, deps, params in stages()}


@pytest.fixture(scope="module")
def graph():
    made = grimp.build_graph(*PACKAGES, cache_dir=None)
    made.remove_module("plancheck.locking.guard")  # asked before a stage starts: it changes no output
    return made


def entry_module(cmd):
    module, *rest = cmd.removeprefix("python -m ").split()
    return f"plancheck.stages.{rest[0]}" if module == "plancheck" else module


def source(module):
    path = ROOT / module.replace(".", "/")
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_imports_run_one_way(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert api.use_cases.lint_imports(config_filename="pyproject.toml", is_debug_mode=False, cache_dir=None)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_watches_every_project_module_that_it_imports(stage, graph):
    cmd, deps, _ = STAGES[stage]
    entry = entry_module(cmd)
    imported = ({entry} | graph.find_upstream_modules(entry)) - STARTING
    watched = [ROOT / dep for dep in deps if "${" not in dep]

    unwatched = sorted(
        module
        for module in imported
        if not any(path == source(module) or path in source(module).parents for path in watched)
    )
    assert unwatched == []


def reading(stage, graph):
    """The files that read a stage's parameters: its entry, or the modules of a gate."""
    cmd, _, _ = STAGES[stage]
    if entry_module(cmd) != "validation.gate":
        return [source(entry_module(cmd))]
    modules = {module.__name__ for module in GATES[cmd.split()[-1]].modules}
    used = {other for module in modules for other in graph.find_upstream_modules(module)}
    return sorted(source(module) for module in modules | used if module.startswith("validation."))


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_lists_just_the_parameter_sections_it_reads(stage, graph):
    _, _, listed = STAGES[stage]
    files = reading(stage, graph)
    lines = "\n".join(file.read_text() for file in files).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(("from ", "import ")))
    read = set(re.findall(r"\bparams\.(\w+)", text)) | set(re.findall(r"read_params\(\)\.(\w+)", text))
    if "params.model_dump(" in text:
        read |= SECTIONS

    assert {name.split(".")[0] for name in listed} == read & SECTIONS
    for name in listed:
        assert reduce(getitem, name.split("."), PARAMS) is not None


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_runs_again_with_other_versions_of_the_libraries(stage):
    _, deps, _ = STAGES[stage]
    assert "requirements.lock" in deps


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_names_what_it_watches_once(stage):
    _, deps, listed = STAGES[stage]
    assert doubled([*deps, *listed]) == []


def outputs():
    """Stage, path and options of every output."""
    for name, stage in yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"].items():
        for out in [*stage.get("outs", []), *stage.get("metrics", []), *stage.get("plots", [])]:
            path, options = next(iter(out.items())) if isinstance(out, dict) else (out, {})
            yield name, path, options


def test_every_output_is_in_dvcs_cache_and_none_in_git():
    """With the lock alone in git, `dvc pull` must bring all that a rerun compares."""
    found = {path: options for _, path, options in outputs()}
    assert [path for path, options in found.items() if not options.get("cache", True)] == []
    ignored = subprocess.run(["git", "check-ignore", *found], cwd=ROOT, capture_output=True, text=True, check=False)
    assert sorted(found) == sorted(ignored.stdout.split())


MAKERS = {path: stage for stage, path, _ in outputs()}


def needs(stage):
    """The stages that have run before a stage begins."""
    direct = {MAKERS[dep] for dep in STAGES[stage][1] if dep in MAKERS}
    return direct.union(*map(needs, direct))


def test_no_stage_that_makes_something_begins_before_the_checks_of_what_is_given():
    first = {"parameters", "inputs"}
    assert [stage for stage in STAGES if stage not in first and not first <= needs(stage)] == []
    assert set(STAGES["parameters"][2]) == SECTIONS


@pytest.mark.parametrize("gate", GATES)
def test_dvc_watches_just_the_tables_that_a_gate_reads(gate):
    cmd, deps, _ = STAGES[f"check_{gate}"]
    read = {table_file(name).as_posix() for name in GATES[gate].tables}
    read |= {"data/splits.json"} if GATES[gate].splits else set()
    read |= {"data/sft"} if GATES[gate].rows else set()
    assert cmd == f"python -m validation.gate {gate}"
    assert {dep for dep in deps if dep.startswith("data")} == read


def test_what_the_answer_model_is_asked_about_is_judged_before():
    """A gate that fails stops the study before it pays for answers."""
    others = {"splits": "data/splits.json", "rows": "data/sft"}
    gate_of = {}
    for gate, settings in GATES.items():
        names = [module.__name__.removeprefix("validation.") for module in settings.modules]
        gate_of |= {others.get(name, f"data/{name}.parquet"): f"check_{gate}" for name in names}

    asking = {stage for stage in STAGES if "tasks/answer.py" in STAGES[stage][1]}
    assert asking == {"mine", "answer"}
    for stage in asking:
        given = {dep for earlier in (stage, *needs(stage)) for dep in STAGES[earlier][1]}
        assert {gate_of[dep] for dep in given & set(gate_of)} <= needs(stage)
    assert {"check_split", "check_retrieval", "check_rows", "check_packed"} <= needs("answer")


def test_every_watched_path_exists_or_is_made_by_a_stage():
    made = {path for _, path, _ in outputs()}
    for _, deps, _ in STAGES.values():
        for dep in deps:
            assert "${" in dep or dep in made or (ROOT / dep).exists(), dep
