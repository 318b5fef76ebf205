"""Records of a table, kept by column: an object a row would take ten times the memory."""

from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, TypeAlias, overload

import pyarrow as pa

from plancheck.comparison.records import Record, text_of, value_of

Column: TypeAlias = "Sequence[Any] | pa.ChunkedArray"


class Columns(Sequence[Record]):
    """The records of a table, each made when it is asked for.

    Args:
        place: what a record is called: "row".
        columns: by name, all of one length.
        numbers: of the records in the file, from 1.
    """

    def __init__(self, place: str, columns: Mapping[str, Column], numbers: Sequence[int]) -> None:
        self._place = place
        self._columns = columns
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> "Columns": ...
    def __getitem__(self, index: int | slice) -> "Record | Columns":
        if isinstance(index, slice):
            return self.take(range(len(self))[index])
        fields = {
            name: column[index].as_py() if isinstance(column, pa.ChunkedArray) else column[index]
            for name, column in self._columns.items()
        }
        return Record(f"{self._place} {self._numbers[index]}", fields)

    @property
    def names(self) -> list[str]:
        return list(self._columns)

    def take(self, positions: Sequence[int]) -> "Columns":
        """The records at some positions, in that order."""
        columns = {
            name: column.take(pa.array(positions, pa.int64()))
            if isinstance(column, pa.ChunkedArray)
            else [column[position] for position in positions]
            for name, column in self._columns.items()
        }
        return Columns(self._place, columns, [self._numbers[position] for position in positions])

    def values(self, field: str) -> Sequence[Any]:
        """`value_of` each record."""
        if field in self._columns:
            return self._list(field)
        name, *inner = field.split(".")
        values = self._list(name) if name in self._columns else [None] * len(self)
        for part in inner:
            values = [value.get(part) if isinstance(value, Mapping) else None for value in values]
        return values

    def _list(self, name: str) -> Sequence[Any]:
        column = self._columns[name]
        if isinstance(column, pa.ChunkedArray):
            values: list[Any] = column.to_pylist()
            return values
        return column


def values_of(records: Sequence[Record], field: str) -> Sequence[Any]:
    """`value_of` each record."""
    return records.values(field) if isinstance(records, Columns) else [value_of(record, field) for record in records]


def texts_of(records: Sequence[Record], field: str) -> Sequence[str]:
    """`text_of` the value of each record."""
    values = values_of(records, field)
    types = set(map(type, values))
    if types <= {str}:
        return values
    return list(map(text_of, values)) if types - {NoneType} else [""] * len(values)


def at(records: Sequence[Record], positions: Sequence[int]) -> Sequence[Record]:
    """The records at some positions, in that order."""
    return records.take(positions) if isinstance(records, Columns) else [records[position] for position in positions]


def names_of(records: Sequence[Record]) -> list[str]:
    """Every field of any record that has a name, in order of appearance."""
    names = records.names if isinstance(records, Columns) else (name for record in records for name in record.fields)
    return list({name: None for name in names if name.strip()})
