"""What a served model replies to fixed prompts: it tells one model from another under the same name."""

from collections.abc import Sequence
from typing import Final

WORDS: Final = 8  # most tokens of such a reply

FINGERPRINTS: Final = tuple(
    [{"role": "user", "content": text}]
    for text in (
        "Name a colour, a number and a town.",
        "The mill stands in Tarn. Where does the mill stand?",
        "Go on: one, two, four,",
    )
)


def repeated(replies: Sequence[Sequence[str]]) -> tuple[list[str | None], list[int]]:
    """Of several replies to each prompt: the reply where all are the same, else None; and how often the first came."""
    stable = [own[0] if len(set(own)) == 1 else None for own in replies]
    return stable, [own.count(own[0]) for own in replies]


def said_otherwise(pinned: Sequence[str | None], found: Sequence[str]) -> bool:
    """Whether a reply is another than the pinned one; replies that varied when they were pinned say nothing."""
    return any(known is not None and known != said for known, said in zip(pinned, found, strict=True))
