"""Cross-encoders of sentence-transformers. See `plancheck.retrieval.ports.Reranker`."""

import functools
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import CrossEncoder
from transformers import AutoModelForSequenceClassification

from plancheck.backends.device import pick_device
from plancheck.backends.loading import check_weights
from plancheck.errors import StudyError

_LOADING = threading.Lock()


def load_reranker(path: Path, *, device: str) -> "CrossEncoderReranker":
    """The cross-encoder in a local folder, loaded once a process; threads may share it.

    Raises:
        StudyError: the folder is no cross-encoder with one output, lacks weights, or the device is not there.
    """
    with _LOADING:
        return _load(path, pick_device(device))


@functools.lru_cache(maxsize=1)
def _load(path: Path, device: str) -> "CrossEncoderReranker":
    config = check_weights(AutoModelForSequenceClassification, path)
    if config.num_labels != 1:
        raise StudyError(f"{path}: scores {config.num_labels} labels, a reranker scores one. Choose another in conf/.")
    model = CrossEncoder(str(path), device=device, local_files_only=True, trust_remote_code=False)
    return CrossEncoderReranker(model)


class CrossEncoderReranker:
    """Relevance of a text to a query, both read together."""

    def __init__(self, model: CrossEncoder) -> None:
        self._model = model
        # Truncation and padding are state of the tokenizer: set them before threads share it.
        self.scores([("query", "text")], batch_size=1)

    def scores(self, pairs: Sequence[tuple[str, str]], *, batch_size: int) -> np.ndarray:
        """Raw logits, float64, shape (n,), in the order of the (query, text) pairs; larger is more relevant.

        Pairs are batched by length, so a score depends on the others in its last digits only. What a pair has beyond
        the model's input length is cut from the longer of the two.
        """
        logits = self._model.predict(
            list(pairs), batch_size=batch_size, activation_fn=torch.nn.Identity(), show_progress_bar=False
        )
        return np.asarray(logits, dtype=np.float64)
