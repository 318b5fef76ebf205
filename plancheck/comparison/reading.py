"""Records from a file of per-question results. Its kind is told by the content, never by the name.

Kinds: Parquet, CSV or TSV with a heading, JSON Lines, a JSON array of objects, and inspect_ai's log as JSON (also what
`inspect log dump` prints) or as .eval. Text is UTF-8, with or without a byte order mark.
"""

import csv
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.comparison.inspect_logs import (
    LogError,
    is_inspect_log,
    sample_fault,
    sample_record,
    samples_of_archive,
)
from plancheck.comparison.strict_json import json_value
from plancheck.errors import StudyError, all_problems, doubled

KINDS = "Parquet, CSV, TSV, JSON Lines, a JSON array of objects, or an inspect_ai log"
LARGEST_FIELD_CHARS = 1 << 30

# What the readers raise for foreign bytes: an encrypted or unknown ZIP entry is a RuntimeError, a date outside
# Python's calendar an OverflowError, an unknown time zone a LookupError.
DAMAGE: Final = (
    LogError,
    pa.ArrowException,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    csv.Error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Record:
    """One result and its place in the file, counted from 1: "line 3", "row 3", "record 3" or "sample 3"."""

    place: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """At least one record, in the file's order. ``kind`` names the format for people."""

    path: Path
    kind: str
    records: tuple[Record, ...]


def read_results(path: Path) -> ResultsFile:
    """The records of a results file.

    Raises:
        StudyError: the file cannot be read, is of no known kind, is damaged, or holds no record; all bad lines of a
            JSON Lines file at once.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}). Name a file of per-question results.") from error
    if content.startswith(b"PAR1"):
        kind, place, found = "Parquet", "row", _parquet_rows(path, content)
    elif content.startswith(b"PK"):
        kind, place, found = "inspect_ai log", "sample", _archive_samples(path, content)
    else:
        kind, place, found = _text_records(path, _decoded(path, content))
    records = tuple(Record(f"{place} {number}", fields) for number, fields in found.items())
    if not records:
        raise StudyError(f"{path}: holds no result. Name a file with at least one scored question.")
    if not any(name.strip() for record in records for name in record.fields):
        raise StudyError(f"{path}: no field has a name. Name the fields, at least the question's ID and the score.")
    return ResultsFile(path, kind, records)


Numbered = dict[int, Mapping[str, Any]]


@contextmanager
def _readable(path: Path, what: str, remedy: str) -> Iterator[None]:
    """Turns what a reader raises for bytes it cannot read into a StudyError."""
    try:
        yield
    except DAMAGE as error:
        raise StudyError(f"{path}: {what} ({str(error) or type(error).__name__}). {remedy}") from error


def _numbered(values: list[dict[str, Any]]) -> Numbered:
    return dict(enumerate(values, start=1))


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise StudyError(
            f"{path}: invalid UTF-8 at byte {error.start} (counted from 0). The file must be {KINDS}; unpack it if it "
            "is compressed, or convert its text to UTF-8."
        ) from error


def _parquet_rows(path: Path, content: bytes) -> Numbered:
    with _readable(path, "damaged Parquet data", "Write or download it again."):
        # Unlike read_table, this reads columns of one name, which are refused below in words.
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        names = table.column_names
    _check_names(path, names)
    values = []
    for name, column in zip(names, table.columns, strict=True):
        with _readable(path, f"unreadable values in column {name}", "Mend them, or write the file without it."):
            values.append(column.to_pylist())
    return _numbered([dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)])


def _check_names(path: Path, names: Sequence[str]) -> None:
    """Columns without a name, such as those a spreadsheet appends, cannot be chosen and may be several."""
    if twice := doubled([name for name in names if name.strip()]):
        raise all_problems(
            f"{path}: several columns of one name", twice, remedy="Give every column another name, or leave it out."
        )


def _archive_samples(path: Path, content: bytes) -> Numbered:
    remedy = "Write it as JSON instead: `inspect log convert FILE.eval --to json --output-dir FOLDER`."
    with _readable(path, "not readable as an .eval log of inspect_ai", remedy):
        samples = samples_of_archive(content)
    return _samples(path, samples)


def _samples(path: Path, values: Any) -> Numbered:
    remedy = "Write the log again with inspect_ai (`inspect log convert` or `inspect log dump`)."
    if not isinstance(values, list):
        raise StudyError(f"{path}: samples must be an array, got {type(values).__name__}. {remedy}")
    if wrong := [f"sample {n}: {fault}" for n, value in enumerate(values, 1) if (fault := sample_fault(value))]:
        raise all_problems(f"{path}: unusable samples", wrong, remedy=remedy)
    return _numbered([sample_record(value) for value in values])


def _text_records(path: Path, text: str) -> tuple[str, str, Numbered]:
    first = text.lstrip()[:1]
    if not first:
        raise StudyError(f"{path}: is empty. Name a file with at least one scored question.")
    if first == "[":
        return "JSON", "record", _objects(path, _parsed(path, text))
    if first != "{":
        return _table_rows(path, text)
    value = _first_line_value(text)
    if value is not None and not is_inspect_log(value):
        return _line_records(path, text)
    log = _parsed(path, text) if value is None else value
    if not is_inspect_log(log):
        raise StudyError(f"{path}: is one JSON object, but no inspect_ai log. The file must be {KINDS}.")
    samples = log.get("samples")
    return "inspect_ai log", "sample", _samples(path, [] if samples is None else samples)


def _first_line_value(text: str) -> Any:
    """The JSON value of the first line; None when it holds only a part of one."""
    try:
        return json_value(text.lstrip().split("\n", 1)[0])
    except ValueError:
        return None


def _line_records(path: Path, text: str) -> tuple[str, str, Numbered]:
    found: Numbered = {}
    problems = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json_value(line)
        except ValueError as error:
            problems.append(f"line {number}: not valid JSON ({error})")
            continue
        if isinstance(value, dict):
            found[number] = value
        else:
            problems.append(f"line {number}: must be an object, got {type(value).__name__}")
    if problems:
        raise all_problems(
            f"{path}: unusable lines", problems, remedy="Mend them, or write the file again if it is cut short."
        )
    kind = "lm-evaluation-harness samples" if all("doc_id" in fields for fields in found.values()) else "JSON Lines"
    return kind, "line", found


def _parsed(path: Path, text: str) -> Any:
    with _readable(path, "not valid JSON", "Mend that place, or write the file again."):
        return json_value(text)


def _objects(path: Path, values: Any) -> Numbered:
    wrong = [f"record {n}: must be an object" for n, value in enumerate(values, 1) if not isinstance(value, dict)]
    if wrong:
        raise all_problems(f"{path}: unusable records", wrong, remedy="Give each result as an object with its fields.")
    return _numbered(values)


def _table_rows(path: Path, text: str) -> tuple[str, str, Numbered]:
    heading = text.split("\n", 1)[0]
    tabs = "\t" in heading
    if not tabs and "," not in heading:
        raise StudyError(f"{path}: its first line is no heading of columns. The file must be {KINDS}.")
    csv.field_size_limit(LARGEST_FIELD_CHARS)
    with _readable(path, "not valid CSV", "Mend it, or write the file again."):
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if tabs else ",", strict=True)
        names = reader.fieldnames or []
        rows = list(reader)
    _check_names(path, names)
    ragged = [f"row {n}: not {len(names)} values" for n, row in enumerate(rows, 1) if _ragged(row)]
    if ragged:
        raise all_problems(
            f"{path}: rows that do not fit the heading", ragged, remedy="Quote values that hold the delimiter."
        )
    return ("TSV" if tabs else "CSV"), "row", _numbered(rows)


def _ragged(row: Mapping[str | None, Any]) -> bool:
    return None in row or None in row.values()
