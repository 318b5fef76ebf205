"""What the files of a bundle must be before anything is made of them: which there are, columns, keys, values."""

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA
from plancheck.release.tables import KEYS
from plancheck.reporting.tables import TABLES
from plancheck.visible import in_a_line

MOST_ROWS: Final = 20_000_000  # of a table
MOST_VALUES: Final = 2_000_000_000  # bytes of a table, unpacked, as its own metadata says
NEEDED: Final = (
    "params.yaml", "data/splits.json", "models/lock.json", "reports/metrics.json", "reports/index.html",
    *(f"reports/{name}.json" for name in ("atoms", "benchmark", "given", "leakage", "preregistration")),
    "reports/rerank.json", "reports/retrieve.json",
    *(f"reports/tables/{table.name}.csv" for table in TABLES),
)  # fmt: skip
REMEDY: Final = "Get the bundle anew, or ask who made it."


def check_files(folder: Path) -> None:
    """Raise a StudyError that names the files which are missing, and the JSON files that are no JSON."""
    names = [*NEEDED, *(f"data/{name}.parquet" for name in KEYS)]
    problems = [f"{name}: is missing" for name in names if not (folder / name).is_file()]
    for path in sorted(folder.rglob("*.json")):
        try:
            strict_json(path)
        except (ValueError, RecursionError) as error:
            problems.append(f"{path.relative_to(folder)}: is no JSON ({error})"[:300])
    if problems:
        raise all_problems("The bundle is not whole:", list(map(in_a_line, problems)), remedy=REMEDY)


def strict_json(path: Path) -> Any:
    """A JSON file's value; NaN, infinity and doubled keys are no JSON."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"holds {constant}")

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(items)) < len(items):
            raise ValueError("a key comes twice")
        return dict(items)

    def finite(text: str) -> float:
        value = float(text)
        return value if math.isfinite(value) else refuse(text)

    text = path.read_text(encoding="utf-8")
    return json.loads(text, parse_constant=refuse, parse_float=finite, object_pairs_hook=pairs)


def read_tables(folder: Path, schemas: Mapping[str, pa.Schema]) -> dict[str, pa.Table]:
    """The tables of a bundle by name.

    Raises:
        StudyError: tables do not have their columns, hold empty values, NaN or infinity where none belong, or two rows
            with one key; all are named.
    """
    tables: dict[str, pa.Table] = {}
    problems: list[str] = []
    for name, columns in schemas.items():
        try:
            tables[name] = read_table(folder / DATA / f"{name}.parquet", columns)
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            problems.append(f"data/{name}.parquet: {error or 'needs too much memory'}"[:300])
        else:
            problems += [f"data/{name}.parquet: {fault}" for fault in faults(name, tables[name])]
    if problems:
        told = list(map(in_a_line, problems))
        raise all_problems("Tables of the bundle break their contracts:", told, remedy=REMEDY)
    return tables


def read_table(path: Path, columns: pa.Schema) -> pa.Table:
    """A table, if it has just these columns; its sizes are looked at before its values are read."""
    with pq.ParquetFile(path) as file:
        found, metadata = file.schema_arrow.remove_metadata(), file.metadata
        if found != columns.remove_metadata():
            raise ValueError(f"must have the columns {described(columns)}; has {described(found)}")
        sizes = [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]
        if not (0 <= metadata.num_rows <= MOST_ROWS and min(sizes, default=0) >= 0 and sum(sizes) <= MOST_VALUES):
            raise ValueError(f"says that it has {metadata.num_rows:,} rows and {sum(sizes):,} bytes")
        table = file.read(use_threads=False)
    table.validate(full=True)
    if table.num_rows != metadata.num_rows:
        raise ValueError(f"says that it has {metadata.num_rows:,} rows and has {table.num_rows:,}")
    return pa.table(table.columns, schema=columns)


def described(columns: pa.Schema) -> str:
    return ", ".join(f"{field.name} {field.type}{'' if field.nullable else '!'}" for field in columns)


def faults(name: str, table: pa.Table) -> Iterator[str]:
    for field in table.schema:
        column = table[field.name]
        if not field.nullable and column.null_count:
            yield f"{field.name} has {column.null_count:,} empty values"
        values = column.combine_chunks()
        while pa.types.is_list(values.type):
            values = values.flatten()
        if pa.types.is_floating(values.type) and (count := pc.sum(pc.invert(pc.is_finite(values))).as_py()):
            yield f"{field.name} has {count:,} values that are no finite number"
    keys = list(KEYS[name])
    counts = table.group_by(keys).aggregate([([], "count_all")])
    twice = counts.filter(pc.greater(counts["count_all"], 1))
    for row in twice.slice(0, 20).to_pylist():
        yield f"{', '.join(str(row[key]) for key in keys)}: has {row['count_all']} rows"
