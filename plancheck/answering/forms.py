"""The forms in which a reply names a letter, as patterns over the signs of `plancheck.answering.tokens`.

"#" stands for a letter that the reply rejects; U for the upper-case letters of the question's choices and L for those
in lower case, both inside a class.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

import regex

from plancheck.records import LETTERS

_ANY = "(?P<letter>[UL])"
_UPPER = "(?P<letter>[U])"
_JOINT = r"[)*]{0,3}(?:,?j|,)[nho]{0,2}[(*]{0,3}"


def _group(letter: str) -> str:
    return f"{letter}(?:{_JOINT}{letter}){{0,6}}"


# "A", "A and B", "A, B and C": a comma alone does not join what is rejected.
_LIST = rf"{_UPPER}(?:(?:[)*]{{0,3}},[no]?[(*]{{0,3}}{_UPPER}){{0,6}}[)*]{{0,3}},?j[no]?[(*]{{0,3}}{_UPPER})?"
_TURN = r"(?:[^.?:\n]{0,12}#[^.?:\n]{0,12}?[uw])?"
_REMARK = r"(?:\([^UL().?]{1,12}\))?"
_FILL = rf"{_TURN}[ihnos(*):,\n]{{0,10}}{_REMARK}[ihno(*):\n]{{0,6}}"
_BESIDE = r"(?:[^Uvyo#.?\n]{0,10}|[^Uvy#.?\n]{0,6}jv?[^Uvy#.?\n]{0,6})(?P<letter>[U])"

_PATTERNS: Final = {
    "rejected": (
        rf"(?:x|zs?)[ihno(*]{{0,4}}{_LIST}",
        # "I don't think the answer is A", "it is false that A is correct".
        rf"x[^.?:,\n#suyUL]{{1,12}}{_LIST}",
        rf"wh{{1,2}}{_LIST}",
        rf"{_LIST}[)*]{{0,3}}[ihno:]{{0,4}}(?:w|x(?![ihno(*]{{0,4}}[U]))",
        rf"{_LIST}[)*]{{0,3}}\?",
    ),
    "marked": (rf"m[(*]{{0,4}}{_group(_ANY)}(?!\*?:)",),
    "stated": (
        rf"(?<!w)n[^UL.?:\n#x]{{0,25}}?(?:[i:]|x(?=#)){_FILL}{_group(_ANY)}",
        rf"(?<!w)o[k*)\n]{{0,4}}i{_FILL}{_group(_ANY)}",
        # "Option: A. The mill" is the first of a list as well.
        rf"(?<!w)o[k*)\n]{{0,4}}:{_FILL}{_group(_ANY)}(?![.)]{{1,2}}[^\n])",
        rf"{_group(_UPPER)}[)*o]{{0,3}}(?:h{{0,3}}i[h(*]{{0,4}}[kn]|k)",
        rf"\A[(*:]{{0,4}}{_ANY}[)*.]{{0,5}}(?:\n|\Z)",
    ),
    "chosen": (rf"s[ihno(*:,]{{0,6}}{_group(_UPPER)}(?=[)*]{{0,3}}(?:[.,:;yuxo\n]|\Z))",),
    "begun": (rf"(?:\A|(?<=\n))[(*:]{{0,4}}{_group(_UPPER)}(?=[).:,*y\n]|\Z)",),
    "named": (rf"[no][(*:]{{0,3}}{_group(_UPPER)}", rf"[(*]{_group(_UPPER)}[)*]"),
    # What leaves another letter possible beside the one before it, by what stands between them: no other word
    # ("A to D", "A (or B)"), bare letters ("A. B. C."), a word that takes back ("A. No, wait, B"), verdicts
    # ("A: no, B: yes").
    "beside": (_BESIDE,),
    "others": (
        _BESIDE,
        r"[)*.:,]{0,4}[.\n][(*:\n]{0,4}(?P<letter>[U])(?=[)*.,]{0,3}(?:\n|\Z|[(*]{0,2}[U]))",
        r"[)*]{0,2}[.,]\n?j[no(*]{0,3}(?P<letter>[U])",
        r"[^U#]{0,14}r[^U#]{0,12}(?P<letter>[U])",
        r"[)*]{0,2}:[^U\n]{0,6},[^U\n]{0,3}(?P<letter>[U])[)*]{0,2}:",
    ),
}


@cache
def patterns(name: str, choices: int) -> "Sequence[regex.Pattern[str]]":
    """The patterns of _PATTERNS for questions of so many choices."""
    upper, lower = f"A-{LETTERS[choices - 1]}", f"0-{choices - 1}"
    return [regex.compile(pattern.replace("U", upper).replace("L", lower)) for pattern in _PATTERNS[name]]


def letters(signs: str, name: str, choices: int) -> Iterator[tuple[int, int]]:
    """Where a form begins, and where each of its letters stands, in the order of the letters."""
    for pattern in patterns(name, choices):
        for match in pattern.finditer(signs):
            yield from ((match.start(), place) for place, _ in match.spans("letter"))


def found(signs: str, form: str, choices: int) -> list[int]:
    """Places of the letters in a form, in order; a statement of what is final ("the final answer is C") is a mark."""
    places = [place for _, place in letters(signs, form, choices)]
    if form == "marked":
        places += [
            place
            for other in ("stated", "chosen")
            for start, place in letters(signs, other, choices)
            if is_final(signs, start, place)
        ]
    return sorted(places)


def is_final(signs: str, start: int, place: int) -> bool:
    """Whether the sentence of a form that begins at ``start`` says before its letter that it is the final one."""
    near = max(0, start - 30)
    sentence = max(signs.rfind(end, near, start) for end in ".?\n")
    return "f" in signs[max(near, sentence + 1) : place]
