"""Reading the chosen letter from a reply in words."""

from collections.abc import Callable, Iterator
from typing import Final

import regex

from plancheck.answering.reasoning import after_reasoning
from plancheck.answering.tokens import tokens
from plancheck.matching import folded
from plancheck.records import LETTERS, Letter

# Patterns over the signs of `plancheck.answering.tokens`. "#" stands for a letter that the reply rejects.
_ANY = "(?P<letter>[A-Da-d])"
_UPPER = "(?P<letter>[A-D])"
_JOINT = r"[)*]{0,3}(?:,?j|,)[nho]{0,2}[(*]{0,3}"


def _group(letter: str) -> str:
    return f"{letter}(?:{_JOINT}{letter}){{0,6}}"


# "A", "A and B", "A, B and C": a comma alone does not join what is rejected.
_LIST = rf"{_UPPER}(?:(?:[)*]{{0,3}},[no]?[(*]{{0,3}}{_UPPER}){{0,6}}[)*]{{0,3}},?j[no]?[(*]{{0,3}}{_UPPER})?"
_REJECTED = (
    regex.compile(rf"(?:x|zs?)[ihno(*]{{0,4}}{_LIST}"),
    # "I don't think the answer is A", "it is false that A is correct".
    regex.compile(rf"x[^.?:,\n#suyA-Da-d]{{1,12}}{_LIST}"),
    regex.compile(rf"wh{{1,2}}{_LIST}"),
    regex.compile(rf"{_LIST}[)*]{{0,3}}[ihno:]{{0,4}}(?:w|x(?![ihno(*]{{0,4}}[A-D]))"),
    regex.compile(rf"{_LIST}[)*]{{0,3}}\?"),
)

_TURN = r"(?:[^.?:\n]{0,12}#[^.?:\n]{0,12}?[uw])?"
_REMARK = r"(?:\([^A-Da-d().?]{1,12}\))?"
_FILL = rf"{_TURN}[ihnos(*):,\n]{{0,10}}{_REMARK}[ihno(*):\n]{{0,6}}"
_MARKED = regex.compile(rf"m[(*]{{0,4}}{_group(_ANY)}(?!\*?:)")
_STATED = (
    regex.compile(rf"(?<!w)n[^A-Da-d.?:\n#x]{{0,25}}?(?:[i:]|x(?=#)){_FILL}{_group(_ANY)}"),
    regex.compile(rf"(?<!w)o[k*)\n]{{0,4}}i{_FILL}{_group(_ANY)}"),
    # "Option: A. The mill" is the first of a list as well.
    regex.compile(rf"(?<!w)o[k*)\n]{{0,4}}:{_FILL}{_group(_ANY)}(?![.)]{{1,2}}[^\n])"),
    regex.compile(rf"{_group(_UPPER)}[)*o]{{0,3}}(?:h{{0,3}}i[h(*]{{0,4}}[kn]|k)"),
    regex.compile(rf"\A[(*:]{{0,4}}{_ANY}[)*.]{{0,5}}(?:\n|\Z)"),
)
_CHOSEN = regex.compile(rf"s[ihno(*:,]{{0,6}}{_group(_UPPER)}(?=[)*]{{0,3}}(?:[.,:;yuxo\n]|\Z))")
_BEGUN = regex.compile(rf"(?:\A|(?<=\n))[(*:]{{0,4}}{_group(_UPPER)}(?=[).:,*y\n]|\Z)")
_NAMED = (
    regex.compile(rf"[no][(*:]{{0,3}}{_group(_UPPER)}"),
    regex.compile(rf"[(*]{_group(_UPPER)}[)*]"),
)

