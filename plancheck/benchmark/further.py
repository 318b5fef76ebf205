"""Fields that look like choices beyond those that are read: none is dropped without a word."""

import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Final

from plancheck.params.formats import Columns
from plancheck.records import MOST_CHOICES

LISTS: Final = ("choices", "options", "alternatives")
NAMED: Final = re.compile(
    r"(?:choices?|options?|alternatives?|candidates?|endings?|answers?|opt?|ans)[ _.:-]*\(?(?P<label>[a-k]|\d{1,2})\)?"
    r"|(?P<bare>[a-k])|\((?P<bracketed>[a-k])\)"
)
FIRST: Final = {("a", "b"): ord("a"), ("0", "1"): 0, ("1", "2"): 1}


def further_choices(record: Mapping[str, Any], columns: Columns, count: int) -> list[str]:
    """Fields of a record with ``count`` choices that look like its next choice; blank texts are none.

    ``record`` has the fields that are there: neither null nor NaN. A list or mapping says itself how many there are.
    """
    if isinstance(columns.choices, str):
        return []
    return [
        name
        for name, value in record.items()
        if (is_next(name, columns, count) and not (isinstance(value, str) and not value.strip()))
        or (name.casefold() in LISTS and isinstance(value, list) and len(value) > count)
    ]


def is_next(name: str, columns: Columns, count: int) -> bool:
    """Whether a name is like "choice_E", "E" or "option 5" where there are four choices, or goes on as theirs do."""
    if name in wanted_names(columns):
        return False
    folded = name.casefold()
    label = next(filter(None, match.groups()), None) if (match := NAMED.fullmatch(folded)) else None
    return label in (chr(ord("a") + count), str(count + 1)) or folded in next_names(columns, count)


@cache
def next_names(columns: Columns, count: int) -> frozenset[str]:
    """The name after the first ``count`` fields, where these differ by their label alone; case folded."""
    first, second = (name.casefold() for name in columns.choice_fields[:2])
    found = set()
    for place, signs in enumerate(zip(first, second, strict=False)):
        before, after = first[:place], first[place + 1 :]
        if signs in FIRST and second == before + signs[1] + after:
            number = FIRST[signs] + count
            found.add(before + (chr(number) if signs[0] == "a" else str(number)) + after)
    return frozenset(found)


def is_wanted(name: str, columns: Columns) -> bool:
    """Whether a field of this name is used, or may hold choices that would be dropped."""
    counts = range(1, MOST_CHOICES + 1)
    further = not isinstance(columns.choices, str) and any(is_next(name, columns, count) for count in counts)
    return name in wanted_names(columns) or further or name.casefold() in LISTS


@cache
def wanted_names(columns: Columns) -> Collection[str]:
    """The names of all the fields that are used."""
    names = columns.model_dump() | dict(enumerate(columns.choice_fields)) | {"choices": None}
    return frozenset(name for name in names.values() if name is not None)
