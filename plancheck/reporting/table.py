"""What a table of the report is, declared once: CSV, Markdown, LaTeX and the page all read it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from plancheck.reporting.rounding import Kind


@dataclass(frozen=True, slots=True)
class Column:
    """A value under a heading, with its interval where it has one.

    Args:
        name: of the CSV's column.
        header: for readers, with the unit; a column without one is in the CSV alone.
        kind: what the column holds.
        interval: the CSV's columns of the lower and the upper bound; none for a value without interval.
        printed: whether Markdown and LaTeX have it too, where there is less room than on the page.
    """

    name: str
    header: str = ""
    kind: Kind = "text"
    interval: tuple[str, ...] = ()
    printed: bool = True

    @property
    def sources(self) -> tuple[str, ...]:
        """The CSV's columns that it shows."""
        return (self.name, *self.interval)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of reports/tables.

    Args:
        name: of its files, without suffix.
        title: what it shows, without a full stop.
        notes: sentences that follow the title in print: units, how intervals and tests are made.
        empty: why a study may have no row, to follow a colon.
        columns: in the order of the CSV.
    """

    name: str
    title: str
    notes: str
    empty: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """The CSV's columns, once each."""
        return list(dict.fromkeys(name for column in self.columns for name in column.sources))

    @property
    def words(self) -> list[str]:
        """Those of the CSV's columns that hold text."""
        return [column.name for column in self.columns if column.kind == "text"]

    @property
    def shown(self) -> tuple[Column, ...]:
        """The columns for readers."""
        return tuple(column for column in self.columns if column.header)

    def only(self, names: Iterable[str], title: str) -> "Table":
        """The same file under another title, with those of its columns alone."""
        return replace(self, title=title, columns=tuple(column for column in self.columns if column.name in set(names)))

    def frame(self, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        """The rows as a data frame of the declared columns; what a row lacks is empty, and counts stay whole numbers.

        Raises:
            ValueError: a row has a column that is not declared.
        """
        if undeclared := sorted({name for row in rows for name in row} - set(self.names)):
            raise ValueError(f"table {self.name} declares no column {', '.join(undeclared)}")
        counts = [column.name for column in self.columns if column.kind == "count"]
        return pd.DataFrame(rows, columns=self.names).astype(dict.fromkeys(counts, "Int64"))
