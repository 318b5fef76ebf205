"""The gold answer of a question, as a file writes it: a letter, an index or a choice's text."""

import re
from collections.abc import Iterator
from typing import Any, Final

from plancheck.benchmark.choices import Choices
from plancheck.benchmark.values import is_number, shown
from plancheck.records import LETTERS, Letter

LABEL: Final = re.compile(r"\s*\(?([A-J])[).:]")


def gold_letter(answer: Any, choices: Choices, answer_index: int | None) -> Letter | None:
    """The letter that an answer means; None where it means no choice, or several.

    A choice's label, where the file has labels, decides alone. Otherwise an answer may be a letter, a choice's exact
    text, or its index, as a number or in digits.

    Args:
        answer: as it is in the file.
        choices: of the question.
        answer_index: of the first choice; None where it is not declared: then no index is read.
    """
    if (isinstance(answer, str) or is_number(answer)) and str(answer) in choices.labels:
        return LETTERS[choices.labels.index(str(answer))]
    meant = set(places(answer, choices, answer_index))
    return LETTERS[meant.pop()] if len(meant) == 1 else None


def places(answer: Any, choices: Choices, answer_index: int | None) -> Iterator[int]:
    """The choices that an answer may mean, counted from 0."""
    count = len(choices.texts)
    if is_index(answer) and answer_index is not None and 0 <= int(answer) - answer_index < count:
        yield int(answer) - answer_index
    if not isinstance(answer, str):
        return
    yield from (place for place, text in enumerate(choices.texts) if text == answer)
    if answer in LETTERS[:count]:
        yield LETTERS.index(answer)
        labels = [LABEL.match(str(text)) for text in choices.texts]
        yield from (place for place, label in enumerate(labels) if label and label[1] == answer)


def is_index(answer: Any) -> bool:
    return is_number(answer) or (isinstance(answer, str) and answer.isascii() and answer.isdigit())


def is_undeclared(answer: Any, choices: Choices, answer_index: int | None) -> bool:
    """Whether an answer can be nothing but an index, and nothing says what the first choice's is."""
    return answer_index is None and is_index(answer) and gold_letter(answer, choices, None) is None


def answer_rule(answer: Any, choices: Choices, answer_index: int | None) -> str | None:
    """What is wrong with an answer, or None; an index that is not declared is told for the whole file."""
    if gold_letter(answer, choices, answer_index) or is_undeclared(answer, choices, answer_index):
        return None
    count = len(choices.texts)
    index = "" if answer_index is None else f", its index {answer_index} to {answer_index + count - 1}"
    return f"must mean one choice: its letter A to {LETTERS[count - 1]}{index} or its exact text, got {shown(answer)}"
