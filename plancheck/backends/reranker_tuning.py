"""A cross-encoder fine-tuned on labelled pairs, the same bytes each time on one machine."""

import logging
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from datasets import Dataset
from sentence_transformers import CrossEncoder
from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
from transformers import PrinterCallback

from plancheck.backends.device import calculates_in_bfloat16
from plancheck.backends.repeatable import repeatable
from plancheck.backends.tuning_pairs import Pair
from plancheck.plumbing.errors import StudyError

log = logging.getLogger("plancheck.models")

THREADS = 2  # fixed: sums over another number of threads differ in the last digits, and training magnifies them
PARTS = 10  # whose mean losses are logged
LAST = 3  # of them, by which it is judged whether anything was learned


@dataclass(frozen=True, slots=True)
class Start:
    """What a tuning starts from.

    Attributes:
        folder: an encoder or a cross-encoder.
        head_factor: the head's learning rate over that of the rest.
        max_tokens: most tokens of a pair; None leaves it to the model.
    """

    folder: Path
    head_factor: float
    max_tokens: int | None


def from_encoder(folder: Path) -> Start:
    """A new head on an encoder: at the encoder's own rate its loss stays at chance for hundreds of steps."""
    return Start(folder, head_factor=50, max_tokens=256)


def from_cross_encoder(folder: Path) -> Start:
    """A cross-encoder that goes on learning, head and all."""
    return Start(folder, head_factor=1, max_tokens=None)


def tune_reranker(
    start: Start,
    pairs: Sequence[Pair],
    target: Path,
    *,
    epochs: int,
    batch_size: int,
    learning_rate: float,
    seed: int,
    device: str,
    remedy: str,
) -> None:
    """Write to ``target`` a cross-encoder that starts from ``start`` and learned the labels of ``pairs``.

    Binary cross-entropy on one logit, AdamW, the rate rising over the first tenth of the steps and falling linearly to
    0. Dropout is off: on a few hundred pairs it costs more than it gives.

    Args:
        device: "cpu", "mps", "cuda" or "cuda:N".
        remedy: what the user can change when there is nothing to learn.

    Raises:
        StudyError: there is no pair, or only right or only wrong ones.
    """
    if {pair.label for pair in pairs} != {0.0, 1.0}:
        raise StudyError(
            f"reranker: {len(pairs)} training pairs, and not both right and wrong ones among them. {remedy}"
        )
    with repeatable(seed, threads=THREADS), tempfile.TemporaryDirectory() as scratch:
        model = CrossEncoder(
            str(start.folder),
            num_labels=1,
            max_length=start.max_tokens,
            device=device,
            local_files_only=True,
            config_kwargs={"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
        )
        trainer = CrossEncoderTrainer(
            model=model,
            args=CrossEncoderTrainingArguments(
                output_dir=scratch,
                num_train_epochs=epochs,
                per_device_train_batch_size=batch_size,
                learning_rate=learning_rate,
                learning_rate_mapping={r"classifier": start.head_factor * learning_rate},
                warmup_steps=0.1,
                lr_scheduler_type="linear",
                optim="adamw_torch",
                weight_decay=0.01,
                seed=seed,
                data_seed=seed,
                use_cpu=device == "cpu",
                # A CPU without bfloat16 arithmetic takes half an hour for what float32 does in a minute.
                bf16=device != "cpu" and calculates_in_bfloat16(device),
                full_determinism=True,
                save_strategy="no",
                logging_strategy="steps",
                logging_steps=1 / PARTS,
                report_to="none",
                disable_tqdm=True,
                dataloader_num_workers=0,
            ),
            train_dataset=Dataset.from_dict(
                {
                    "query": [pair.query for pair in pairs],
                    "text": [pair.text for pair in pairs],
                    "label": [pair.label for pair in pairs],
                }
            ),
            loss=BinaryCrossEntropyLoss(model),
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        report([entry["loss"] for entry in trainer.state.log_history if "loss" in entry], pairs, remedy)
        model.save_pretrained(str(target), create_model_card=False)


def report(losses: Sequence[float], pairs: Sequence[Pair], remedy: str) -> None:
    """Log the mean loss of each tenth of the steps; warn when the last three are hardly below knowing the share alone.

    That share is of right pairs among all. The first steps are left out of the verdict: nothing is learned there yet.
    """
    share = sum(pair.label for pair in pairs) / len(pairs)
    chance = -share * math.log(share) - (1 - share) * math.log(1 - share)
    named = ", ".join(f"{loss:.3f}" for loss in losses)
    log.info("reranker tuned: mean loss of each tenth of the steps %s, at chance %.3f", named, chance)
    if fmean(losses[-LAST:]) > 0.95 * chance:
        log.warning("the reranker learned next to nothing. %s", remedy)
