"""Parameters that cannot be used on this machine are all named, before any other stage is begun."""

import copy
from pathlib import Path

import pytest
import yaml

from plancheck.params.study import parse_params
from plancheck.plumbing.errors import StudyError
from plancheck.stages.parameters import REPORT, run

ROOT = Path(__file__).parents[2]
VALUES = yaml.safe_load((ROOT / "params.yaml").read_text())


def params(**changes):
    """The demo's parameters with a benchmark file that is there, and some changed: keys are dotted paths with "/"."""
    values = copy.deepcopy(VALUES)
    for path, value in {"benchmark/path": "lexicon.yaml", **changes}.items():
        *sections, last = path.split("/")
        place = values
        for section in sections:
            place = place[section]
        place[last] = value
    return parse_params(values, name="params.yaml")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lexicon.yaml").write_text("")
    return tmp_path


def refused(**changes):
    with pytest.raises(StudyError) as error:
        run(params(**changes))
    assert not REPORT.exists()
    return str(error.value)


def test_parameters_that_can_be_used_leave_the_same_bytes_whatever_they_are(folder):
    run(params())
    first = REPORT.read_bytes()
    (folder / "other.jsonl").write_text("")
    run(params(**{"profile": "other", "benchmark/path": str(folder / "other.jsonl"), "benchmark/limit": 3,
                  "retrieve/device": "cpu"}))  # fmt: skip
    assert REPORT.read_bytes() == first


def test_a_relative_file_that_is_not_there_says_where_it_was_looked_for(folder):
    said = refused(**{"benchmark/path": "../mine.jsonl"})
    assert f"benchmark.path: ../mine.jsonl: no such file in {folder}, where relative paths begin" in said
    assert "`-S benchmark.path=FILE`" in said
    assert "--temp" not in said


def test_in_the_copy_of_an_experiment_it_says_what_the_copy_needs(folder, monkeypatch):
    copy = folder / ".dvc/tmp/exps/tmp1"
    copy.mkdir(parents=True)
    monkeypatch.chdir(copy)
    said = refused(**{"benchmark/path": "../mine.jsonl"})
    assert all(part in said for part in ("`dvc exp run --temp`", "absolute path", "`dvc add`"))


def test_a_folder_is_no_file_and_is_told_so(folder):
    (folder / "questions").mkdir()
    assert "benchmark.path: questions: is no regular file" in refused(**{"benchmark/path": "questions"})


def test_listed_splits_may_be_a_folder_and_must_be_there(folder):
    (folder / "ids").mkdir()
    run(params(**{"split/path": "ids"}))
    REPORT.unlink()
    said = refused(**{"split/path": "ids.json", "benchmark/path": "gone.jsonl"})
    assert f"split.path: ids.json: no such file in {folder}" in said
    assert "`-S split.path=FILE`" in said and "`-S benchmark.path=FILE`" in said


@pytest.mark.parametrize("path", ["gone.jsonl", "gone/too.jsonl"])
def test_an_absolute_path_that_is_no_file_gets_no_advice_for_relative_ones(folder, path):
    said = refused(**{"benchmark/path": str(folder / path)})
    assert f"benchmark.path: {folder / path}: no such file\n" in said
    assert "--temp" not in said


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"models/answer/package": "no-such-wheel"}, "package no-such-wheel"),
        ({"models/encoder/version": "9.9"}, "pinned is 9.9"),
        ({"models/encoder/sha256": "0" * 64}, f"pinned is {'0' * 64}"),
        ({"models/planner": {"source": "path", "path": "gone"}}, "gone: no such folder"),
        ({"planner/device": "cuda:99"}, "planner.device: cuda:99 is not available here"),
    ],
)
def test_what_this_machine_lacks_is_named(folder, changes, expected):
    assert expected in refused(**changes)


def test_all_that_is_wrong_is_told_at_once(folder):
    said = refused(
        **{
            "benchmark/path": "gone.jsonl",
            "models/encoder/version": "9.9",
            "models/answer": {"source": "path", "path": "nowhere"},
            "answer/device": "cuda:99",
            "rerank/device": "cuda:98",
        }
    )
    assert all(part in said for part in ("gone.jsonl", "pinned is 9.9", "nowhere", "answer.device", "rerank.device"))


def test_a_model_of_the_hub_is_not_fetched_by_this_stage(folder, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    run(params(**{"models/answer": {"source": "hub", "repo": "no/such", "revision": "a" * 40}}))
    assert REPORT.exists()


def test_one_seed_for_the_reranker_and_the_study_is_refused():
    seed = VALUES["benchmark"]["seed"]
    with pytest.raises(StudyError, match=rf"models\.reranker\.seed: is {seed} and so is benchmark\.seed"):
        params(**{"models/reranker/seed": seed})


@pytest.mark.parametrize("path", ["mine.jsonl", "given/plans/mine.jsonl", "given/atoms/deeper/mine.jsonl"])
def test_atoms_of_one_s_own_lie_in_the_folder_that_dvc_watches(folder, path):
    assert f"atoms.path: {path}: must lie in given/atoms/" in refused(**{"atoms/path": path})
    assert "atoms.path: given/atoms/gone.jsonl: no such file" in refused(**{"atoms/path": "given/atoms/gone.jsonl"})
    (folder / "given" / "atoms").mkdir(parents=True)
    (folder / "given" / "atoms" / "mine.jsonl").write_text("")
    run(params(**{"atoms/path": "given/atoms/mine.jsonl"}))
