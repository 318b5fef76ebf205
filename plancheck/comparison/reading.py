"""Records from a file of per-question results. Its kind is told by the content, never by the name.

Kinds: Parquet, a table of text with a heading (delimited.py), JSON Lines, a JSON array of objects, and inspect_ai's log
as JSON (also what `inspect log dump` prints) or as .eval; each may be packed (content.py).
"""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.comparison.content import KINDS, content_of, text_of
from plancheck.comparison.damage import readable
from plancheck.comparison.delimited import DELIMITERS, check_names, delimited
from plancheck.comparison.inspect_logs import samples_of_archive
from plancheck.comparison.json_records import Numbered, json_records, numbered, numbered_samples
from plancheck.comparison.records import Record, ResultsFile
from plancheck.errors import StudyError


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
            kind, place, found = json_records(path, text, first)
        else:
            kind, place, found = _table_rows(path, text)
            decimal_commas = kind != DELIMITERS[","]
    records = tuple(Record(f"{place} {number}", fields) for number, fields in found.items())
    if not records:
        raise StudyError(f"{path}: holds no result. Name a file with at least one scored question.")
    if not any(name.strip() for record in records for name in record.fields):
        raise StudyError(f"{path}: no field has a name. Name the fields, at least the question's ID and the score.")
    return ResultsFile(path, kind, records, decimal_commas)


def _parquet_rows(path: Path, content: bytes) -> Numbered:
    with readable(path, "damaged Parquet data", "Write or download it again."):
        # Unlike read_table, this reads columns of one name, which are refused below in words.
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        names = table.column_names
    check_names(path, names)
    values = []
    for name, column in zip(names, table.columns, strict=True):
        with readable(path, f"unreadable values in column {name}", "Mend them, or write the file without it."):
            values.append(column.to_pylist())
    return numbered([dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)])


def _archive_samples(path: Path, content: bytes) -> Numbered:
    remedy = (
        "Write a log as JSON instead: `inspect log convert FILE.eval --to json --output-dir FOLDER`; unpack any other "
        "archive, and save a workbook as CSV."
    )
    with readable(path, "not readable as an .eval log of inspect_ai", remedy):
        samples = samples_of_archive(content)
    return numbered_samples(path, samples)


def _table_rows(path: Path, text: str) -> tuple[str, str, Numbered]:
    table = delimited(path, text)
    if table is None:
        raise StudyError(f"{path}: its first line is no heading of columns. The file must be {KINDS}.")
    check_names(path, table.names)
    return (
        DELIMITERS[table.delimiter],
        "row",
        numbered([dict(zip(table.names, row, strict=True)) for row in table.rows]),
    )
