"""Task of stage train: the planner's adapter, from the SFT rows."""

import gc
import importlib.metadata
import logging
from dataclasses import dataclass
from pathlib import Path

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.adapters import refuse_idle
from plancheck.backends.device import calculates_in_bfloat16, pick_device
from plancheck.backends.finetuning import EARLY, FINAL, Trained, finetune, total_steps
from plancheck.backends.generation import CausalModel, read_causal_model
from plancheck.backends.models import LockedModel
from plancheck.backends.repeatable import repeatable
from plancheck.backends.sft_rows import DEV_ROWS, TRAIN_ROWS, TokenRow, read_sft_rows, tokenised
from plancheck.params.planning import Train
from plancheck.plumbing.digests import digest, file_sha256
from tasks.retries import worth_retrying

LOG = logging.getLogger("plancheck.train")

WORK = Path(".plancheck/train")
LIBRARIES = ("accelerate", "peft", "safetensors", "tokenizers", "torch", "transformers", "trl")


@dataclass(frozen=True, slots=True)
class Training:
    """A finished training: its adapters lie in ``work`` (final and early), which may be removed once they are kept."""

    work: Path
    trained: Trained
    rows: tuple[TokenRow, ...]
    dev: tuple[TokenRow, ...]
    dtype: str


@task(
    retries=2,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="train {model.name}",
)
def train_planner(model: LockedModel, settings: Train) -> Training:
    """Fine-tune the planner on the SFT rows; where an interrupted training of the same recipe stopped, it goes on.

    Args:
        model: the planner's base model.
        settings: the recipe.
    """
    rows = read_sft_rows(TRAIN_ROWS)
    total_steps(len(rows), settings)
    device = pick_device(settings.device)
    half = settings.dtype == "bfloat16" and calculates_in_bfloat16(device)
    dtype = "bfloat16" if half else "float32"
    if dtype != settings.dtype:
        LOG.warning("%s has no bfloat16 arithmetic: training in float32", device)
    work = work_folder(model, settings, device=device, dtype=dtype)
    with repeatable(settings.seed, threads=settings.threads):
        base, tokenizer = read_causal_model(model.path, device=device, dtype=dtype)
        causal = CausalModel(base, tokenizer)
        limit = min(settings.max_tokens, causal.max_tokens)
        learned, dev = (
            tuple(tokenised(some, causal, tokenizer, max_tokens=limit, name=str(name)))
            for some, name in ((rows, TRAIN_ROWS), (read_sft_rows(DEV_ROWS), DEV_ROWS))
        )
        trained = finetune(
            base,
            tokenizer,
            learned,
            dev,
            settings,
            work=work,
            device=device,
            half=half,
            base_name=f"{model.name} {model.revision}",
        )
        del base, causal
        gc.collect()
        first = learned[0]
        for adapter in (FINAL, EARLY):
            refuse_idle(model.path, work / adapter, first.tokens[: first.start], device=device, dtype=dtype)
    return Training(work, trained, learned, dev, dtype)


def work_folder(model: LockedModel, settings: Train, *, device: str, dtype: str) -> Path:
    """Where a training keeps its steps: a folder named by everything that decides the adapter."""
    recipe = {
        "step": "train 1",
        "base": model.digest,
        "rows": file_sha256(TRAIN_ROWS),
        "settings": settings.model_dump(mode="json"),
        "device": device,
        "dtype": dtype,
        "versions": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }
    return WORK / digest(recipe)[:32]
