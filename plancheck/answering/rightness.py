"""Which letters are right: the gold letter, and any other whose choice has the same text."""

import unicodedata

from plancheck.matching import match_key
from plancheck.records import LETTERS, Letter, Question


def is_right(question: Question, letter: Letter | None) -> bool:
    """Whether a letter answers the question; no letter never does."""
    return letter in right_letters(question.choices, question.answer)


def right_letters(choices: tuple[str, ...], gold: Letter) -> frozenset[Letter]:
    """The gold letter and the letters of choices with its text.

    Texts are the same when they differ in nothing but white space and the Unicode form of a character (NFC). Case and
    look-alikes count: "Aa" and "aa", or 10⁵ and 105, are two answers.

    Raises:
        KeyError: no choice has the gold letter.
    """
    texts = dict(zip(LETTERS, map(plain, choices), strict=False))
    return frozenset(letter for letter, text in texts.items() if text == texts[gold])


def plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def has_equal_choices(question: Question) -> bool:
    """Whether two choices match (`plancheck.matching.match_key`): their question deserves a look."""
    return len(set(map(match_key, question.choices))) < len(question.choices)
