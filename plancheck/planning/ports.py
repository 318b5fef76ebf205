"""What planning needs of a model, stated without one."""

from collections.abc import Callable, Sequence
from typing import Protocol

from plancheck.answering.ports import Messages


class PlannerModel(Protocol):
    """A causal language model with a chat template, with or without an adapter."""

    @property
    def max_tokens(self) -> int:
        """Most tokens of prompt and reply together."""
        ...

    def tokens(self, messages: Messages, reply_start: str = "") -> list[int]:
        """The prompt as the model reads it, with the beginning of the reply; texts form no control token."""
        ...

    def sample(
        self,
        prompt: Sequence[int],
        *,
        seeds: Sequence[int],
        temperature: float,
        top_p: float,
        max_new_tokens: int,
        complete: Callable[[str], bool],
    ) -> list[str]:
        """A sampled reply for each seed, without the begun part. A reply depends on its own seed, on no other.

        A reply may end as soon as what it has said, without the begun part, is ``complete``.
        """
        ...

    def greedy(
        self, prompts: Sequence[Sequence[int]], *, max_new_tokens: int, complete: Sequence[Callable[[str], bool]]
    ) -> list[str]:
        """The likeliest reply to each prompt, token by token, without the begun part; it depends on its prompt alone.

        A reply may end as soon as what it has said, without the begun part, is ``complete`` for its prompt.
        """
        ...
