"""Raw records from a data file: a JSON array, JSON Lines or Parquet, each of them gzipped or not.

The kind is told by the content, never by the name. JSON text is UTF-8, with or without a byte order mark.
"""

import gzip
import json
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.errors import StudyError, all_problems

KINDS = "a JSON array, JSON Lines or Parquet, gzipped or not"


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A value of the file and its place there, counted from 1: "record 3", "line 3" or "row 3"."""

    place: str
    value: Any


def read_records(path: Path, *, fields: Collection[str]) -> list[RawRecord]:
    """The records of ``path`` in the file's order; at least one.

    Args:
        path: the data file.
        fields: names of the fields that will be used; other columns of a Parquet file are not read.

    Raises:
        StudyError: the file cannot be read, is of no known kind, is damaged, or holds no record.
    """
    content = inflated(path, read_bytes(path))
    if content.startswith(b"PAR1"):
        records = parquet_rows(path, content, fields)
    elif content.startswith(b"version https://git-lfs"):
        raise StudyError(f"{path}: is a Git LFS pointer, not the data. Run `git lfs pull` where it came from.")
    else:
        records = json_records(path, decoded(path, content))
    if not records:
        raise StudyError(f"{path}: holds no record. Set benchmark.path to a file with at least one question.")
    return records


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Set benchmark.path to the data file.") from error
    except IsADirectoryError as error:
        raise StudyError(f"{path}: is a folder. Set benchmark.path to the data file in it.") from error
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}). Mend its permissions or its path.") from error


def inflated(path: Path, content: bytes) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise StudyError(f"{path}: damaged gzip data ({error}). Download or compress it again.") from error


def decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise StudyError(
            f"{path}: invalid UTF-8 at byte {error.start} (counted from 0; {error.reason}). "
            f"The file must be {KINDS}, its text in UTF-8. Download it again, or convert it to UTF-8."
        ) from error


def parquet_rows(path: Path, content: bytes, fields: Collection[str]) -> list[RawRecord]:
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        rows = file.read(columns=[name for name in file.schema_arrow.names if name in fields]).to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: damaged Parquet data ({error}). Download or write it again.") from error
    return [RawRecord(f"row {number}", row) for number, row in enumerate(rows, start=1)]


def json_records(path: Path, text: str) -> list[RawRecord]:
    first = text.lstrip()[:1]
    if first == "[":
        return array_records(path, text)
    if first == "{":
        return line_records(path, text)
    if not first:
        raise StudyError(f"{path}: is empty. Download it again, or set benchmark.path to another file.")
    raise StudyError(f"{path}: starts with {first!r}, so it is no data file. It must be {KINDS}.")


def array_records(path: Path, text: str) -> list[RawRecord]:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise StudyError(
            f"{path}: not valid JSON at line {error.lineno}, column {error.colno} ({error.msg}). "
            "The file may be truncated: download it again, or mend that place."
        ) from error
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{path}: not usable as JSON ({error}). It must be an array of flat objects.") from error
    return [RawRecord(f"record {number}", value) for number, value in enumerate(values, start=1)]


def line_records(path: Path, text: str) -> list[RawRecord]:
    """One record a line; blank lines are skipped. Lines end at a line feed only: texts may hold other separators."""
    records, problems = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(RawRecord(f"line {number}", json.loads(line)))
        except json.JSONDecodeError as error:
            problems.append(f"line {number}, column {error.colno}: {error.msg}")
        except (ValueError, RecursionError) as error:
            problems.append(f"line {number}: {error}")
    if problems:
        raise all_problems(
            f"{path}: {len(problems)} line(s) are not valid JSON (it starts with '{{', so it is read as JSON Lines):",
            problems,
            remedy="Write one whole object a line, or all in one array [...]; download a truncated file again.",
        )
    return records
