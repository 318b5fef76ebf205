"""What retrieval and reranking need of a model, stated without one."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Encoder(Protocol):
    """A sentence encoder."""

    @property
    def max_tokens(self) -> int:
        """Most tokens it reads of a text, special tokens not counted."""
        ...

    def encode(self, texts: Sequence[str], *, batch_size: int) -> np.ndarray:
        """Unit vectors, shape (n, d), float32, in the texts' order."""
        ...

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens not counted."""
        ...

    def windows(self, text: str, *, tokens: int) -> list[str]:
        """Parts of the text, each of at most so many tokens, that cover it; at least one."""
        ...


class Reranker(Protocol):
    """A cross-encoder."""

    def scores(self, pairs: Sequence[tuple[str, str]], *, batch_size: int) -> np.ndarray:
        """A relevance logit for each (query, text), shape (n,), larger is better."""
        ...

    def room(self, query: str) -> int:
        """Most tokens of a text that it reads whole beside the query, special tokens not counted; at least 1."""
        ...

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens not counted."""
        ...

    def windows(self, text: str, *, tokens: int) -> list[str]:
        """Parts of the text, each of at most so many tokens, that cover it; at least one."""
        ...
