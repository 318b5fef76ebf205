"""A reply as a row of signs, one for each word or mark that matters where a letter is named."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import regex

from plancheck.answering.languages import Role, words

# A letter of a script that parts its words by blanks; the others may touch what they name.
_APART = r"[[\p{L}\p{M}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]"
_BEFORE = rf"(?<!{_APART})(?<!{_APART}['’])(?<!°)(?<!\b\p{{L}}\.)"
_AFTER = rf"(?!{_APART}|[+#]|['’_-]{_APART}|\.\p{{L}}(?!\p{{L}}))"
_WHOLE = r"(?<!{0})(?:{1})(?!{0})"


def _role(role: Role) -> str:
    return f"(?i:{_WHOLE.format(_APART, words(role))})"


# "A" before a word is the article, unless that word cannot begin what an article belongs to.
_NO_ARTICLE = rf"(?:{_role('because')}|{_role('is')}|{_role('or')}|{_role('not')}|{_role('but')}|{_role('wrong')}|(?i:can|could|may|must|should|would|seems?)\b)"
_UPPER = rf"{_BEFORE}(?:[B-D]|A(?![ \t]+(?!{_NO_ARTICLE})\p{{Latin}})){_AFTER}"
# In lower case only where the clause ends, for "a" is a word.
_LOWER = rf"{_BEFORE}[a-d]{_AFTER}(?=\s*(?:[^\w\s]|_|\n|\Z)|[ \t]+{_role('because')})"

SIGNS: Final[dict[Role, str]] = {
    "answer": "n", "option": "o", "is": "i", "so": "s", "not": "x", "but": "u", "wrong": "w", "right": "k",
    "because": "y", "or": "j", "the": "h", "final": "f",
}  # fmt: skip
# The first that fits decides, so longer words stand before their beginnings.
_KINDS: Final = (
    ("m", r"\\boxed\{|\\fbox\{|<answer>|[\"'](?i:(?:final|correct|best)?_?(?:answer|choice|option|letter)[\w ]{0,20})[\"']\s*:"),
    (".", r"[.?!。؟।]+"),
    ("\n", r"\n\s*"),
    ("(", r"[(\[{“‘«「【]|<[^<>\n]{1,30}>|\\[A-Za-z]+"),
    (")", r"[)\]}”’»」】]"),
    ("*", r"[*_\"'`$~]+"),
    (":", r"[:=→⇒–—]|-+>|(?<=\s)-(?=\s)"),
    (",", r"[,;]"),
    ("j", r"[/&+]"),
    ("A", _UPPER),
    ("a", _LOWER),
    ("v", r"(?i:\banswer (?:choices|options)\b)"),
    *((SIGNS[role], _role(role)) for role in ("final", "but", "wrong", "so", "not", "right", "because", "answer", "option", "is", "the", "or")),
    ("v", rf"{_APART}+(?:['’_-]{_APART}+|[.,]\p{{N}}+)*|\S"),
)
_TOKEN = regex.compile("|".join(f"(?P<k{index}>{pattern})" for index, (_, pattern) in enumerate(_KINDS)), regex.V1)


@dataclass(frozen=True, slots=True)
class Tokens:
    """``signs[i]`` says what token ``i`` is, ``starts[i]`` where it begins: A to D and a to d are letters that stand
    alone, the values of SIGNS words, "m" what marks the answer (a box, a field of JSON), "v" any other word, "." the end
    of a sentence, "\n" of a line, "(", ")" and "*" what stands around letters, ":", "," and "j" what links them.
    """

    signs: str
    starts: Sequence[int]


def tokens(text: str) -> Tokens:
    """The tokens of a text as `plancheck.matching.fold` gives it, in order; blanks are none."""
    signs: list[str] = []
    starts: list[int] = []
    for match in _TOKEN.finditer(text):
        kind = _KINDS[match.lastindex - 1][0]
        signs.append(match.group() if kind in "Aa" else kind)
        starts.append(match.start())
    return Tokens("".join(signs), starts)
