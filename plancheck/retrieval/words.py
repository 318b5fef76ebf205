"""The words of a text, as BM25 and the planner's snippets match them.

Texts are matched in their folded form (`plancheck.matching`): letters and digits of every script with the marks that
follow them, so that vocalised Arabic does not match unvocalised. Han, kana, Thai, Lao, Khmer and Burmese are written
without spaces; there every two neighbouring characters, as a reader sees them, are a word, overlapping. Single
characters beside the pairs rank worse (tests/retrieval/renderings.json). No segmenter: it would need a dictionary and
a version for each language and a guess of the language, and might cut a question otherwise than its context.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import regex

from plancheck.matching import fold, folded
from plancheck.records import Span

_WORD: Final = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*")
_ASCII_WORD: Final = re.compile("[a-z0-9]+")  # what _WORD finds in folded ASCII, in half the time
# Script extensions hold the long-vowel mark of kana. Letters only: digits make whole numbers in every script.
_UNSPACED: Final = (
    r"[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]"
    r"&&[\p{L}\p{Nl}]]"
)
_STRETCH: Final = regex.compile(rf"(?V1)(?P<unspaced>(?:{_UNSPACED}\p{{M}}*)+)|(?:(?!{_UNSPACED}).)+")
_CHARACTER: Final = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Placed:
    """The words of a text and where they stand in it.

    Attributes:
        words: what `words` finds, in order, each with its place.
        units: the places, in order, within which nothing should be cut: words, or single characters of unspaced runs.
    """

    words: list[tuple[str, Span]]
    units: list[Span]


def words(text: str) -> list[str]:
    """The words to match, in order; lower-case letters and digits for ASCII text. Empty where there are none."""
    plain = fold(text)
    if plain.isascii():
        return _ASCII_WORD.findall(plain)
    found: list[str] = []
    for word in _WORD.findall(plain):
        if word.isascii():
            found.append(word)
        else:
            for units in _units(word):
                found += [one + other for one, other in pairwise(units)] if len(units) > 1 else units
    return found


def placed(text: str) -> Placed:
    """The words of a text with their places."""
    plain = folded(text)
    found: list[tuple[str, Span]] = []
    places: list[Span] = []
    for match in _WORD.finditer(plain.text):
        start = match.start()
        for units in _units(match.group()):
            first = len(places)
            for unit in units:
                places.append(plain.span(start, start + len(unit)))
                start += len(unit)
            if len(units) == 1:
                found.append((units[0], places[first]))
            for at, (one, other) in enumerate(pairwise(units), start=first):
                found.append((one + other, Span(places[at].start, places[at + 1].end)))
    return Placed(found, places)


def _units(word: str) -> list[list[str]]:
    """A run of letters, digits and marks in stretches: lists of one word, or of an unspaced run's characters."""
    if word.isascii():
        return [[word]]
    return [
        _CHARACTER.findall(match.group()) if match["unspaced"] else [match.group()] for match in _STRETCH.finditer(word)
    ]
