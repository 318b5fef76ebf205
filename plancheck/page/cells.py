"""Tables of the page: which columns of a CSV are shown, how they are rounded, and the full value behind each number.

Shares are shown in %, differences of shares in points, both with one decimal. Each number is written as
``<data value="...">`` with the CSV's unrounded value as the file writes it, so that the page can be checked against
the file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pandas as pd
from markupsafe import Markup, escape

Kind = Literal["text", "count", "percent", "points", "size", "p", "number"]
NONE: Final = "–"  # a value that does not exist, such as the interval of nothing


@dataclass(frozen=True, slots=True)
class Column:
    """A shown column: ``value`` and, where given, its interval ``[low, high]``, all three names of CSV columns."""

    header: str
    value: str
    kind: Kind = "text"
    low: str | None = None
    high: str | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(name for name in (self.value, self.low, self.high) if name)


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready to print: escaped cells by row, and the CSV it is of."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Markup, ...], ...]
    note: str = ""


FORMATS: Final[Mapping[Kind, Callable[[float], str]]] = {
    "count": lambda value: f"{value:,.0f}",
    "percent": lambda value: f"{100 * value:.1f}",
    "points": lambda value: signed(100 * value),
    "size": lambda value: f"{100 * value:.1f}",
    "p": lambda value: f"{value:.3f}" if value >= 0.001 else f"{value:.1e}",
    "number": lambda value: f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}",
}


def table_view(name: str, table: pd.DataFrame, columns: Sequence[Column], *, caption: str, note: str = "") -> TableView:
    """The rows of ``table`` with those of ``columns`` that it has.

    Args:
        name: of the CSV file, such as "ladder.csv".
        note: what the file holds beyond the rows shown.
    """
    kept = tuple(column for column in columns if set(column.sources) <= set(table.columns))
    rows = tuple(tuple(cell(column, row) for column in kept) for row in table.to_dict("records"))
    return TableView(name, caption, kept, rows, note)


def cell(column: Column, row: Mapping[Any, Any]) -> Markup:
    shown = number(row[column.value], column.kind)
    if column.low is None or column.high is None or pd.isna(row[column.low]):
        return shown
    return Markup("{} [{}, {}]").format(
        shown, number(row[column.low], column.kind), number(row[column.high], column.kind)
    )


def number(value: Any, kind: Kind) -> Markup:
    """``value`` rounded for reading with the whole of it behind: 1800 and 1800.0 as the CSV has it; else a dash."""
    if pd.isna(value) or value == "":
        return Markup(NONE)
    if kind == "text":
        return escape(f"{value:,}" if isinstance(value, int) else value)
    return Markup('<data value="{}">{}</data>').format(str(value), FORMATS[kind](float(value)))


def percentage(share: float) -> str:
    """As in "36.2 %", with a space that does not break."""
    return f"{FORMATS['percent'](share)}\N{NO-BREAK SPACE}%"


def signed(value: float) -> str:
    """One decimal with its sign; what rounds to nothing has none."""
    return "0.0" if round(value, 1) == 0 else f"{value:+.1f}".replace("-", "−")


def counted(count: int, noun: str) -> str:
    """As in "1 tier", "2 tiers"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """As in "a", "a and b", "a, b and c"; at least one."""
    return ", ".join(items[:-1]) + " and " + items[-1] if len(items) > 1 else items[0]
