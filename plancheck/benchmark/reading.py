"""Raw records from a data file: a JSON array, JSON Lines or Parquet, each of them gzipped or not.

The kind is told by the content, never by the name. JSON text is UTF-8, with or without a byte order mark.
"""

import gzip
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.benchmark.json_records import RawRecord, json_records
from plancheck.benchmark.kinds import GZIP, PARQUET, refuse_other_kinds
from plancheck.plumbing.errors import StudyError, doubled

HEAD_BYTES = 512
ROWS_AT_ONCE = 8


def read_records(path: Path, *, fields: Collection[str], wanted: Callable[[str], bool]) -> Iterator[RawRecord]:
    """The records of ``path`` in the file's order, one at a time; at least one.

    JSON Lines, gzipped or not, need the memory of one record. A JSON array is read whole, as bytes, and then its
    records one by one. Parquet needs the memory of a row group.

    Args:
        path: the data file.
        fields: names by which a record is known from what records are wrapped in.
        wanted: whether a column of a Parquet file will be used; others are not read.

    Raises:
        StudyError: the file cannot be read, is of no known kind, is damaged, or holds no record. Lines that are no
            JSON are told after the last one.
    """
    found = False
    with opened(path) as stream:
        head = stream.read(HEAD_BYTES)
        stream.seek(0)
        if head.startswith(PARQUET):
            records = parquet_rows(path, stream, wanted)
        else:
            refuse_other_kinds(path, head)
            records = json_records(path, stream, fields)
        for record in records:
            found = True
            yield record
            del record  # it may be large, and the next one is read before this name is free
    if not found:
        raise StudyError(f"{path}: holds no record. Set benchmark.path to a file with at least one question.")


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """The file's bytes, ungzipped once; what goes wrong while they are read is told."""
    try:
        with path.open("rb") as file:
            gzipped = file.read(len(GZIP)) == GZIP
            file.seek(0)
            if not gzipped:
                yield file
                return
            with gzip.GzipFile(fileobj=file) as inner:
                yield BufferedReader(cast(BufferedReader, inner))
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Set benchmark.path to the data file.") from error
    except IsADirectoryError as error:
        raise StudyError(f"{path}: is a folder. Set benchmark.path to the data file in it.") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise StudyError(f"{path}: damaged gzip data ({error}). Download or compress it again.") from error
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}). Mend its permissions or its path.") from error


def parquet_rows(path: Path, stream: BufferedReader, wanted: Callable[[str], bool]) -> Iterator[RawRecord]:
    # Inside gzip, going back to a column means to inflate from the start.
    source = pa.BufferReader(stream.read()) if isinstance(stream.raw, gzip.GzipFile) else path
    number = 0
    try:
        with pq.ParquetFile(source) as file:
            names = file.schema_arrow.names
            if twice := doubled(names):
                raise StudyError(
                    f"{path}: has several columns called {', '.join(twice)}. Keep one of them, or rename the others."
                )
            columns = [name for name in names if wanted(name)]
            for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield RawRecord(f"row {number}", row)
    except MemoryError:
        raise  # Arrow's is an ArrowException too
    # A date outside Python's calendar is an OverflowError, an unknown time zone a LookupError.
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError, LookupError) as error:
        raise StudyError(f"{path}: damaged Parquet data ({error}). Download or write it again.") from error
