"""Sentence encoders of sentence-transformers. See `plancheck.retrieval.ports.Encoder`."""

import functools
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoModel, AutoTokenizer, PreTrainedTokenizerBase

from plancheck.backends.device import pick_device
from plancheck.backends.loading import check_weights
from plancheck.backends.token_windows import token_counts, token_windows
from plancheck.plumbing.errors import StudyError

_LOADING = threading.Lock()
HEAD_CHARS_A_TOKEN = 8


def load_encoder(path: Path, *, device: str, dtype: str) -> "SentenceEncoder":
    """The encoder in a local folder, loaded once a process; threads may share it.

    Args:
        path: the folder.
        device: see `pick_device`.
        dtype: number format of the weights and of the arithmetic: "float32", "bfloat16" or "float16".

    Raises:
        StudyError: the folder is no sentence encoder, lacks weights, or the device is not there.
    """
    with _LOADING:
        return _load(path, pick_device(device), dtype)


@functools.lru_cache(maxsize=4)  # each shard reads with every encoder of the study
def _load(path: Path, device: str, dtype: str) -> "SentenceEncoder":
    if not (path / "modules.json").is_file():
        raise StudyError(
            f"{path}: no modules.json, so no sentence-transformers encoder. Choose another in conf/models."
        )
    check_weights(AutoModel, path, unused=("pooler.",))
    try:
        model = SentenceTransformer(
            str(path),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": getattr(torch, dtype)},
        )
        tokenizer = AutoTokenizer.from_pretrained(path, local_files_only=True, trust_remote_code=False)
    except (ImportError, KeyError, OSError, ValueError) as error:
        raise StudyError(f"{path}: cannot be loaded as an encoder ({error}). Choose another in conf/.") from error
    if not tokenizer.is_fast:
        raise StudyError(
            f"{path}: has no tokenizer.json, which cutting long texts needs. Choose another encoder in conf/models."
        )
    return SentenceEncoder(model, tokenizer)


class SentenceEncoder:
    """Unit vectors of texts.

    Args:
        model: reads at most ``max_seq_length`` tokens of a text.
        tokenizer: an instance of its own: only ever used without truncation or padding, which are state of a
            tokenizer and must not change while another thread uses it.
    """

    def __init__(self, model: SentenceTransformer, tokenizer: PreTrainedTokenizerBase) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._special = int(tokenizer.num_special_tokens_to_add())
        model.encode(["set truncation and padding once, before threads share the model"], show_progress_bar=False)

    @property
    def max_tokens(self) -> int:
        """Tokens of a text that the model reads at most, special tokens not counted."""
        limit = self._model.max_seq_length or self._tokenizer.model_max_length
        return int(limit) - self._special

    def encode(self, texts: Sequence[str], *, batch_size: int) -> np.ndarray:
        """L2-normalised vectors, float32, shape (n, d), in the order of the texts; of each text its beginning.

        With a ``batch_size`` of 1 a vector depends on its text alone, bit for bit on one machine. Else texts are
        batched by length, and a vector depends on the others in its last digits. Without a text the shape is
        (0, d).
        """
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension() or 0), dtype=np.float32)
        vectors = self._model.encode(
            self._heads(texts), batch_size=batch_size, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens not counted."""
        return token_counts(self._tokenizer, texts)

    def windows(self, text: str, *, tokens: int) -> list[str]:
        """Consecutive parts of ``text`` of at most so many tokens. See `token_windows`."""
        return token_windows(self._tokenizer, text, tokens=tokens)

    def _heads(self, texts: Sequence[str]) -> list[str]:
        """Long texts without the end that the model does not read anyway, which costs time to tokenise.

        A text is cut only at white space, and only when the tokens before it are more than are read, so that no vector
        changes.
        """
        limit = self.max_tokens * HEAD_CHARS_A_TOKEN
        heads = {index: text[:limit].rpartition(" ")[0] for index, text in enumerate(texts) if len(text) > limit}
        enough = [count > self.max_tokens for count in self.token_counts(list(heads.values()))]
        cut = {index: head for (index, head), fits in zip(heads.items(), enough, strict=True) if fits}
        return [cut.get(index, text) for index, text in enumerate(texts)]
