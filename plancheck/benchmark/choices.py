"""The four choices of a question and its answer, as a file writes them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from plancheck.params.benchmark import Columns
from plancheck.records import LETTERS, Letter

CHOICES: Final = ("choice_a", "choice_b", "choice_c", "choice_d")
LISTS: Final = ("choices", "options", "alternatives")
# The next label of fields that are named alike, after labels of the first four.
LABELS: Final = {"abcd": "e", "0123": "4", "1234": "5"}
LABEL: Final = re.compile(r"\s*\(?([A-D])[).:]")
FIFTH: Final = re.compile(
    r"(?:choices?|options?|alternatives?|candidates?|endings?|answers?|opt?|ans)[ _.:-]*\(?(?:e|5)\)?|e|\(e\)"
)


def is_further(name: str, columns: Columns) -> bool:
    """Whether a field's name looks like that of a fifth choice: "choice_E", "E", "option 5", or as the four go on."""
    folded = name.casefold()
    return name not in wanted_names(columns) and (bool(FIFTH.fullmatch(folded)) or folded in further_names(columns))


@cache
def further_names(columns: Columns) -> frozenset[str]:
    """The name after those of the four choices, where these differ by their label alone; case folded."""
    names = [getattr(columns, field).casefold() for field in CHOICES]
    found = set()
    for labels, following in LABELS.items():
        for place, sign in enumerate(names[0]):
            parts = {(name[:place], name[place + 1 :]) for name in names}
            if len(parts) == 1 and sign == labels[0] and "".join(name[place : place + 1] for name in names) == labels:
                found.add(names[0][:place] + following + names[0][place + 1 :])
    return frozenset(found)


def further_choices(record: Mapping[str, Any], columns: Columns) -> list[str]:
    """Fields of a record that hold more choices than plancheck asks; blank texts are none.

    ``record`` has the fields that are there: neither null nor NaN.
    """
    return [
        name
        for name, value in record.items()
        if (is_further(name, columns) and not (isinstance(value, str) and not value.strip()))
        or (name.casefold() in LISTS and name != columns.choices and isinstance(value, list) and len(value) > 4)
    ]


def list_rule(value: Any) -> str | None:
    """What is wrong with a list of choices as such, or None."""
    if not isinstance(value, list):
        return "must be a list of four texts"
    return None if len(value) == len(CHOICES) else f"must hold four choices, as plancheck asks, but holds {len(value)}"


def index_base(answers: Iterable[Any]) -> int | None:
    """The number of the first choice in answers that are numbers; None where they do not say.

    All of them together: a 0 among them says 0, a 4 says 1, both or neither say nothing.
    """
    numbers = {answer for answer in answers if is_number(answer)}
    if (0 in numbers) == (4 in numbers):
        return None
    return 0 if 0 in numbers else 1


def answer_letter(answer: Any, texts: Sequence[Any], base: int | None) -> Letter | None:
    """The letter that an answer to a list of choices means: a letter, the number of a choice, or a choice's text.

    None where it means no choice or several, as where choices bear letters of their own in another order.
    """
    if is_number(answer):
        return LETTERS[answer - base] if base is not None and 0 <= answer - base < len(LETTERS) else None
    meant = [letter for letter, text in zip(LETTERS, texts, strict=True) if text == answer]
    if answer in LETTERS:
        labels = [LABEL.match(str(text)) for text in texts]
        meant += [letter for letter, label in zip(LETTERS, labels, strict=True) if label and label[1] == answer]
        meant.append(answer)
    return meant[0] if len(set(meant)) == 1 else None


def is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_wanted(name: str, columns: Columns) -> bool:
    """Whether a field of this name is used, or may hold choices that would be dropped."""
    return name in wanted_names(columns) or is_further(name, columns) or name.casefold() in LISTS


@cache
def field_names(columns: Columns) -> Mapping[str, str]:
    """The file's names by ours, of the fields that are used."""
    unused = CHOICES if columns.choices else ()
    return {ours: name for ours, name in columns.model_dump().items() if name is not None and ours not in unused}


def wanted_names(columns: Columns) -> Collection[str]:
    """The names of all the fields that are used."""
    return field_names(columns).values()
