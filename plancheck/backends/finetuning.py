"""The planner's fine-tuning: LoRA with TRL's SFTTrainer, resumable, the same bytes each time on one machine."""

import json
import logging
import math
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import PreTrainedModel, PrinterCallback, TrainerCallback
from trl.trainer.sft_config import SFTConfig

from plancheck.backends.adapters import save_adapter
from plancheck.backends.planner_trainer import PlannerTrainer
from plancheck.backends.sft_rows import TokenRow
from plancheck.params.planning import Train
from plancheck.plumbing.errors import StudyError

log = logging.getLogger("plancheck.train")

FINAL, EARLY = "final", "early"


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training came to.

    Attributes:
        steps: optimiser steps, all told.
        resumed_at: steps that an earlier, interrupted run had done already; 0 for none.
        losses: mean loss of a supervised token at each step, before it (nats).
        dev_loss: mean over dev rows of the mean loss of a supervised token, after the last step; None without rows.
    """

    steps: int
    resumed_at: int
    losses: tuple[float, ...]
    dev_loss: float | None


def finetune(
    model: Any,
    tokenizer: Any,
    rows: Sequence[TokenRow],
    dev: Sequence[TokenRow],
    settings: Train,
    *,
    work: Path,
    device: str,
    half: bool,
    base_name: str,
) -> Trained:
    """Train an adapter of ``model``; write it to ``work``/final, and as it is at the early step to ``work``/early.

    AdamW, the rate falling linearly to 0 without warm-up, no weight decay, gradients clipped at norm 1; the loss is the
    mean over a step's supervised tokens. Each step is kept in ``work``, where an interrupted training goes on.

    Args:
        model: a causal language model in its number format on its device; it comes back changed.
        tokenizer: the model's.
        rows: what is learned, shuffled anew in each epoch.
        dev: what the trained planner's loss is measured on.
        settings: the recipe.
        work: folder that belongs to exactly this training.
        device: where the model is.
        half: whether to calculate in bfloat16.
        base_name: how the adapter calls its base model.

    Raises:
        StudyError: there are fewer rows or steps than the recipe needs, the model lacks a layer that it names, or the
            training diverges.
    """
    steps = total_steps(len(rows), settings)
    last = last_checkpoint(work)
    warnings.filterwarnings("ignore", "`?(is_)?gradient_checkpointing", FutureWarning)  # TRL still says it so
    trainer = PlannerTrainer(
        kept_rows=rows_an_epoch(len(rows), settings),
        model=model,
        args=arguments(settings, device=device, half=half, folder=work),
        train_dataset=dataset(rows),
        processing_class=tokenizer,
        peft_config=LoraConfig(
            task_type="CAUSAL_LM",
            target_modules=adapted_layers(model, settings.lora_targets),
            r=settings.lora_r,
            lora_alpha=settings.lora_alpha,
            lora_dropout=settings.lora_dropout,
            bias="none",
        ),
        callbacks=[Watch(steps, settings.early_step, work / EARLY, base_name)],
    )
    trainer.remove_callback(PrinterCallback)
    if last:
        log.info("going on from step %d of %d", step_of(last), steps)
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    if trainer.state.global_step != steps:
        raise ValueError(f"{trainer.state.global_step} optimiser steps were taken, {steps} were planned")
    save_adapter(trainer.model, work / FINAL, base_name=base_name)
    dev_loss = trainer.evaluate(dataset(dev))["eval_loss"] if dev else None
    losses = tuple(entry["loss"] for entry in trainer.state.log_history if "loss" in entry)
    return Trained(steps, step_of(last) if last else 0, losses, dev_loss)


def adapted_layers(model: PreTrainedModel, targets: str | list[str]) -> str | list[str]:
    """The targets, if the model has them.

    Raises:
        StudyError: a list names what is no linear layer of the model, or its output layer.
    """
    output = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    layers = {
        name.rpartition(".")[2]
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and module is not output
    }
    if isinstance(targets, list) and (unknown := [name for name in targets if name not in layers]):
        raise StudyError(
            f"train.lora_targets: the planner has no linear layer {', '.join(map(repr, unknown))}; it has "
            f"{', '.join(sorted(layers))}. Name some of these, or all-linear."
        )
    return targets


def rows_an_epoch(rows: int, settings: Train) -> int:
    """Rows of an epoch: all, or without those that fill no whole step when partial accumulations are dropped."""
    a_step = settings.batch_size * settings.accumulation
    return rows - rows % a_step if settings.partial_accumulation == "drop" else rows


def total_steps(rows: int, settings: Train) -> int:
    """Optimiser steps of a training on this many rows.

    Raises:
        StudyError: no step can be taken, or fewer than train.early_step.
    """
    a_step = settings.batch_size * settings.accumulation
    steps = math.ceil(rows_an_epoch(rows, settings) / a_step) * settings.epochs
    if not steps:
        raise StudyError(
            f"data/sft/train.jsonl: {rows} row(s), and one optimiser step takes {a_step} (train.batch_size x "
            "train.accumulation). Lower train.accumulation, set train.partial_accumulation=keep, or mine more rows "
            "(mine.samples, more train questions)."
        )
    if settings.early_step > steps:
        raise StudyError(
            f"train.early_step is {settings.early_step}, but training on {rows} row(s) takes {steps} step(s). "
            f"Set train.early_step to at most {steps}."
        )
    return steps


def arguments(settings: Train, *, device: str, half: bool, folder: Path) -> SFTConfig:
    """Every setting that can change the adapter, whatever the libraries' defaults become."""
    args = SFTConfig(
        output_dir=str(folder),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.batch_size,
        per_device_eval_batch_size=1,
        gradient_accumulation_steps=settings.accumulation,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=0,
        optim="adamw_torch",
        adam_beta1=0.9,
        adam_beta2=0.999,
        adam_epsilon=1e-8,
        weight_decay=0.0,
        max_grad_norm=1.0,
        label_smoothing_factor=0.0,
        neftune_noise_alpha=None,
        loss_type="nll",
        bf16=half,
        fp16=False,
        # On an accelerator memory is short and calculating twice is cheap; on a CPU it is the other way round.
        gradient_checkpointing=device != "cpu",
        gradient_checkpointing_kwargs={"use_reentrant": False},
        activation_offloading=False,
        torch_compile=False,
        use_liger_kernel=False,
        auto_find_batch_size=False,
        max_length=settings.max_tokens,
        packing=False,
        padding_free=False,
        pad_to_multiple_of=None,
        assistant_only_loss=False,
        dataset_kwargs={"skip_prepare_dataset": True},
        shuffle_dataset=False,  # the sampler shuffles
        remove_unused_columns=True,
        dataloader_num_workers=0,
        dataloader_drop_last=False,
        dataloader_pin_memory=device.startswith("cuda"),
        seed=settings.seed,
        data_seed=settings.seed,
        full_determinism=True,
        logging_strategy="steps",
        logging_steps=1,
        logging_nan_inf_filter=False,
        eval_strategy="no",
        save_strategy="steps",
        save_steps=1,
        save_total_limit=1,
        save_only_model=False,
        ignore_data_skip=False,
        report_to="none",
        push_to_hub=False,
        disable_tqdm=True,
        use_cpu=device == "cpu",
    )
    args._n_gpu = min(args.n_gpu, 1)  # otherwise every GPU that is there would be used
    return args


