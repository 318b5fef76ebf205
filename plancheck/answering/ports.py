"""What answering needs of a model, stated without one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Messages = Sequence[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Generated:
    """A greedy reply and how its letters were weighed.

    ``letter_logprobs[i]`` are the log-probabilities of the prompt's letters, A first, as the i-th token of the reply
    (each letter with and without a space before it, added up); ``ends[i]`` is the length in characters of the reply up
    to that token.
    """

    text: str
    ends: tuple[int, ...]
    letter_logprobs: tuple[tuple[float, ...], ...]


class AnswerModel(Protocol):
    """A causal language model with a chat template."""

    @property
    def max_tokens(self) -> int:
        """Most tokens of prompt and reply together."""
        ...

    def tokens(self, messages: Messages) -> list[int]:
        """The prompt as the model reads it, up to where the reply begins; a message's text forms no control token."""
        ...

    def text_tokens(self, text: str) -> list[int]:
        """The tokens of a reply's text."""
        ...

    def log_likelihoods(
        self, prompts: Sequence[Sequence[int]], choices: Sequence[Sequence[Sequence[int]]], *, pass_tokens: int
    ) -> list[list[float]]:
        """Mean log-probability a token of each choice as the reply to its prompt; same order as given.

        Which choice of a prompt is likeliest does not depend on the other prompts; last digits may.
        ``pass_tokens`` bounds the tokens that are read at once.
        """
        ...

    def generate(
        self,
        prompts: Sequence[Sequence[int]],
        choices: Sequence[int],
        *,
        max_new_tokens: int,
        pass_tokens: int,
        batch_size: int,
    ) -> list[Generated]:
        """The greedy reply to each prompt, in order; its text does not depend on the other prompts, last digits may.

        ``choices`` says how many letters each prompt has. ``batch_size`` bounds the replies that are generated at once.
        """
        ...


class Replies(Protocol):
    """Replies that were already given, as JSON objects by key."""

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The known ones among ``keys``."""
        ...

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep replies, all or none."""
        ...
