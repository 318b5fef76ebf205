"""One result of any program, and how its values are read as IDs, scores and conditions."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

from plancheck.comparison.inspect_logs import LETTER_SCORES
from plancheck.matching import fold

# "True" and "false" as the spreadsheets of some languages write them, besides "yes" and "no".
TRUE: Final = ("true", "yes", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar", "prawda", "истина")
FALSE: Final = ("false", "no", "falsch", "faux", "falso", "onwaar", "fałsz", "ложь")
WORD_SCORES: Final[Mapping[str, float]] = {**LETTER_SCORES, **dict.fromkeys(TRUE, 1.0), **dict.fromkeys(FALSE, 0.0)}
LARGEST_SCORE = 1e100  # far beyond it the variance of scores is no floating-point number
SHOWN_VALUES = 12
REMEMBERED = 10_000  # distinct values of which what was made is kept: most scores and answers are a few, many times
_COMMA_DECIMAL = re.compile(r"([+-]?\d*),(\d+)")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """One result and its place in the file, counted from 1: "line 3", "row 3", "record 3" or "sample 3"."""

    place: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """At least one record, in the file's order.

    ``kind`` names the format for people. ``decimal_commas``: whether "0,5" is a number, as in a table whose delimiter
    is no comma.
    """

    path: Path
    kind: str
    records: Sequence[Record]
    decimal_commas: bool = False


def value_of(record: Record, field: str) -> Any:
    """The value of a field or, after a dot, of a field inside it; None where it is not."""
    if field in record.fields:
        return record.fields[field]
    value: Any = record.fields
    for name in field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def number_of(value: Any, *, decimal_commas: bool = False) -> float | None:
    """A value as a score: a number within LARGEST_SCORE, true or false, or a word of WORD_SCORES; else None."""
    if isinstance(value, str):
        word = value.strip()
        value = WORD_SCORES.get(word, WORD_SCORES.get(word.casefold(), word))
        if decimal_commas and isinstance(value, str) and (parts := _COMMA_DECIMAL.fullmatch(value)):
            value = ".".join(parts.groups())
        if isinstance(value, str) and "_" in value:  # Python takes 1_0 for 10
            return None
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return None
    return (number or 0.0) if abs(number) <= LARGEST_SCORE else None  # zero has no sign


def each(function: Callable[[Any], T], values: Sequence[Any]) -> list[T]:
    """``function`` of each value; of values that come often, such as scores and letters, it is asked once.

    Equal values of one type must give the same.
    """
    try:
        return list(map(lru_cache(maxsize=REMEMBERED, typed=True)(function), values))
    except TypeError:  # a list or an object cannot be remembered
        return list(map(function, values))


def text_of(value: Any) -> str:
    """A value as an ID, a cluster or a condition; a missing one is empty, as which many programs write NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def named(names: Sequence[str], usual: Sequence[str]) -> list[str]:
    """Those of the names that are usual ones, in the order of ``usual``; case, blanks and hyphens do not matter."""
    plain = {name: re.sub(r"[\s-]+", "_", fold(name).strip()) for name in names}
    return [name for wanted in usual for name in names if plain[name] == wanted]


def listed(values: Iterable[str]) -> str:
    """Values for a message: in the order given, a set sorted; the first dozen."""
    found = sorted(values, key=lambda value: (len(value), value)) if isinstance(values, set) else list(values)
    more = f" and {len(found) - SHOWN_VALUES} more" if len(found) > SHOWN_VALUES else ""
    return ", ".join(found[:SHOWN_VALUES]) + more
