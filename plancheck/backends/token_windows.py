"""Texts counted in a tokenizer's tokens, and cut into parts of so many tokens."""

from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase


def token_counts(tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> list[int]:
    """Tokens of each whole text, special tokens not counted; no text has no count.

    Args:
        tokenizer: never used with truncation or padding, which are its state and must not change between threads.
        texts: of any length.
    """
    if not texts:
        return []
    return [len(ids) for ids in tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]]


def token_windows(tokenizer: PreTrainedTokenizerBase, text: str, *, tokens: int) -> list[str]:
    """Consecutive parts of ``text`` of at most ``tokens`` tokens; joined they are the text. At least one part.

    Parts end before a word where there is one. A text whose tokens cannot be told apart by position is cut in halves
    until each fits; a single character always counts as fitting.

    Args:
        tokenizer: with a fast implementation, never used with truncation or padding.
        text: of any length, empty too.
        tokens: special ones not counted.

    Raises:
        ValueError: ``tokens`` is not positive.
    """
    if tokens < 1:
        raise ValueError(f"tokens must be at least 1, got {tokens}")
    offsets = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)["offset_mapping"]
    if len(offsets) <= tokens or len(text) <= 1:
        return [text]
    cut = cut_at(text, [int(start) for start, _ in offsets[: tokens + 1]])
    parts, rest = [text[:cut]], text[cut:]
    if token_counts(tokenizer, parts)[0] > tokens:
        parts = token_windows(tokenizer, parts[0], tokens=tokens)
    return parts + token_windows(tokenizer, rest, tokens=tokens)


def cut_at(text: str, starts: Sequence[int]) -> int:
    """Where the first part ends: at the last of these token starts that begins a word, or else at the last."""
    words = [start for start in starts if start > 0 and (text[start].isspace() or text[start - 1].isspace())]
    cut = words[-1] if words else starts[-1]
    return cut if 0 < cut < len(text) else len(text) // 2
