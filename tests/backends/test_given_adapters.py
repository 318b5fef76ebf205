"""Adapters that are roles of models: found, checked against their models, pinned apart and planned with."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, PromptTuningConfig, get_peft_model
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, Qwen2Config, Qwen2ForCausalLM

import plancheck.stages.models as stage
from flows.plan import planning_adapter
from plancheck.backends import adapters, generation
from plancheck.backends.adapters import CONFIG, WEIGHTS, adapter_digest, forget_planners, load_planner, save_adapter
from plancheck.backends.models import LOCK, locked
from plancheck.params.models import PathModel
from plancheck.params.selectors import PlannerSelector
from plancheck.params.study import Params, read_params
from plancheck.plumbing.errors import StudyError

MINE = Path("given/adapters/mine")


@pytest.fixture
def params(tiny_qwen2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Params:
    """A study with two causal models of different size, and an adapter of the planner's in its folder."""
    found = read_params()
    monkeypatch.chdir(tmp_path)
    write_adapter(tiny_qwen2, MINE, seed=0)
    shutil.copytree(tiny_qwen2, "other")
    config = Qwen2Config.from_pretrained("other")
    config.hidden_size = 48
    Qwen2ForCausalLM(config).save_pretrained("other")
    spec = PathModel(source="path", path=tiny_qwen2)
    models = {
        "answer": spec,
        "planner": spec,
        "other": PathModel(source="path", path=Path("other")),
        "mine": PathModel(source="path", path=MINE),
    }
    selectors = {
        "prompted": PlannerSelector(kind="planner"),
        "prompted_other": PlannerSelector(kind="planner", model="other"),
        "theirs": PlannerSelector(kind="planner", adapter="mine"),
    }
    return found.model_copy(update={"models": models, "selectors": selectors})


def write_adapter(base: Path, folder: Path, *, seed: int) -> None:
    model = AutoModelForCausalLM.from_pretrained(base, local_files_only=True)
    torch.manual_seed(seed)
    lora = LoraConfig(r=2, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM", init_lora_weights=False)
    save_adapter(get_peft_model(model, lora), folder, base_name="tiny")


def first_score(model: Path, adapter: Path | None) -> float:
    planner = load_planner(model, adapter, device="cpu", dtype="float32")
    return planner.log_likelihoods([[5, 6, 7]], [[[8]]], pass_tokens=64)[0][0]


def test_an_adapter_is_pinned_and_is_what_stage_plan_loads(params: Params) -> None:
    stage.run(params)
    adapter = planning_adapter(params.selectors["theirs"])
    assert adapter is not None
    assert adapter.digest == adapter_digest(adapter.path)
    base = locked(params.selectors["theirs"].model).path
    assert first_score(base, adapter.path) != first_score(base, None)
    assert planning_adapter(params.selectors["prompted"]) is None


def test_no_model_stays_loaded_for_the_next_selector(params: Params) -> None:
    stage.run(params)
    for role in ("planner", "other"):
        first_score(locked(role).path, None)
    first_score(locked("planner").path, locked("mine").path)
    forget_planners()
    assert [load.cache_info().currsize for load in (generation._load, adapters._load)] == [0, 0]


def test_adapters_of_another_model_are_refused_all_at_once_before_anything_is_asked(params: Params) -> None:
    wrong = {name: PlannerSelector(kind="planner", model="other", adapter="mine") for name in ("here", "there")}
    with pytest.raises(StudyError, match=r"selectors\.here: adapter 'mine' on model 'other': .*q_proj") as refused:
        stage.run(params.model_copy(update={"selectors": wrong}))
    assert "selectors.there: " in str(refused.value)
    assert not LOCK.exists()


def test_an_adapter_that_adds_to_the_prompt_is_refused_and_not_left_out(params: Params, tiny_qwen2: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(tiny_qwen2, local_files_only=True)
    get_peft_model(model, PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4)).save_pretrained(MINE)
    with pytest.raises(StudyError, match=r"selectors\.theirs: .*is no plain LoRA adapter"):
        stage.run(params)
    assert not LOCK.exists()


@pytest.mark.parametrize(
    "change",
    [{"peft_type": "NONE"}, {"alora_invocation_tokens": [1]}, {"r": 4}, {"target_modules": ["absent"]}],
    ids=str,
)
def test_another_configuration_is_refused(params: Params, change: dict[str, object]) -> None:
    settings = json.loads((MINE / CONFIG).read_text())
    (MINE / CONFIG).write_text(json.dumps(settings | change))
    with pytest.raises(StudyError, match=r"selectors\.theirs: adapter 'mine'"):
        stage.run(params)


def test_cut_weights_and_weights_without_a_place_are_refused(params: Params) -> None:
    whole = (MINE / WEIGHTS).read_bytes()
    (MINE / WEIGHTS).write_bytes(whole[:40])
    with pytest.raises(StudyError, match=r"selectors\.theirs: .*cannot be read"):
        stage.run(params)
    save_file({"base_model.model.lm_head.lora_A.weight": torch.zeros(2, 32)}, MINE / WEIGHTS)
    with pytest.raises(StudyError, match=r"selectors\.theirs: .*does not fit"):
        stage.run(params)
