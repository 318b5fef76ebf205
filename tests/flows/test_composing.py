"""params.yaml from a profile and overrides, as DVC composes it; what is wrong is told before it is replaced."""

import shutil
from pathlib import Path

import pytest
import yaml
from dvc.utils.hydra import compose_and_dump

from flows.composing import compose, profiles
from plancheck.plumbing.errors import StudyError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    (tmp_path / "params.yaml").write_text("profile: before\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_profile_with_overrides_gives_the_bytes_that_dvc_gives(study: Path) -> None:
    overrides = ["benchmark.controlled.questions=60", "pack.budgets_chars=[600,300]"]
    compose("demo", overrides)
    conf = str(study / "conf")
    compose_and_dump(study / "expected.yaml", conf, None, "config", conf, ["profile=demo", *overrides])
    assert (study / "params.yaml").read_bytes() == (study / "expected.yaml").read_bytes()
    assert yaml.safe_load((study / "params.yaml").read_text())["benchmark"]["controlled"]["questions"] == 60


def test_without_a_profile_the_parameters_stay(study: Path) -> None:
    compose(None)
    assert (study / "params.yaml").read_text() == "profile: before\n"


@pytest.mark.parametrize(
    ("profile", "overrides", "said"),
    [
        ("nope", [], r"no profile 'nope' in conf/profile\. There are demo, demo_large"),
        ("../config", [], r"no profile '\.\./config'"),
        (
            "demo",
            ["answer.bach=1"],
            r"Profile demo cannot be composed with answer\.bach=1: .*profiles are demo, demo_l",
        ),
        ("demo", ["words"], r"Error parsing override 'words'.*profiles are demo"),
        ("demo", ["route.folds=1"], r"params\.yaml: 1 parameter\(s\) break a rule"),
        (None, ["answer.batch_size=1"], r"Overrides \(answer\.batch_size=1\) change a profile.*Name one of demo"),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(study: Path, profile, overrides, said) -> None:
    with pytest.raises(StudyError, match=f"(?s){said}"):
        compose(profile, overrides)
    assert (study / "params.yaml").read_text() == "profile: before\n"
    assert sorted(path.name for path in study.iterdir()) == ["conf", "params.yaml"]


def test_parameters_that_are_only_checked_stay(study: Path) -> None:
    compose("demo", keep=True)
    assert (study / "params.yaml").read_text() == "profile: before\n"


def test_profiles_are_those_of_the_working_directory(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (study / "conf/profile/mine.yaml").write_text("profile: mine\n")
    assert profiles() == ["demo", "demo_large", "longbench_v2", "mine", "smollm2"]
    monkeypatch.chdir(study / "conf")
    assert profiles() == []
