"""Cross-encoders of sentence-transformers. See `plancheck.retrieval.ports.Reranker`."""

import functools
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import CrossEncoder
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedTokenizerBase

from plancheck.backends.device import pick_device
from plancheck.backends.loading import check_weights
from plancheck.backends.token_windows import token_counts, token_windows
from plancheck.plumbing.errors import StudyError

_LOADING = threading.Lock()


def load_reranker(path: Path, *, device: str, dtype: str) -> "CrossEncoderReranker":
    """The cross-encoder in a local folder, loaded once a process; threads may share it.

    Args:
        path: the folder.
        device: see `pick_device`.
        dtype: number format of the weights and of the arithmetic: "float32", "bfloat16" or "float16".

    Raises:
        StudyError: the folder is no cross-encoder with one output, lacks weights or a fast tokenizer, or
            the device is not there.
    """
    with _LOADING:
        return _load(path, pick_device(device), dtype)


@functools.lru_cache(maxsize=1)
def _load(path: Path, device: str, dtype: str) -> "CrossEncoderReranker":
    config = check_weights(AutoModelForSequenceClassification, path)
    if config.num_labels != 1:
        raise StudyError(f"{path}: scores {config.num_labels} labels, a reranker scores one. Choose another in conf/.")
    model = CrossEncoder(
        str(path),
        device=device,
        local_files_only=True,
        trust_remote_code=False,
        model_kwargs={"dtype": getattr(torch, dtype)},
    )
    tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    if not tokenizer.is_fast:
        raise StudyError(
            f"{path}: has no tokenizer.json, which cutting long texts needs. Choose another in conf/models."
        )
    return CrossEncoderReranker(model, tokenizer)


class CrossEncoderReranker:
    """Relevance of a text to a query, both read together.

    Args:
        model: reads at most ``max_seq_length`` tokens of a pair.
        tokenizer: an instance of its own: only ever used without truncation or padding, which are state of a
            tokenizer and must not change while another thread uses it.
    """

    def __init__(self, model: CrossEncoder, tokenizer: PreTrainedTokenizerBase) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._special = int(tokenizer.num_special_tokens_to_add(pair=True))
        # Truncation and padding are state of the model's own tokenizer: set them before threads share it.
        self.scores([("query", "text")], batch_size=1)

    def scores(self, pairs: Sequence[tuple[str, str]], *, batch_size: int) -> np.ndarray:
        """Raw logits, float64, shape (n,), in the order of the (query, text) pairs; larger is more relevant.

        With a ``batch_size`` of 1 a score depends on its pair alone, bit for bit on one machine. Else pairs are
        batched by length, and a score depends on the others in its last digits. What a pair has beyond the model's
        input length is cut from the longer of the two.
        """
        logits = self._model.predict(
            list(pairs), batch_size=batch_size, activation_fn=torch.nn.Identity(), show_progress_bar=False
        )
        return np.asarray(logits, dtype=np.float64)

    def room(self, query: str) -> int:
        """Most tokens of a text that is read whole beside the query, special tokens not counted; at least 1.

        Of a pair that is too long the longer side is cut first, so a text of half the model's input is read whole
        beside any query. Beside a query of just half an odd input one token more is read.
        """
        limit = int(self._model.max_seq_length or self._tokenizer.model_max_length) - self._special
        return max(limit - self.token_counts([query])[0], limit // 2, 1)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens not counted."""
        return token_counts(self._tokenizer, texts)

    def windows(self, text: str, *, tokens: int) -> list[str]:
        """Consecutive parts of ``text`` of at most ``tokens`` tokens. See `token_windows`."""
        return token_windows(self._tokenizer, text, tokens=tokens)
