"""Characters as tokens, by role of models."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plancheck.backends.counting import chat_tokens, token_counter
from plancheck.backends.models import LOCK
from plancheck.estimating.material import Material
from plancheck.estimating.showing import sample
from plancheck.params.study import Params
from plancheck.plumbing.files import read_json

CHARS_PER_TOKEN = 4.0  # of English prose, by most tokenizers of today
CHAT_TOKENS = 30  # a short system message and the marks of three turns


@dataclass(frozen=True, slots=True)
class Tokens:
    """How a role's model reads.

    Attributes:
        chars_per_token: of the study's own texts, or assumed.
        chat_tokens: what its chat template adds to a message; 0 for a model without chats.
        counted: whether its own tokenizer counted them in texts of the study; else both are assumed.
    """

    chars_per_token: float
    chat_tokens: int
    counted: bool

    def of(self, chars: float, *, chats: int = 0) -> int:
        """Tokens of so many characters in so many chats."""
        return round(chars / self.chars_per_token) + chats * self.chat_tokens


def read_tokens(role: str, material: Material, params: Params, *, chars_per_token: float | None) -> Tokens:
    """How the model of a role reads texts of this study: as its tokenizer counts, where stage models has fetched it.

    A given ``chars_per_token`` holds in place of that.
    """
    folder = folder_of(role)
    count = token_counter(folder) if folder else None
    chat = chat_tokens(folder, count) if folder and count else None
    around = CHAT_TOKENS if chat is None else chat
    if chars_per_token is not None:
        return Tokens(chars_per_token, around, False)
    if count is None or material.text is None:
        return Tokens(CHARS_PER_TOKEN, around, False)
    longest = max(params.pack.budgets_chars)
    texts = []
    for question in sample(material.questions):
        texts += [material.text(question.context_id)[:longest], question.question, *question.choices]
    return Tokens(sum(map(len, texts)) / max(sum(count(texts)), 1), around, True)


def folder_of(role: str) -> Path | None:
    """Where the pinned model of a role is; None where stage models has not fetched it."""
    if not LOCK.exists():
        return None
    lock: Mapping[str, Any] = read_json(LOCK)
    try:
        folder = LOCK.parent / lock["models"][lock["roles"][role]]["path"]
    except KeyError:
        return None
    return folder if folder.is_dir() else None
