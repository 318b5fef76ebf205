"""The data dictionary of a release: each file, each column, its type and meaning, from where the code declares them."""

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Final

import pyarrow as pa

from plancheck.release.tables import KEYS
from plancheck.reporting.rounding import Kind
from plancheck.reporting.tables import TABLES

HEADER: Final = ("file", "column", "type", "nullable", "key", "meaning")
UNITS: Final[Mapping[Kind, str]] = {
    "text": "text",
    "count": "whole number",
    "percent": "share, 0 to 1",
    "points": "difference of shares, -1 to 1",
    "p": "probability, 0 to 1",
    "number": "number",
}
FILES: Final[Mapping[str, str]] = {
    "CITATION.cff": "how to cite the release",
    "LICENSES.md": "whose licence holds for what",
    "README.md": "what the release holds, how to check it, what it cannot reproduce",
    "SHA256SUMS": "SHA-256 of every other file",
    "croissant.json": "the tables as Croissant metadata (JSON-LD)",
    "data/splits.json": "question IDs of train, dev and test; seed, source and unit of the split",
    "dictionary.csv": "this table",
    "dvc.lock": "digests of every stage's inputs and outputs, stage release left out",
    "environment.json": "what the release was made with; the only file that differs between machines",
    "models/lock.json": "name, immutable revision and file digests of each model",
    "params.yaml": "every parameter of the study; folders outside the project are cut to their last part",
    "run.lock.json": "what the run was held to",
    "reports/index.html": "the page that shows the study",
    "reports/metrics.json": "what runs are compared by",
}


def dictionary(files: Mapping[str, None], schemas: Mapping[str, pa.Schema]) -> str:
    """A CSV, a row for each column of each table, and one for each other file.

    Args:
        files: every file of the release, by path.
        schemas: the columns of the released tables of data/, by name.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for file in sorted(files):
        writer.writerows(rows_of(file, schemas))
    return text.getvalue()


def rows_of(file: str, schemas: Mapping[str, pa.Schema]) -> Iterator[tuple[str, ...]]:
    folder, _, base = file.rpartition("/")
    name, _, suffix = base.partition(".")
    if folder == "data" and suffix == "parquet":
        for field in schemas[name]:
            key = "yes" if field.name in KEYS[name] else "no"
            nullable = "yes" if field.nullable else "no"
            yield file, field.name, str(field.type), nullable, key, field.metadata[b"meaning"].decode("utf-8")
    elif folder == "reports/tables":
        table = next(table for table in TABLES if table.name == name)
        kinds = {source: column.kind for column in table.columns for source in column.sources}
        headers = {column.name: column.header for column in table.columns}
        for column in table.names:
            meaning = headers.get(column) or "see reports/README.md of plancheck"
            yield file, column, UNITS[kinds[column]], "yes", "no", meaning
    else:
        yield file, "", "", "", "", FILES.get(file, "what the stage or gate of this name reports")
