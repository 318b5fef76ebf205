"""Listings of text that has an ID and its split a line.

- ``.csv``: divided by commas, or by semicolons where these make an ID and a split of more lines; ``.tsv``: by tabs.
  Values may be quoted.
- ``.txt``: the last word or comma-separated value of a line is the split, all before it the ID.

A first line whose last value is "split" is a heading. So is one that names no split where every other line has an ID
and its split.
"""

import csv
import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plancheck.benchmark.listings import Listing, checked, shown_name, split_named
from plancheck.matching import match_key
from plancheck.plumbing.errors import StudyError

LOG = logging.getLogger("plancheck.split")

HEADING: Final = "split"
# The first is taken where both fit as well. No line ends in a split after one and after the other: no file that one of
# them divides without a fault reads otherwise by the other.
CSV_DELIMITERS: Final = (",", ";")

Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of values without white space around them, and why there are no more; None: the text has no more."""

    rows: Sequence[Row]
    fault: str | None


def table_listings(path: Path, text: str) -> list[Listing]:
    """What a .csv or .tsv file lists.

    Raises:
        StudyError: a quoted value does not end, or as ``row_listings``.
    """
    delimiters = ("\t",) if path.suffix.lower() == ".tsv" else CSV_DELIMITERS
    table = max((divided_table(text, delimiter) for delimiter in delimiters), key=fit)
    if table.fault:
        raise StudyError(f"{path}: {table.fault}. Mend it, or write the file again.")
    return row_listings(path, table.rows)


def text_listings(path: Path, text: str) -> list[Listing]:
    """What a .txt file lists.

    Raises:
        StudyError: as ``row_listings``.
    """
    return row_listings(path, [divided_line(line) for line in lines_of(text)])


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends: LF, CR LF or CR, as a table's rows end."""
    return io.StringIO(text, newline=None).read().split("\n")


def row_listings(path: Path, rows: Sequence[Row]) -> list[Listing]:
    """Listings of the lines of a file; those without a value say nothing.

    Raises:
        StudyError: lines are no ID and its split; all of them are listed, or that they all are the wrong way round.
    """
    filled = {number: row for number, row in enumerate(rows, start=1) if any(row)}
    if headed(list(filled.values())):
        number = min(filled)
        heading = filled.pop(number)
        if match_key(heading[-1]) != HEADING:
            LOG.info("%s: line %s is taken as a heading: %s", path, number, ", ".join(map(shown_name, heading)))
    if filled and all(map(turned, filled.values())):
        raise StudyError(f"{path}: every line has a split's name first. Write it as an ID first, then its split.")
    whole = {number: row for number, row in filled.items() if len(row) == 2 and all(row)}
    return checked(
        path,
        [(row[0], row[1], f"line {number}") for number, row in whole.items()],
        [f"line {number}: {row_fault(row)}" for number, row in filled.items() if number not in whole],
    )


def row_fault(row: Row) -> str:
    if len(row) > 2:
        return f"has {len(row)} values, but 2 are wanted: quote an ID that holds the delimiter"
    return "is no ID and a split"


def headed(rows: Sequence[Row]) -> bool:
    """Whether the first of rows with a value is a heading."""
    if not rows:
        return False
    first, *others = rows
    if match_key(first[-1]) == HEADING:
        return True
    names = len(first) == 2 and bool(first[1]) and not any(map(split_named, first))
    return names and bool(others) and (all(map(listed, others)) or all(map(turned, others)))


def listed(row: Row) -> bool:
    """Whether a row is an ID and its split."""
    return len(row) == 2 and bool(row[0]) and split_named(row[1]) is not None


def turned(row: Row) -> bool:
    """Whether a row begins with a split's name and does not end with one."""
    return split_named(row[0]) is not None and split_named(row[-1]) is None


def divided_table(text: str, delimiter: str) -> Table:
    """The rows of a table, as far as it can be read."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    try:
        for row in reader:
            rows.append([value.strip() for value in row])
    except csv.Error as error:
        return Table(rows, f"line {reader.line_num}: {error}")
    return Table(rows, None)


def fit(table: Table) -> tuple[int, int]:
    """Counts of rows that are an ID and its split, and of rows of two values: more is a likelier delimiter."""
    return sum(map(listed, table.rows)), sum(len(row) == 2 for row in table.rows)


def divided_line(line: str) -> Row:
    """What precedes the last word or comma-separated value of a line, and that value; one alone, or none."""
    line = line.strip()
    last = line.replace(",", " ").split()[-1:]
    if not last or not line.endswith(last[0]):
        return [line] if line else []
    before = line.removesuffix(last[0]).rstrip().removesuffix(",").rstrip()
    return [before, *last] if before else last
