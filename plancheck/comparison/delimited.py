"""Rows of a table of text with a heading, separated by tabs, semicolons or commas."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.csv as csv_of_arrow

from plancheck.comparison.columns import Column
from plancheck.plumbing.errors import StudyError, all_problems, doubled

# In order of preference. A comma is last: it is also a decimal mark, and stands in words.
DELIMITERS: Final[Mapping[str, str]] = {"\t": "TSV", ";": "CSV with semicolons", ",": "CSV"}
LARGEST_FIELD_CHARS = 1 << 30
# The first line by which spreadsheets tell each other the delimiter.
_TOLD = re.compile(r"sep=([\t;,])\r?\n")


@dataclass(frozen=True, slots=True)
class Table:
    """Names of the heading and a column of ``rows`` texts for each. ``delimiter`` is a key of DELIMITERS.

    ``ragged``: numbers of the rows, from 1, that have more or fewer values than the heading; these are in no column.
    """

    delimiter: str
    names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: int
    ragged: tuple[int, ...] = ()


def delimited(path: Path, text: str) -> Table | None:
    """The table that a text is; None when its first line is no heading of at least 2 columns.

    The delimiter is the first of DELIMITERS that divides the heading and by which every row has as many values as the
    heading; where none does, the one that divides the heading into the most columns. A line ``sep=;`` before the
    heading decides it. Empty lines are no rows.

    Raises:
        StudyError: a quoted value does not end, or rows do not fit the heading; all of them at once.
    """
    csv.field_size_limit(LARGEST_FIELD_CHARS)
    told = _TOLD.match(text)
    body = text[told.end() :] if told else text
    faults: dict[str, str] = {}
    tables = []
    for delimiter in told.group(1) if told else DELIMITERS:
        try:
            table = _table(body, delimiter)
        except csv.Error as error:
            faults[delimiter] = str(error)
            continue
        if table and not table.ragged:
            return table
        tables += [table] if table else []
    if tables:
        likeliest = max(tables, key=lambda table: len(table.names))
        raise all_problems(
            f"{path}: rows that do not fit the heading",
            [f"row {number}: not {len(likeliest.names)} values" for number in likeliest.ragged],
            remedy="Quote values that hold the delimiter.",
        )
    if faults:
        said = faults[max(faults, key=body.split("\n", 1)[0].count)]
        raise StudyError(f"{path}: not valid CSV ({said}). Mend it, or write the file again.")
    return None


def _table(text: str, delimiter: str) -> Table | None:
    if _is_plain(text):
        heading = text.split("\n", 1)[0]
        names = tuple(heading.removesuffix("\r").split(delimiter))
        if len(names) < 2:
            return None
        if table := _plain(text[len(heading) :], delimiter, names):
            return table
    lines = (line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if line)
    names = tuple(next(lines, ()))
    if len(names) < 2:
        return None
    columns: tuple[list[str], ...] = tuple([] for _ in names)
    ragged = []
    rows = 0
    for rows, line in enumerate(lines, start=1):
        if len(line) == len(names):
            for column, value in zip(columns, line, strict=True):
                column.append(value)
        else:
            ragged.append(rows)
    return Table(delimiter, names, columns, rows, tuple(ragged))


def _is_plain(text: str) -> bool:
    """Whether a text quotes nothing and begins with its heading, so that PyArrow can read it."""
    begins = text[:1] not in ("", "\r", "\n")
    return begins and '"' not in text and "\x00" not in text and text.count("\r") == text.count("\r\n")


def _plain(body: str, delimiter: str, names: tuple[str, ...]) -> Table | None:
    """The table of the lines below the heading of a plain text, read by PyArrow; None where they do not fit it."""
    if not body.strip("\r\n"):
        return None
    read = csv_of_arrow.ReadOptions(column_names=[str(number) for number in range(len(names))], use_threads=False)
    try:
        found = csv_of_arrow.read_csv(
            pa.BufferReader(body.encode()),
            read_options=read,
            parse_options=csv_of_arrow.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=csv_of_arrow.ConvertOptions(column_types=dict.fromkeys(read.column_names, pa.string())),
        )
    except pa.ArrowInvalid:  # rows that do not fit, which are named one by one below
        return None
    return Table(delimiter, names, tuple(found.columns), found.num_rows)


def check_names(path: Path, names: Sequence[str]) -> None:
    """Refuses columns of one name; those without one, such as a spreadsheet appends, may be several.

    Raises:
        StudyError: a name comes twice.
    """
    if twice := doubled([name for name in names if name.strip()]):
        raise all_problems(
            f"{path}: several columns of one name", twice, remedy="Give every column another name, or leave it out."
        )
