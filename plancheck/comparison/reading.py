"""Records from a file of per-question results. Its kind is told by the content, never by the name.

Kinds: Parquet, a table of text with a heading (delimited.py), JSON Lines, a JSON array of objects, and inspect_ai's log
as JSON (also what `inspect log dump` prints) or as .eval; each may be packed (content.py).
"""

import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.comparison.content import KINDS, content_of, text_of
from plancheck.comparison.delimited import DELIMITERS, check_names, delimited
from plancheck.comparison.inspect_logs import (
    LogError,
    is_inspect_log,
    sample_fault,
    sample_record,
    samples_of_archive,
)
from plancheck.comparison.records import Record, ResultsFile
from plancheck.comparison.strict_json import json_value
from plancheck.errors import StudyError, all_problems

# What the readers raise for foreign bytes: an encrypted or unknown ZIP entry is a RuntimeError, a date outside
# Python's calendar an OverflowError, an unknown time zone a LookupError.
DAMAGE: Final = (
    LogError,
    pa.ArrowException,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
LONGBENCH_FIELDS: Final = {"_id", "judge", "pred"}

_LINE: Final = re.compile("^.*$", re.MULTILINE)  # one at a time: a list of them would need as much memory again

Numbered = Mapping[int, Mapping[str, Any]]


def read_results(path: Path) -> ResultsFile:
    """The records of a results file.

    Raises:
        StudyError: the file cannot be read, is of no known kind, is damaged, or holds no record; all bad lines of a
            JSON Lines file at once.
        MemoryError: it does not fit into memory.
    """
    content = content_of(path)
    decimal_commas = False
    if content.startswith(b"PAR1"):
        kind, place, found = "Parquet", "row", _parquet_rows(path, content)
    elif content.startswith(b"PK"):
        kind, place, found = "inspect_ai log", "sample", _archive_samples(path, content)
    else:
        text = text_of(path, content)
        first = text.lstrip()[:1]
        if not first:
            raise StudyError(f"{path}: is empty. Name a file with at least one scored question.")
        if first in "[{":
            kind, place, found = _json_records(path, text, first)
        else:
            kind, place, found = _table_rows(path, text)
            decimal_commas = kind != DELIMITERS[","]
    records = tuple(Record(f"{place} {number}", fields) for number, fields in found.items())
    if not records:
        raise StudyError(f"{path}: holds no result. Name a file with at least one scored question.")
    if not any(name.strip() for record in records for name in record.fields):
        raise StudyError(f"{path}: no field has a name. Name the fields, at least the question's ID and the score.")
    return ResultsFile(path, kind, records, decimal_commas)


@contextmanager
def _readable(path: Path, what: str, remedy: str) -> Iterator[None]:
    """Turns what a reader raises for bytes it cannot read into a StudyError."""
    try:
        yield
    except MemoryError:  # PyArrow's is one of its own exceptions as well, but no damage
        raise
    except DAMAGE as error:
        raise StudyError(f"{path}: {what} ({str(error) or type(error).__name__}). {remedy}") from error


def _numbered(values: list[dict[str, Any]]) -> Numbered:
    return dict(enumerate(values, start=1))


def _parquet_rows(path: Path, content: bytes) -> Numbered:
    with _readable(path, "damaged Parquet data", "Write or download it again."):
        # Unlike read_table, this reads columns of one name, which are refused below in words.
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        names = table.column_names
    check_names(path, names)
    values = []
    for name, column in zip(names, table.columns, strict=True):
        with _readable(path, f"unreadable values in column {name}", "Mend them, or write the file without it."):
            values.append(column.to_pylist())
    return _numbered([dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)])


def _archive_samples(path: Path, content: bytes) -> Numbered:
    remedy = (
        "Write a log as JSON instead: `inspect log convert FILE.eval --to json --output-dir FOLDER`; unpack any other "
        "archive, and save a workbook as CSV."
    )
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


def _json_records(path: Path, text: str, first: str) -> tuple[str, str, Numbered]:
    if first == "[":
        found = _objects(path, _parsed(path, text))
        return _kind_of(found, "JSON"), "record", found
    value = _first_line_value(text)
    if value is not None and not is_inspect_log(value):
        found = _line_records(path, text)
        return _kind_of(found, "JSON Lines"), "line", found
    log = _parsed(path, text) if value is None else value
    if not is_inspect_log(log):
        raise StudyError(f"{path}: is one JSON object, but no inspect_ai log. The file must be {KINDS}.")
    samples = log.get("samples")
    return "inspect_ai log", "sample", _samples(path, [] if samples is None else samples)


def _kind_of(found: Numbered, otherwise: str) -> str:
    """The program that wrote such objects, where each of them shows it."""
    if found and all(fields.keys() >= LONGBENCH_FIELDS for fields in found.values()):
        return "LongBench-v2 results"
    if found and otherwise == "JSON Lines" and all("doc_id" in fields for fields in found.values()):
        return "lm-evaluation-harness samples"
    return otherwise


def _first_line_value(text: str) -> Any:
    """The JSON value of the first line; None when it holds only a part of one."""
    try:
        return json_value(text.lstrip().split("\n", 1)[0])
    except ValueError:
        return None


def _line_records(path: Path, text: str) -> Numbered:
    found = {}
    problems = []
    for number, match in enumerate(_LINE.finditer(text), start=1):
        line = match.group()
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
    return found


def _parsed(path: Path, text: str) -> Any:
    with _readable(path, "not valid JSON", "Mend that place, or write the file again."):
        return json_value(text)


def _objects(path: Path, values: Any) -> Numbered:
    wrong = [f"record {n}: must be an object" for n, value in enumerate(values, 1) if not isinstance(value, dict)]
    if wrong:
        raise all_problems(f"{path}: unusable records", wrong, remedy="Give each result as an object with its fields.")
    return _numbered(values)


def _table_rows(path: Path, text: str) -> tuple[str, str, Numbered]:
    table = delimited(path, text)
    if table is None:
        raise StudyError(f"{path}: its first line is no heading of columns. The file must be {KINDS}.")
    check_names(path, table.names)
    return (
        DELIMITERS[table.delimiter],
        "row",
        _numbered([dict(zip(table.names, row, strict=True)) for row in table.rows]),
    )
