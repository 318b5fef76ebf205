"""Two tables of the report, compared cell by cell."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

RELATIVE: Final = 1e-9  # the last digits differ between processors
ABSOLUTE: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell that is not what it is when it is made again; without a row the whole table, without a column a row."""

    file: str
    row: str
    column: str
    released: Any
    rebuilt: Any

    def __str__(self) -> str:
        place = "; ".join(part for part in (self.file, self.row) if part)
        return f"{place}: {self.column} is {shown(self.released)}, rebuilt {shown(self.rebuilt)}"


def shown(value: Any) -> str:
    return "empty" if value is None or value == "" else f"{value!s:.120}"


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal; of numbers with a fraction the last digits may differ."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(one == other)


def csv_differences(file: str, released: str, rebuilt: str) -> tuple[list[Difference], int]:
    """The cells of two CSVs that differ, row by row in their order, and how many cells were compared.

    A row is named by its first columns, as many as tell the rebuilt rows apart.
    """
    ours, theirs = (list(csv.reader(io.StringIO(text, newline=""))) for text in (rebuilt, released))
    if not theirs or ours[0] != theirs[0]:
        return [Difference(file, "", "header", ",".join(theirs[0]) if theirs else None, ",".join(ours[0]))], 0
    header, rows, others = ours[0], ours[1:], theirs[1:]
    if len(rows) != len(others):
        return [Difference(file, "", "number of rows", len(others), len(rows))], 0
    width = telling(rows)
    found = []
    for number, (row, other) in enumerate(zip(rows, others, strict=True), start=1):
        named = [f"{name}={value}" for name, value in zip(header[:width], row[:width], strict=True)]
        label = ", ".join(named) or f"row {number}"
        if len(row) != len(other):
            found.append(Difference(file, label, "number of cells", len(other), len(row)))
            continue
        found += [
            Difference(file, label, name, theirs_value, value)
            for name, value, theirs_value in zip(header, row, other, strict=True)
            if value != theirs_value and not same(number_of(value), number_of(theirs_value))
        ]
    return found, len(rows) * len(header)


def number_of(text: str) -> float:
    """A finite number's value; NaN, which equals nothing, is what is none."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def telling(rows: Sequence[Sequence[str]]) -> int:
    """How many first columns tell all rows apart; 0 where none do."""
    widths = range(1, len(rows[0]) + 1) if rows else range(0)
    return next((width for width in widths if len({tuple(row[:width]) for row in rows}) == len(rows)), 0)
