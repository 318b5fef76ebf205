"""Reading a plan from the planner's reply."""

from collections.abc import Iterator
from typing import Final

import regex

from plancheck.answering.reasoning import after_reasoning
from plancheck.matching import fold

# A passage and "and", in languages that planners reply in.
_PASSAGE: Final = (
    r"(?:passages?|paragraphs?|snippets?|segments?|chunks?|excerpts?|texts?|documents?|docs?|passagen?|abschnitte?"
    r"|pasajes?|párrafos?|fragmentos?|trechos?|passaggi?o?|отрыв(?:ок|ки)|фрагмент[ыа]?|المقاطع|المقطع"
    r"|段落|片段|文段|단락|지문|구절)"
)
_AND: Final = r"(?:and|or|to|und|et|e|y|и|و|[和与與及と및])"
_NUMBER: Final = r"(?:(?:p\.?|no\.?|nr\.?|n°|#)\s*)?[0-9]++"
# What models write for several numbers in one bracket: [2, 5], [2 and 5], [Passage 2], [P2], ["2", "5"]. The bracket
# may lack its end: a begun reply goes on as a list that the limit of new tokens can cut.
_LIST = regex.compile(rf"[\[【](?:{_NUMBER}|{_PASSAGE}|{_AND}|[\s,、;&#*\"'“”‘’/|–—-])++")
# Numbers after the word, without brackets, up to where the clause ends: "as passage 3 says" is no plan.
_PAD: Final = r"[\s*\"']*+"
_SAID = regex.compile(
    rf"(?<!\p{{L}}){_PASSAGE}(?!\p{{Latin}}){_PAD}(?:are|is|sind|sont|son|:|[为為是は])?{_PAD}:?{_PAD}{_NUMBER}"
    rf"(?:{_PAD}(?:[,、;&-]|{_AND})?{_PAD}(?:{_AND}{_PAD})?(?:{_PASSAGE}{_PAD})?{_NUMBER})*+"
    rf"(?={_PAD}(?:[.,;:!)}}]|\Z|(?:are|is|and|because|since|which)\b)|[ \t*\"']*\n)"
)
_DIGITS = regex.compile(r"[0-9]+")


def parse_plan(reply: str, *, candidates: int, max_atoms: int) -> tuple[int, ...]:
    """The candidates that a reply names after the model's reasoning.

    They stand in brackets ("[2] [5]", "[P2, P5]"); in a reply without numbers in brackets, after a word such as
    "passages", where the clause ends after them ("Passages 2, 5 and 7").

    Args:
        reply: the whole reply, with what it was begun with.
        candidates: how many there are; they are numbered from 1.
        max_atoms: most atoms of a plan; those named after it are left out.

    Returns:
        Distinct numbers in order of first mention, those of no candidate left out (`unknown_numbers`); empty when none
        is named, or when the reply ends inside its reasoning. A range [2-4] names its ends. A number at the very end of
        a reply whose bracket is open may have lost digits: it is left out.
    """
    named = dict.fromkeys(int(digits) for digits in _named(reply) if _is_candidate(digits, candidates))
    return tuple(named)[:max_atoms]


def is_complete(reply: str, *, candidates: int, max_atoms: int) -> bool:
    """Whether nothing that follows could change the plan, but a mark that it was all reasoning."""
    return len(parse_plan(reply, candidates=candidates, max_atoms=max_atoms)) == min(candidates, max_atoms)


def unknown_numbers(reply: str, *, candidates: int) -> int:
    """How many different numbers of no candidate a reply names where `parse_plan` reads a plan."""
    return len({digits for digits in _named(reply) if not _is_candidate(digits, candidates)})


def _is_candidate(digits: str, candidates: int) -> bool:
    return len(digits) <= len(str(candidates)) and 1 <= int(digits) <= candidates


def _named(reply: str) -> list[str]:
    start = after_reasoning(reply)
    if start is None:
        return []
    text = fold(reply[start:])
    return list(_bracketed(text)) or list(_said(text))


def _bracketed(text: str) -> Iterator[str]:
    for bracket in _LIST.finditer(text):
        for number in _DIGITS.finditer(text, *bracket.span()):
            if number.end() < len(text):
                yield number.group()


def _said(text: str) -> Iterator[str]:
    for numbers in _SAID.finditer(text):
        yield from _DIGITS.findall(numbers.group())
