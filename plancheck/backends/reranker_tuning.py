"""A cross-encoder fine-tuned from an encoder, the same bytes each time on one machine."""

import logging
import math
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from datasets import Dataset
from sentence_transformers import CrossEncoder
from sentence_transformers.cross_encoder import CrossEncoderTrainer, CrossEncoderTrainingArguments
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
from transformers import PrinterCallback

from plancheck.backends.tuning_pairs import Pair
from plancheck.errors import StudyError

log = logging.getLogger("plancheck.models")

MAX_TOKENS = 256
THREADS = 1  # fixed: sums over another number of threads differ in the last digits, and training magnifies them
# The new head's rate over the encoder's: at an equal one the loss stays at chance for hundreds of steps.
HEAD_FACTOR = 50


def tune_reranker(
    encoder: Path,
    pairs: Sequence[Pair],
    target: Path,
    *,
    epochs: int,
    batch_size: int,
    learning_rate: float,
    seed: int,
) -> None:
    """Write to ``target`` a cross-encoder that starts from ``encoder`` and learned the labels of ``pairs``.

    Binary cross-entropy on one logit, AdamW, the rate rising over the first tenth of the steps and falling linearly to
    0. Dropout is off: on a few hundred pairs it costs more than it gives.

    Raises:
        StudyError: there is no pair, or only right or only wrong ones.
    """
    if {pair.label for pair in pairs} != {0.0, 1.0}:
        raise StudyError(
            f"models.reranker: {len(pairs)} training pairs, and not both right and wrong ones among them. "
            "Raise models.reranker.questions or benchmark.controlled.context_chars."
        )
    with repeatable(seed), tempfile.TemporaryDirectory() as scratch:
        model = CrossEncoder(
            str(encoder),
            num_labels=1,
            max_length=MAX_TOKENS,
            device="cpu",
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
                learning_rate_mapping={r"classifier": HEAD_FACTOR * learning_rate},
                warmup_steps=0.1,
                lr_scheduler_type="linear",
                optim="adamw_torch",
                weight_decay=0.01,
                seed=seed,
                data_seed=seed,
                use_cpu=True,
                bf16=True,
                full_determinism=True,
                save_strategy="no",
                logging_strategy="no",
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
        loss = trainer.train().training_loss
        report(loss, pairs)
        model.save_pretrained(str(target), create_model_card=False)


def report(loss: float, pairs: Sequence[Pair]) -> None:
    """Log the mean training loss, and warn when it is hardly below that of knowing the share of right pairs only."""
    share = sum(pair.label for pair in pairs) / len(pairs)
    chance = -share * math.log(share) - (1 - share) * math.log(1 - share)
    log.info("reranker tuned: mean loss %.3f, at chance %.3f", loss, chance)
    if loss > 0.95 * chance:
        log.warning("the reranker learned next to nothing; change models.reranker.learning_rate, questions or seed")


@contextmanager
def repeatable(seed: int) -> Iterator[None]:
    """Fixed threads and torch's random state for the block; both are put back after it."""
    threads, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(THREADS)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(strict)
