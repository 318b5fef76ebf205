"""What answering needs of a model, stated without one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

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


@dataclass(frozen=True, slots=True)
class Request:
    """What a served model is asked.

    Attributes:
        mode: "likelihood" scores each choice as the reply; "generate" asks for the likeliest reply and how its letters
            were weighed; "text" asks for a reply's text alone.
        messages: the chat.
        reply_start: what the reply is begun with.
        choices: their texts, A first; none in mode "text".
        max_new_tokens: most tokens of the reply; 0 in mode "likelihood".
        temperature: 0 takes the likeliest token.
    """

    mode: Literal["likelihood", "generate", "text"]
    messages: Messages
    reply_start: str = ""
    choices: tuple[str, ...] = ()
    max_new_tokens: int = 0
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0


class Server(Protocol):
    """A causal language model that a server runs."""

    @property
    def identity(self) -> str:
        """Names the model and what its server was found to be: part of every key."""
        ...

    def replies(self, requests: Sequence[Request], keep: Callable[[int, Mapping[str, Any]], None]) -> None:
        """Ask for every reply, in the order given, several at once; each goes to ``keep`` as soon as it is there.

        A reply holds ``log_likelihoods`` (the mean a token of each choice), or ``text``, with ``ends`` and ``letters``
        in mode "generate" (as Generated; null where a letter's weight is not known), and ``usage``: ``prompt_tokens``
        and ``reply_tokens`` as the server counts them, or null, and ``requests``. One that failed holds ``failure``.

        Raises:
            StudyError: the server is not there, is another, refuses, or the budget is spent; nothing is sent any more,
                and what was under way was kept.
        """
        ...
