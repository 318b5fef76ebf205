"""A reply as a row of signs, one for each word or mark that matters where a letter is named."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import regex

from plancheck.answering.languages import Role, words
from plancheck.records import LETTERS

# A letter of a script that parts its words by blanks; the others may touch what they name.
_APART = r"[[\p{L}\p{M}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]"
_BEFORE = rf"(?<!{_APART})(?<!{_APART}['’])(?<!°)(?<!\b\p{{L}}\.)"
_AFTER = rf"(?!{_APART}|[+#]|[ \t]*=|['’_-]{_APART}|\.\p{{L}}(?!\p{{L}}))"
_WHOLE = r"(?<!{0}(?={0}))(?:{1})(?!(?<={0}){0})"


def _role(role: Role) -> str:
    return f"(?i:{_WHOLE.format(_APART, words(role))})"


# Before a word "A" is the article, "E" the Romance "and" and "I" the pronoun, unless what they are cannot stand before
# that word.
_NO_ARTICLE = "|".join(
    [_role(role) for role in ("because", "is", "or", "not", "but", "wrong")]
    + [r"(?i:for|in|by|can|could|may|must|should|would|seems?)\b"]
)
_NO_PRONOUN = "|".join([_role(role) for role in ("because", "or")] + [r"(?i:is|isn['’]t)\b"])
_WORDS: Final = {"A": _NO_ARTICLE, "E": _NO_ARTICLE, "I": _NO_PRONOUN}

# The first that fits decides.
_MARKS: Final = (
    ("m", r"\\boxed\{|\\fbox\{|<answer>"),
    ("m", r"[\"'](?i:(?:final|correct|best)?_?(?:answer|choice|option|letter)[\w ]{0,20})[\"']\s*:"),
    ("?", r"[.!]*[?؟]+"),
    (".", r"[.!。।]+"),
    ("\n", r"\n\s*"),
    (")", r"</[^<>\n]{1,30}>|<\|[^<>\n]{1,30}\|>"),
    ("(", r"[(\[{“‘«「【]|<[^<>\n]{1,30}>|\\[A-Za-z]+"),
    (")", r"[)\]}”’»」】]"),
    ("x", r"~+"),
    (":", r"(?<=[^\n>]) >(?= )"),
    ("*", r"[*_\"'`$#>•]+"),
    (":", r"[:=→⇒–—]|-{1,3}>|(?<!\S)-(?=\s)"),
    (",", r"[,;、]"),
    ("j", r"[/&+]"),
)
_WORD = rf"{_APART}+(?:['’_-]{_APART}+|[.,]\p{{N}}+)*|\S"
_ROLES: Final[tuple[tuple[str, Role], ...]] = (
    ("f", "final"), ("u", "but"), ("w", "wrong"), ("s", "so"), ("x", "not"), ("k", "right"), ("y", "because"),
    ("n", "answer"), ("o", "option"), ("i", "is"), ("h", "the"), ("j", "or"), ("z", "if"),
    ("r", "maybe"),
)  # fmt: skip
_KNOWN = regex.compile("|".join(f"(?P<k{index}>{_role(role)})" for index, (_, role) in enumerate(_ROLES)), regex.V1)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What each token is and where it begins.

    ``signs`` has a character a token: A to J, letters that stand alone; 0 to 9, such letters in lower case; "m", what
    marks the answer (a box, a field of JSON); ".", "?" and a line feed, the end of a sentence; "(", ")" and "*", what
    stands around letters; ":" and ",", what links them; f, u, w, s, x, k, y, n, o, i, h, j, z and r, words by their
    role (_ROLES); "v", any other word.
    """

    signs: str
    starts: Sequence[int]


def tokens(text: str, choices: int) -> Tokens:
    """The tokens of a text as `plancheck.matching.fold` gives it, in order; blanks are none.

    Letters are those of the first ``choices`` of LETTERS.
    """
    kinds = [*(sign for sign, _ in _MARKS), "A", "A", "v"]
    signs: list[str] = []
    starts: list[int] = []
    end = 0
    for match in _pattern(choices).finditer(text):
        if match.start() < end:
            continue
        sign = kinds[match.lastindex - 1]
        if sign == "v" and _may_begin(match.group()) and (known := _KNOWN.match(text, match.start())):
            sign, end = _ROLES[known.lastindex - 1][0], known.end()
        signs.append(letter_sign(match.group()) if sign == "A" else sign)
        starts.append(match.start())
    return Tokens("".join(signs), starts)


def letter_sign(letter: str) -> str:
    """The sign of a letter: itself, or its number from 0 where it is in lower case."""
    return letter if letter in LETTERS else str(LETTERS.index(letter.upper()))


def _upper(choices: int) -> str:
    letters = LETTERS[:choices]
    plain = "".join(letter for letter in letters if letter not in _WORDS)
    forms = [f"[{plain}]"] if plain else []
    forms += [rf"{letter}(?![ \t]+(?!{_WORDS[letter]})\p{{Latin}})" for letter in letters if letter in _WORDS]
    return rf"{_BEFORE}(?:{'|'.join(forms)}){_AFTER}"


def _lower(choices: int) -> str:
    """In lower case only where the clause ends, for "a" is a word."""
    return rf"{_BEFORE}[a-{LETTERS[choices - 1].lower()}]{_AFTER}(?=\s*(?:[^\w\s]|_|\n|\Z)|[ \t]+{_role('because')})"


@cache
def _pattern(choices: int) -> "regex.Pattern[str]":
    """A group for each of _MARKS, then for letters, for those in lower case, and for other words."""
    patterns = [*(pattern for _, pattern in _MARKS), _upper(choices), _lower(choices), _WORD]
    return regex.compile("|".join(f"({pattern})" for pattern in patterns), regex.V1)


@lru_cache(maxsize=50_000)
def _may_begin(word: str) -> bool:
    """Whether a known word or several can begin with this one: most words are passed by cheaply."""
    return any(_KNOWN.fullmatch(begin, partial=True) for begin in (word, f"{word} "))
