"""LoRA adapters of the planner: written, told apart by digest, and loaded onto the base model."""

import functools
import json
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftConfig, PeftModel, get_peft_model, get_peft_model_state_dict
from safetensors import safe_open
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

from plancheck.backends.device import pick_device
from plancheck.backends.folders import ADAPTER_CONFIG as CONFIG
from plancheck.backends.folders import ADAPTER_WEIGHTS as WEIGHTS
from plancheck.backends.generation import CausalModel, forget_models, load_causal_model, read_causal_model
from plancheck.backends.models import file_digests
from plancheck.plumbing.digests import digest
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import replacing

REMEDY = "Run `dvc repro train` to make it again."

_LOADING = threading.Lock()


def save_adapter(model: Any, target: Path, *, base_name: str) -> None:
    """Write the adapter of a PEFT model as a folder of two files, the same bytes for the same weights.

    PEFT's own `save_pretrained` adds a page, writes sets in an order that changes from process to process, and names
    the base model by its folder on this machine.
    """
    weights = get_peft_model_state_dict(model, save_embedding_layers=False)
    (config,) = model.peft_config.values()
    settings = {**config.to_dict(), "base_model_name_or_path": base_name, "inference_mode": True}
    plain = {name: sorted(value) if isinstance(value, set) else value for name, value in settings.items()}
    with replacing(target) as temporary:
        temporary.mkdir()
        tensors = {name: weights[name].detach().float().cpu().contiguous() for name in sorted(weights)}
        save_file(tensors, temporary / WEIGHTS, metadata={"format": "pt"})
        (temporary / CONFIG).write_text(json.dumps(plain, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def adapter_digest(folder: Path) -> str:
    """SHA-256 over the names and SHA-256 of the adapter's two files, 64 hex digits; what cache keys hold of it.

    Raises:
        StudyError: the folder is missing or lacks one of them.
    """
    found = file_digests(folder)
    if not {CONFIG, WEIGHTS} <= set(found):
        raise StudyError(f"{folder}: must hold {CONFIG} and {WEIGHTS}, holds {sorted(found) or 'nothing'}. {REMEDY}")
    return digest({name: found[name] for name in (CONFIG, WEIGHTS)})


def load_planner(base: Path, adapter: Path | None, *, device: str, dtype: str) -> CausalModel:
    """The base model in a local folder, with an adapter on top unless it is None; the latest one stays loaded.

    The adapter stays beside the weights in the model's own number format, as in training: merged into weights of
    bfloat16, much of what it learned would be rounded away.

    Raises:
        StudyError: a folder is not what it should be, or the adapter belongs to another model.
    """
    if adapter is None:
        return load_causal_model(base, device=device, dtype=dtype)
    with _LOADING:
        return _load(base.resolve(), adapter.resolve(), adapter_digest(adapter), pick_device(device), dtype)


@functools.lru_cache(maxsize=1)
def _load(base: Path, adapter: Path, _digest: str, device: str, dtype: str) -> CausalModel:
    peft, tokenizer = adapted(base, adapter, device=device, dtype=dtype)
    return CausalModel(peft.get_base_model(), tokenizer)


def forget_planners() -> None:
    """Let go of every model that is loaded, so that the next is the only one in memory."""
    with _LOADING:
        _load.cache_clear()
    forget_models()


def check_fit(base: Path, adapter: Path) -> None:
    """Refuse what is no LoRA adapter of a base model, by layers and shapes; no weights of the base are read.

    Raises:
        StudyError: it is no LoRA adapter, or one of another model. Adapters that add to the prompt would be left out
            without a word, for only the base model with its adapted layers is asked.
    """
    try:
        config = PeftConfig.from_pretrained(str(adapter), local_files_only=True)
        with safe_open(adapter / WEIGHTS, framework="pt") as stored:
            found = {name: tuple(stored.get_slice(name).get_shape()) for name in stored.keys()}  # noqa: SIM118
    except Exception as error:  # what PEFT raises depends on which part of a configuration is wrong
        raise StudyError(f"cannot be read ({str(error).strip().partition(chr(10))[0]})") from error
    if not isinstance(config, LoraConfig) or config.alora_invocation_tokens:
        raise StudyError("is no plain LoRA adapter, and no other kind is read")
    config.base_model_name_or_path = None  # a name of somewhere else, of which PEFT would warn
    config.init_lora_weights = False  # some ways of beginning calculate with the base model's weights
    settings = AutoConfig.from_pretrained(base, local_files_only=True, trust_remote_code=False)
    try:
        with torch.device("meta"):
            peft = get_peft_model(AutoModelForCausalLM.from_config(settings, trust_remote_code=False), config)  # type: ignore[no-untyped-call]
    except Exception as error:
        raise StudyError(f"does not fit ({str(error).strip().partition(chr(10))[0]})") from error
    wanted = {
        name: tuple(weight.shape)
        for name, weight in get_peft_model_state_dict(peft, save_embedding_layers=False).items()
    }
    if astray := sorted(name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)):
        name = astray[0]
        raise StudyError(
            f"does not fit: {len(astray)} weights, such as {name} ({found.get(name, 'none')} in the adapter, "
            f"{wanted.get(name, 'none')} in the model)"
        )


def adapted(base: Path, adapter: Path, *, device: str, dtype: str) -> tuple[Any, Any]:
    """The PEFT model of a base model and an adapter, ready for inference, and the tokenizer.

    Raises:
        StudyError: the adapter's files are no adapter, or one of another model.
    """
    model, tokenizer = read_causal_model(base, device=device, dtype=dtype)
    warnings.filterwarnings("ignore", "`?(is_)?gradient_checkpointing", FutureWarning)  # PEFT still says it so
    try:
        peft = PeftModel.from_pretrained(model, str(adapter), autocast_adapter_dtype=False, local_files_only=True)
        with safe_open(adapter / WEIGHTS, framework="pt") as stored:
            misfits = set(stored.keys()) ^ set(get_peft_model_state_dict(peft, save_embedding_layers=False))
    except Exception as error:  # what PEFT raises depends on which part of a configuration is wrong
        reason = str(error).strip().partition("\n")[0]
        raise StudyError(f"{adapter}: does not fit the model in {base} ({reason}). {REMEDY}") from error
    if misfits:
        raise StudyError(f"{adapter}: does not fit the model in {base} (such as {min(misfits)}). {REMEDY}")
    return peft.eval(), tokenizer


@torch.inference_mode()
def refuse_idle(base: Path, adapter: Path, tokens: Sequence[int], *, device: str, dtype: str) -> None:
    """Make sure that an adapter, as it lies on disk, changes what the model says after ``tokens``.

    Raises:
        StudyError: it does not, or it makes the model say nothing finite.
    """
    peft, _ = adapted(base, adapter, device=device, dtype=dtype)
    ids = torch.tensor([list(tokens)], device=peft.device)
    with peft.disable_adapter():
        before = peft(ids, logits_to_keep=1).logits.float()
    after = peft(ids, logits_to_keep=1).logits.float()
    if not bool(torch.isfinite(after).all()):
        raise StudyError(f"{adapter}: makes the planner's scores infinite. Lower train.learning_rate.")
    if torch.equal(before, after):
        raise StudyError(f"{adapter}: changes nothing of what the planner says. Raise train.learning_rate or epochs.")
