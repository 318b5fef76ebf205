"""Texts as sets of shingles, by which their likeness is measured (Broder, 1997).

A shingle is a run of so many words, as BM25 matches them (`plancheck.retrieval.words`): case, white space, punctuation
and the Unicode form make no difference. It stands as a 64-bit number made of its words' BLAKE2b, the same on every
machine. That two of n shingles share a number has a chance of n² / 2⁶⁵: one in a million for six million shingles.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from plancheck.retrieval.words import words

Shingles = NDArray[np.uint64]

BLOCK_CHARS: Final = 1_000_000  # of a long text that are words at a time: as words it takes ten times its memory
_ROLL: Final = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio, odd: no two numbers times it are the same
_FOLD: Final = np.uint64(31)
_BLANK: Final = re.compile(r"\s")


def shingles(text: str, size: int) -> Shingles:
    """The distinct shingles of ``size`` words, ascending; all words of a shorter text are one, no word is none.

    A text of the scripts without spaces has its neighbouring characters for words, as in `plancheck.retrieval.words`.
    """
    numbers = word_numbers(text)
    if not len(numbers):
        return numbers
    size = min(size, len(numbers))
    runs = len(numbers) - size + 1
    found = np.zeros(runs, np.uint64)
    for place in range(size):
        found *= _ROLL
        found += numbers[place : place + runs]
        found ^= found >> _FOLD
    return np.unique(found)


def shingles_of_all(texts: Iterable[str], size: int) -> Shingles:
    """The distinct shingles of several texts, ascending; none runs from one text into another."""
    found = [shingles(text, size) for text in texts]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, np.uint64)


def word_numbers(text: str) -> Shingles:
    """A 64-bit number for each word, in order."""
    known: dict[str, int] = {}
    parts = [np.fromiter((_number(word, known) for word in words(block)), np.uint64) for block in blocks(text)]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def blocks(text: str) -> Iterator[str]:
    """The text in parts of about a million characters, each but the last up to a blank: no word is cut."""
    start = 0
    while start < len(text):
        blank = _BLANK.search(text, start + BLOCK_CHARS)
        end = blank.end() if blank else len(text)
        yield text[start:end]
        start = end


def _number(word: str, known: dict[str, int]) -> int:
    found = known.get(word)
    if found is None:
        found = known[word] = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
    return found
