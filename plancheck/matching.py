"""The form in which texts are matched: one for all the ways that Unicode has to write the same word.

Texts are shown, cut and counted as they are; only their comparison uses this form.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

from plancheck.records import Span

# Soft hyphen, zero-width spaces and joiners, marks of direction, byte order mark, variation selectors: not seen.
IGNORABLE: Final = (
    "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
)
_IGNORED = regex.compile(rf"[{IGNORABLE}]+")
# A run of ASCII, but for a last character that a mark may follow; or a character as a reader sees it.
_PART = regex.compile(rf"[\x00-\x7f]+(?=[\x00-\x7f]|\Z)|\X(?:[{IGNORABLE}]+\p{{M}}*)*")


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is matched, and where each of its characters comes from.

    Character ``i`` of ``text`` comes from characters ``starts[i]`` to ``ends[i]`` (excluded) of the original.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> Span:
        """Where characters ``start`` to ``end`` (excluded, larger than ``start``) stand in the original."""
        return Span(self.starts[start], self.ends[end - 1])


def fold(text: str, *, case: bool = True) -> str:
    """The text for matching: Unicode's compatible composed form (NFKC), case folded, invisible characters left out.

    ASCII text is lower-cased and nothing else. ``case=False`` keeps upper and lower case apart.
    """
    if text.isascii():
        return text.lower() if case else text
    composed = unicodedata.normalize("NFKC", _IGNORED.sub("", text))
    return unicodedata.normalize("NFKC", composed.casefold()) if case else composed


def match_key(text: str) -> str:
    """What names and short answers are the same by: folded, each run of white space one blank, none at the ends."""
    return " ".join(fold(text).split())


def folded(text: str, *, case: bool = True) -> Folded:
    """``fold(text)`` with the place of each of its characters in ``text``.

    Characters that a reader sees as one, such as a letter and its accents, have one place.
    """
    plain = fold(text, case=case)
    if len(plain) == len(text) and plain == (text.casefold() if case else text):
        return Folded(plain, range(len(text)), range(1, len(text) + 1))
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _PART.finditer(text):
        start, end = match.span()
        part = _fold_part(match.group(), case)
        parts.append(part)
        if len(part) == end - start and text[start:end].isascii():
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(part))
            ends.extend([end] * len(part))
    return Folded("".join(parts), starts, ends)


@lru_cache(maxsize=10_000)
def _fold_part(part: str, case: bool) -> str:
    return fold(part, case=case)