# What leaves another letter possible beside the one before it, by what stands between them: no other word ("A to D",
# "A (or B)"), bare letters ("A. B. C."), a word that takes back ("A. No, wait, B"), verdicts ("A: no, B: yes").
_BESIDE = regex.compile(r"(?:[^A-Dvyo#.?\n]{0,10}|[^A-Dvy#.?\n]{0,6}jv?[^A-Dvy#.?\n]{0,6})(?P<letter>[A-D])")
_OTHERS = (
    _BESIDE,
    regex.compile(r"[)*.:,]{0,4}[.\n][(*:\n]{0,4}(?P<letter>[A-D])(?=[)*.,]{0,3}(?:\n|\Z|[(*]{0,2}[A-D]))"),
    regex.compile(r"[)*]{0,2}[.,]\n?j[no(*]{0,3}(?P<letter>[A-D])"),
    regex.compile(r"[^A-D#]{0,14}r[^A-D#]{0,12}(?P<letter>[A-D])"),
    regex.compile(r"[)*]{0,2}:[^A-D\n]{0,6},[^A-D\n]{0,3}(?P<letter>[A-D])[)*]{0,2}:"),
)


def parse_letter(reply: str) -> tuple[Letter, int] | None:
    """The chosen letter and its place in the reply, or None when the reply names none or leaves two possible.

    What stands after the model's reasoning counts (`after_reasoning`), in any language of LANGUAGES. Letters that the
    reply rejects ("not A", "A and C are wrong"), doubts ("A?") or supposes ("if A") do not count. Of the others, the
    first of these forms that the reply has decides, and all letters in that form must be the same, with no other set
    beside it ("A (or B)", "A. No, wait, B"); the place is that of the last one.

    1. the answer where it is marked: a box, a field "answer" of JSON, "<answer>C</answer>", "the final answer is C"
    2. a statement: "the answer is C", "Answer: c", "C is correct", a first line that is "C"
    3. a choice: "it is C", "so C", "I choose C"
    4. a letter that begins a line: "C. The mill", "C because ..."
    5. a letter after "option" or "answer", in brackets or in bold

    "A" as an article ("A man ...") is no letter; lower case counts in forms 1 and 2 where the clause ends after it.
    """
    start = after_reasoning(reply)
    if start is None:
        return None
    text = folded(reply[start:], case=False)
    said = tokens(text.text)
    signs = _without_rejected(said.signs)
    for form in FORMS:
        found = [(signs[place].upper(), place) for place in form(signs)]
        if found:
            letter, place = found[-1]
            alone = all(other == letter for other, _ in found) and not _another(signs, letter, place, form)
            return (LETTERS["ABCD".index(letter)], start + text.starts[said.starts[place]]) if alone else None
    return None


def _another(signs: str, letter: str, place: int, form: Callable[[str], list[int]]) -> bool:
    """Whether another letter is set beside the one that a form found, or is chosen after it was stated."""
    patterns = (_BESIDE,) if form is marked else _OTHERS
    beside = [match["letter"] for pattern in patterns if (match := pattern.match(signs, place + 1))]
    later = [signs[other] for other in chosen(signs) if other > place] if form is stated else []
    return any(other != letter for other in (*beside, *later))


def _without_rejected(signs: str) -> str:
    left = list(signs)
    for pattern in _REJECTED:
        for match in pattern.finditer(signs):
            for place, _ in match.spans("letter"):
                left[place] = "#"
    return "".join(left)


def _letters(signs: str, *patterns: "regex.Pattern[str]") -> Iterator[tuple[int, int]]:
    """Where a form begins, and where each of its letters stands, in the order of the letters."""
    for pattern in patterns:
        for match in pattern.finditer(signs):
            yield from ((match.start(), place) for place, _ in match.spans("letter"))


def marked(signs: str) -> list[int]:
    final = []
    for start, place in _letters(signs, *_STATED, _CHOSEN):
        near = max(0, start - 30)
        sentence = max(signs.rfind(end, near, start) for end in ".?\n")
        if "f" in signs[max(near, sentence + 1) : place]:
            final.append(place)
    return sorted([place for _, place in _letters(signs, _MARKED)] + final)


def stated(signs: str) -> list[int]:
    return sorted(place for _, place in _letters(signs, *_STATED))


def chosen(signs: str) -> list[int]:
    return [place for _, place in _letters(signs, _CHOSEN)]


def begun(signs: str) -> list[int]:
    return [place for _, place in _letters(signs, _BEGUN)]


def named(signs: str) -> list[int]:
    return sorted(place for _, place in _letters(signs, *_NAMED))


FORMS: Final[tuple[Callable[[str], list[int]], ...]] = (marked, stated, chosen, begun, named)
