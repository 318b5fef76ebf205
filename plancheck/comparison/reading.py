"""Records from a file of per-question results. Its kind is told by the content, never by the name.

Kinds: Parquet, a table of text with a heading (delimited.py), JSON Lines, a JSON array of objects, and inspect_ai's log
as JSON (also what `inspect log dump` prints) or as .eval; each may be packed (content.py).
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.comparison.columns import Columns, names_of
from plancheck.comparison.content import KINDS, content_of, text_of
from plancheck.comparison.damage import readable
from plancheck.comparison.delimited import DELIMITERS, check_names, delimited
from plancheck.comparison.inspect_logs import samples_of_archive
from plancheck.comparison.json_records import Numbered, json_records, numbered_samples
from plancheck.comparison.records import Record, ResultsFile
from plancheck.plumbing.errors import StudyError

ROWS_AT_ONCE = 65_536


def read_results(path: Path) -> ResultsFile:
    """The records of a results file.

    Raises:
        StudyError: the file cannot be read, is of no known kind, is damaged, or holds no record; all bad lines of a
            JSON Lines file at once.
        MemoryError: it does not fit into memory.
    """
    content = content_of(path)
    decimal_commas = False
    records: Sequence[Record]
    if content.startswith(b"PAR1"):
        kind, records = "Parquet", _parquet_rows(path, content)
    elif content.startswith(b"PK"):
        kind, records = "inspect_ai log", _listed("sample", _archive_samples(path, content))
    else:
        text = text_of(path, content)
        first = text.lstrip()[:1]
        if not first:
            raise StudyError(f"{path}: is empty. Name a file with at least one scored question.")
        if first in "[{":
            kind, place, found = json_records(path, text, first)
            records = _listed(place, found)
        else:
            kind, records = _table_rows(path, text)
            decimal_commas = kind != DELIMITERS[","]
    if not records:
        raise StudyError(f"{path}: holds no result. Name a file with at least one scored question.")
    if not names_of(records):
        raise StudyError(f"{path}: no field has a name. Name the fields, at least the question's ID and the score.")
    return ResultsFile(path, kind, records, decimal_commas)


def _listed(place: str, found: Numbered) -> tuple[Record, ...]:
    return tuple(Record(f"{place} {number}", fields) for number, fields in found.items())


def _parquet_rows(path: Path, content: bytes) -> Columns:
    with readable(path, "damaged Parquet data", "Write or download it again."):
        # Unlike read_table, this reads columns of one name, which are refused below in words.
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        names = table.column_names
    check_names(path, names)
    for name, column in zip(names, table.columns, strict=True):
        with readable(path, f"unreadable values in column {name}", "Mend them, or write the file without it."):
            _check_values(column)
    return Columns("row", dict(zip(names, table.columns, strict=True)), range(1, table.num_rows + 1))


def _check_values(column: pa.ChunkedArray) -> None:
    """Raises what `to_pylist` would for values that are no Python value."""
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_boolean(column.type)):
        for batch in column.chunks:
            for start in range(0, len(batch), ROWS_AT_ONCE):
                batch.slice(start, ROWS_AT_ONCE).to_pylist()


def _archive_samples(path: Path, content: bytes) -> Numbered:
    remedy = (
        "Write a log as JSON instead: `inspect log convert FILE.eval --to json --output-dir FOLDER`; unpack any other "
        "archive, and save a workbook as CSV."
    )
    with readable(path, "not readable as an .eval log of inspect_ai", remedy):
        samples = samples_of_archive(content)
    return numbered_samples(path, samples)


def _table_rows(path: Path, text: str) -> tuple[str, Columns]:
    table = delimited(path, text)
    if table is None:
        raise StudyError(f"{path}: its first line is no heading of columns. The file must be {KINDS}.")
    check_names(path, table.names)
    columns = dict(zip(table.names, table.columns, strict=True))
    return DELIMITERS[table.delimiter], Columns("row", columns, range(1, table.rows + 1))
