import json

import pytest
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from plancheck.backends.adapters import CONFIG, WEIGHTS, adapter_digest, load_planner, save_adapter
from plancheck.plumbing.errors import StudyError


@pytest.fixture
def adapter(tiny_qwen2, tmp_path):
    model = AutoModelForCausalLM.from_pretrained(tiny_qwen2, local_files_only=True)
    lora = LoraConfig(r=2, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM", init_lora_weights=False)
    torch.manual_seed(0)
    save_adapter(get_peft_model(model, lora), tmp_path / "adapter", base_name="tiny")
    return tmp_path / "adapter"


def load(base, adapter):
    return load_planner(base, adapter, device="cpu", dtype="float32")


def test_a_saved_adapter_changes_what_the_model_says(adapter, tiny_qwen2):
    (with_adapter,), (without,) = (
        load(tiny_qwen2, folder).log_likelihoods([[5, 6, 7]], [[[8], [9]]], pass_tokens=64)
        for folder in (adapter, None)
    )
    assert with_adapter != without


@pytest.mark.parametrize("kept", [0, 100, -8])
def test_cut_weights_are_refused(adapter, tiny_qwen2, kept):
    weights = adapter / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:kept])
    with pytest.raises(StudyError, match=r"does not fit the model.*Run `dvc repro train`"):
        load(tiny_qwen2, adapter)


@pytest.mark.parametrize("text", ["", "null", "[]", '{"a":', "{}"])
def test_a_broken_configuration_is_refused(adapter, tiny_qwen2, text):
    (adapter / CONFIG).write_text(text)
    with pytest.raises(StudyError, match="does not fit"):
        load(tiny_qwen2, adapter)


@pytest.mark.parametrize(
    "change",
    [
        {"r": 4},
        {"target_modules": ["q_proj"]},
        {"target_modules": ["absent"]},
        {"exclude_modules": "("},
        {"rank_pattern": [1]},
        {"layer_replication": [[0, 40]]},
        {"peft_type": "IA3"},
    ],
    ids=str,
)
def test_another_model_s_configuration_is_refused(adapter, tiny_qwen2, change):
    settings = json.loads((adapter / CONFIG).read_text())
    (adapter / CONFIG).write_text(json.dumps(settings | change))
    with pytest.raises(StudyError, match="does not fit"):
        load(tiny_qwen2, adapter)


@pytest.mark.parametrize("extra", [True, False])
def test_weights_too_many_or_too_few_are_refused(adapter, tiny_qwen2, extra):
    tensors = load_file(adapter / WEIGHTS)
    tensors = tensors | {"other.lora_A.weight": torch.zeros(2, 2)} if extra else dict(sorted(tensors.items())[1:])
    save_file(tensors, adapter / WEIGHTS, metadata={"format": "pt"})
    with pytest.raises(StudyError, match="does not fit"):
        load(tiny_qwen2, adapter)


def test_a_folder_of_other_files_is_no_adapter(adapter):
    (adapter / WEIGHTS).rename(adapter / "adapter_model.bin")
    with pytest.raises(StudyError, match=r"must hold.*adapter_model\.bin"):
        adapter_digest(adapter)