def dataset(rows: Sequence[TokenRow]) -> Dataset:
    """Rows as TRL takes them when it is to prepare nothing."""
    return Dataset.from_dict({"input_ids": [list(row.tokens) for row in rows], "labels": [row.labels for row in rows]})


class Watch(TrainerCallback):
    """Keeps the early adapter, says how it goes, and stops a training that learns nothing or diverges."""

    def __init__(self, steps: int, early_step: int, early: Path, base_name: str) -> None:
        self._steps, self._early_step, self._early, self._base_name = steps, early_step, early, base_name

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if state.global_step == self._early_step:
            save_adapter(kwargs["model"], self._early, base_name=self._base_name)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        if not logs or "loss" not in logs:
            return
        loss, norm = logs["loss"], logs["grad_norm"]
        if not math.isfinite(loss) or not math.isfinite(norm):
            raise StudyError(
                f"train: diverged at step {state.global_step} (loss {loss}, gradient norm {norm}). "
                "Lower train.learning_rate."
            )
        if norm == 0:
            raise StudyError(
                f"train: at step {state.global_step} no gradient reaches the adapter (loss {loss}). Use another model, "
                "or train.dtype=float32."
            )
        log.info("step %d of %d: loss %.3f", state.global_step, self._steps, loss)


def last_checkpoint(work: Path) -> Path | None:
    """The latest whole checkpoint of a training; the others are removed.

    The trainer writes its state last, so a checkpoint without readable state was cut short.
    """
    whole = [folder for folder in work.glob("checkpoint-*") if finished(folder)]
    latest = max(whole, key=step_of, default=None)
    for folder in work.glob("checkpoint-*"):
        if folder != latest:
            shutil.rmtree(folder)
    return latest


def finished(checkpoint: Path) -> bool:
    try:
        state = json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return bool(state["global_step"] == step_of(checkpoint))


def step_of(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])
