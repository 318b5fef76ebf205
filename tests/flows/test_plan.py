"""Stage plan takes the adapters that stage train reported, and no others."""

import json
import shutil
from pathlib import Path

import pytest

from flows.plan import TRAINED, TRAINING, planning_adapter, trained_digest
from plancheck.backends.adapters import CONFIG, WEIGHTS, adapter_digest
from plancheck.backends.models import LOCK, file_digests
from plancheck.params.selectors import PlannerSelector
from plancheck.plumbing.errors import StudyError
from tasks.plan import Adapter


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """Two adapters and the report of stage train in the working directory."""
    monkeypatch.chdir(tmp_path)
    folders = [folder for folder in TRAINED.values() if folder]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / CONFIG).write_text("{}")
        (folder / WEIGHTS).write_text(folder.name)
    TRAINING.parent.mkdir()
    TRAINING.write_text(json.dumps({"adapters": {folder.name: adapter_digest(folder) for folder in folders}}))
    return folders


def test_the_adapters_that_were_trained_are_taken(trained):
    assert [trained_digest(folder) for folder in trained] == [adapter_digest(folder) for folder in trained]


@pytest.mark.parametrize("file", [CONFIG, WEIGHTS])
def test_another_adapter_is_refused_with_the_remedy(trained, file):
    (trained[0] / file).write_text("another")
    with pytest.raises(StudyError) as refused:
        trained_digest(trained[0])
    assert all(
        part in str(refused.value)
        for part in ("models/planner: ", str(TRAINING), f"`dvc checkout {trained[0]} {TRAINING}`", "`dvc repro train`")
    )
    assert trained_digest(trained[1])


def test_the_early_adapter_is_not_taken_for_the_final_one(trained):
    final, early = trained
    (final / WEIGHTS).write_bytes((early / WEIGHTS).read_bytes())
    with pytest.raises(StudyError, match="models/planner: holds the adapter"):
        trained_digest(final)


@pytest.mark.parametrize("report", ["{}", "[]", '{"adapters": null}', '{"adapters": {"planner_early": "x"}}'])
def test_a_report_that_names_no_adapter_vouches_for_none(trained, report):
    TRAINING.write_text(report)
    with pytest.raises(StudyError, match="stage train made none"):
        trained_digest(trained[0])


def test_a_report_that_is_not_there_is_the_users_to_mend(trained):
    TRAINING.unlink()
    with pytest.raises(StudyError, match=r"reports/train\.json: no such file"):
        trained_digest(trained[0])


def test_an_adapter_of_the_user_s_own_is_the_pinned_one(trained):
    folder = Path("models/weights/mine")
    shutil.copytree(trained[0], folder)
    (folder / "tokenizer.json").write_text("{}")  # repositories of adapters hold more than the two files
    entry = {"name": "mine", "revision": "1", "path": "weights/mine", "files": file_digests(folder)}
    LOCK.write_text(json.dumps({"models": {"mine": entry}, "roles": {"lora": "mine"}}))
    selector = PlannerSelector(kind="planner", adapter="lora")
    assert planning_adapter(selector) == Adapter(folder, adapter_digest(trained[0]))
    (folder / WEIGHTS).write_text("another")
    with pytest.raises(StudyError, match="changed"):
        planning_adapter(selector)
