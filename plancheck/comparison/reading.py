"""Records from a file of per-question results. Its kind is told by the content, never by the name.

Kinds: Parquet, CSV or TSV with a heading, JSON Lines, a JSON array of objects, and inspect_ai's log as JSON (also what
`inspect log dump` prints) or as .eval. Text is UTF-8, with or without a byte order mark.
"""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.comparison.inspect_logs import LogError, is_inspect_log, sample_record, samples_of_archive
from plancheck.errors import StudyError, all_problems

KINDS = "Parquet, CSV, TSV, JSON Lines, a JSON array of objects, or an inspect_ai log"
LARGEST_FIELD_CHARS = 1 << 30


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
    return ResultsFile(path, kind, records)


Numbered = dict[int, Mapping[str, Any]]


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
    try:
        return _numbered(pq.read_table(pa.BufferReader(content)).to_pylist())
    except (pa.ArrowException, OSError) as error:
        raise StudyError(f"{path}: damaged Parquet data ({error}). Write or download it again.") from error


def _archive_samples(path: Path, content: bytes) -> Numbered:
    try:
        return _numbered([sample_record(sample) for sample in samples_of_archive(content)])
    except LogError as error:
        raise StudyError(
            f"{path}: not readable as an .eval log of inspect_ai ({error}). Write it as JSON instead: "
            "`inspect log convert FILE.eval --to json --output-dir FOLDER`."
        ) from error


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
    return "inspect_ai log", "sample", _objects(path, [sample_record(sample) for sample in log.get("samples") or []])


def _first_line_value(text: str) -> Any:
    """The JSON value of the first line; None when it holds only a part of one."""
    try:
        return json.loads(text.lstrip().split("\n", 1)[0])
    except ValueError:
        return None


def _line_records(path: Path, text: str) -> tuple[str, str, Numbered]:
    found: Numbered = {}
    problems = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
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
    try:
        return json.loads(text)
    except ValueError as error:
        raise StudyError(f"{path}: not valid JSON ({error}). Mend that place, or write the file again.") from error


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
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if tabs else ",", strict=True)
        rows = list(reader)
    except csv.Error as error:
        raise StudyError(f"{path}: not valid CSV ({error}). Mend it, or write the file again.") from error
    ragged = [f"row {n}: not {len(reader.fieldnames or [])} values" for n, row in enumerate(rows, 1) if _ragged(row)]
    if ragged:
        raise all_problems(
            f"{path}: rows that do not fit the heading", ragged, remedy="Quote values that hold the delimiter."
        )
    return ("TSV" if tabs else "CSV"), "row", _numbered(rows)


def _ragged(row: Mapping[str | None, Any]) -> bool:
    return None in row or None in row.values()
