"""Stages train and tune as flows, in a project of their own with a tiny Qwen2 and four questions."""

import json
import shutil
from pathlib import Path

import pytest
import torch
import yaml
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.train import train
from flows.tune import tune
from plancheck.backends.adapters import adapter_digest, load_planner
from plancheck.backends.models import file_digests
from plancheck.planning.prompt import completion
from plancheck.plumbing.digests import digest
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import read_json, read_table
from plancheck.records import RANKINGS

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "epochs": 2, "batch_size": 1, "accumulation": 2, "partial_accumulation": "drop", "early_step": 1, 
    "lora_r": 2, "learning_rate": 0.01,
    "max_tokens": 256, "threads": 1, "device": "cpu", "dtype": "float32",
}  # fmt: skip


@pytest.fixture
def study(tmp_path, monkeypatch, tiny_qwen2, server):
    """The working directory: params.yaml, the planner's lock, and rows for the planner."""
    monkeypatch.chdir(tmp_path)
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["train"] |= SETTINGS
    params["tune"]["enabled"] = False
    for section in (params["pack"]["policies"], params["rankings"]):
        section.pop("rerank_tuned", None)
    params["analyze"]["tiers"].pop("matched_supervision", None)
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params))
    weights = tmp_path / "models/weights/tiny"
    shutil.copytree(tiny_qwen2, weights)
    files = file_digests(weights)
    entry = {"source": "path", "name": "tiny", "revision": digest(files), "path": "weights/tiny", "files": files}
    (tmp_path / "models/lock.json").write_text(json.dumps({"models": {"tiny": entry}, "roles": {"planner": "tiny"}}))
    write_rows(tmp_path / "data/sft", {"train": 4, "dev": 1})
    with temporary_settings({PREFECT_API_URL: server}):
        yield tmp_path


def write_rows(folder, counts):
    folder.mkdir(parents=True, exist_ok=True)
    for split, count in counts.items():
        rows = [
            {
                "question_id": f"{split}{number}",
                "prompt": [{"role": "user", "content": f"[1] The mill is in Tarn. [2] Who? {number}"}],
                "completion": [{"role": "assistant", "content": completion([1 + number % 2], begin_reply=True)}],
                "atom_ids": [f"a-{number % 2}"],
                "candidate_ids": ["a-0", "a-1"],
                "reward": 1,
            }
            for number in range(count)
        ]
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def made(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for pattern in ("models/planner*/*", "reports/*")
        for path in folder.glob(pattern)
    }


def test_training_twice_writes_the_same_files_and_leaves_nothing_behind(study):
    train()
    first = made(study)
    train()

    assert made(study) == first
    assert set(first) == {
        *(f"models/{adapter}/{file}" for adapter in ("planner", "planner_early")
          for file in ("adapter_config.json", "adapter_model.safetensors")),
        "reports/train.json",
        "reports/train_loss.csv",
    }  # fmt: skip
    report = read_json(study / "reports/train.json")
    assert (report["rows"], report["dev_rows"], report["steps"]) == (4, 1, 4)
    assert report["adapters"]["planner"] == adapter_digest(study / "models/planner")
    assert first["reports/train_loss.csv"].decode().splitlines() == [
        "step,loss", *(f"{step},{loss}" for step, loss in enumerate(report["losses"], start=1))
    ]  # fmt: skip
    assert not list((study / ".plancheck/train").iterdir())
    assert str(study) not in first["models/planner/adapter_config.json"].decode()
    load_planner(study / "models/weights/tiny", study / "models/planner", device="cpu", dtype="float32")


def test_the_parameters_and_not_the_environment_set_the_threads(study, monkeypatch):
    used = []

    def note(*_, **__):
        used.append(torch.get_num_threads())
        raise StudyError("enough")

    monkeypatch.setattr("tasks.train.finetune", note)
    for workers in ("1", "2"):
        monkeypatch.setenv("PLANCHECK_WORKERS", workers)
        with pytest.raises(StudyError, match="enough"):
            train()
    assert used == [SETTINGS["threads"]] * 2


def test_rows_that_do_not_fit_stop_the_stage_and_leave_nothing(study):
    write_rows(study / "data/sft", {"train": 1})
    with pytest.raises(StudyError, match=r"1 row\(s\), and one optimiser step takes 2"):
        train()
    params = yaml.safe_load((study / "params.yaml").read_text())
    params["train"]["max_tokens"] = 10
    (study / "params.yaml").write_text(yaml.safe_dump(params))
    write_rows(study / "data/sft", {"train": 4})
    with pytest.raises(StudyError, match=r"(?s)4 row\(s\) cannot be learned from.*train0"):
        train()
    assert made(study) == {}


def test_tuning_that_is_off_still_makes_its_outputs(study):
    tune()
    table = read_table(study / "data/rerank_tuned.parquet")
    assert table.schema.equals(RANKINGS)
    assert table.num_rows == 0
    assert list((study / "models/reranker_tuned").iterdir()) == []
