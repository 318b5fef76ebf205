"""Reading and writing the study's files: whole or not at all, and with the columns they promise."""

import json
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from plancheck.plumbing.errors import StudyError

DATA = Path("data")
ROWS_A_GROUP = 65_536  # of tables that are written as they are made, so that few rows are held


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place when the block ends well and vanishes when it does not.

    The block may make a file or a folder there.

    Raises:
        StudyError: the place cannot be written (permissions, full disk), with the system's reason.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        holder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    except OSError as error:
        raise unwritable(path, error) from error
    temporary = holder / path.name
    try:
        yield temporary
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        temporary.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def unwritable(path: Path, error: Exception) -> StudyError:
    reason = getattr(error, "strerror", None) or str(error)
    return StudyError(f"{path}: cannot be written ({reason}). Free space or fix the permissions, then run it again.")


def write_table(
    path: Path,
    rows: Iterable[Mapping[str, Any]] | pa.Table,
    schema: pa.Schema,
    *,
    row_group_size: int | None = None,
) -> None:
    """Write rows (or a table) as Parquet with exactly the columns of ``schema``, in the order given.

    ``row_group_size`` is the most rows that are stored, and hence read, together; None leaves it to the writer. With
    it, rows are taken, and held, one group at a time.

    Raises:
        pyarrow.ArrowInvalid: a value does not fit its column or a column is missing: a fault of the program.
    """
    if row_group_size is None or isinstance(rows, pa.Table):
        table = rows.cast(schema) if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows), schema=schema)
        refuse_nulls(path, table)
        with replacing(path) as temporary:
            pq.write_table(table, temporary, compression="zstd", row_group_size=row_group_size)
        return
    left = iter(rows)
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        while group := list(islice(left, row_group_size)):
            table = pa.Table.from_pylist(group, schema=schema)
            refuse_nulls(path, table)
            writer.write_table(table)


def refuse_nulls(path: Path, table: pa.Table) -> None:
    for field in table.schema:
        if not field.nullable and table[field.name].null_count:
            raise ValueError(f"{path}: column {field.name} has {table[field.name].null_count} empty values")


def read_table(path: Path, *, columns: Sequence[str] | None = None, filters: Any = None) -> pa.Table:
    """A Parquet table of an earlier stage.

    Raises:
        StudyError: the file is missing or is no Parquet file.
    """
    try:
        return pq.read_table(path, columns=columns, filters=filters)
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Run `dvc repro` (or `make demo`) to make it.") from error
    except (pa.ArrowInvalid, OSError) as error:
        raise damaged(path, error) from error


def row_count(path: Path) -> int:
    """Rows of a Parquet table that was just written."""
    return int(pq.read_metadata(path).num_rows)


def damaged(path: Path, error: Exception) -> StudyError:
    """What to raise when an earlier stage's table cannot be read."""
    return StudyError(f"{path}: not a readable Parquet file ({error}). Delete it and run `dvc repro`.")


def among(column: str, ids: Collection[str]) -> pc.Expression:
    """The filter of `read_table` for rows whose ``column`` holds one of ``ids``; no ID, no row.

    Typed, for pyarrow cannot compare text with an empty list of nothing.
    """
    return pc.field(column).isin(pa.array(sorted(set(ids)), pa.string()))


def write_json(path: Path, value: Any) -> None:
    """Write ``value`` as indented JSON with sorted keys and a last newline."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """The value of a JSON file of an earlier stage.

    Raises:
        StudyError: the file is missing or is not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file. Run `dvc repro` (or `make demo`) to make it.") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StudyError(f"{path}: not readable as JSON ({error}). Delete it and run `dvc repro`.") from error
