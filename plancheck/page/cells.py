"""Tables of the page: rounded for reading, and the full value behind each number.

Each number is written as ``<data value="...">`` with the CSV's unrounded value as the file writes it, so that the page
can be checked against the file.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from markupsafe import Markup, escape

from plancheck.reporting import rounding
from plancheck.reporting.rounding import Kind
from plancheck.reporting.table import Column, Table

NONE: Final = "–"  # a value that does not exist, such as the interval of nothing


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready to print: escaped cells by row, and the CSV it is of."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Markup, ...], ...]
    note: str = ""


def table_view(declared: Table, rows: pd.DataFrame, *, which: str = "", note: str = "") -> TableView:
    """The rows under the table's headings.

    Args:
        rows: those to show, with the declared columns.
        which: what is said of them after the title.
        note: what the file holds beyond them.
    """
    cells = tuple(tuple(cell(column, row) for column in declared.shown) for row in rows.to_dict("records"))
    return TableView(f"{declared.name}.csv", f"{declared.title}{which}.", declared.shown, cells, note)


def cell(column: Column, row: Mapping[Any, Any]) -> Markup:
    value, *bounds = (number(row[name], column.kind) for name in column.sources)
    return value if NONE in bounds or not bounds else Markup("{} [{}, {}]").format(value, *bounds)


def number(value: Any, kind: Kind) -> Markup:
    """``value`` rounded for reading with the whole of it behind: 1800 and 1800.0 as the CSV has it; else a dash."""
    if pd.isna(value) or value == "":
        return Markup(NONE)
    if kind == "text":
        return escape(value)
    return Markup('<data value="{}">{}</data>').format(str(value), FORMATS[kind](value))


def typeset(form: Callable[[float], str]) -> Callable[[float], str]:
    """The form with a true minus."""
    return lambda value: form(value).replace("-", "−")


FORMATS: Final[Mapping[Kind, Callable[[float], str]]] = {kind: typeset(form) for kind, form in rounding.FORMATS.items()}


def percentage(share: float) -> str:
    """As in "36.2 %", with a space that does not break."""
    return f"{rounding.percent(share)}\N{NO-BREAK SPACE}%"


def counted(count: int, noun: str) -> str:
    """As in "1 tier", "2 tiers"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(items: Sequence[str]) -> str:
    """As in "a", "a and b", "a, b and c"; at least one."""
    return ", ".join(items[:-1]) + " and " + items[-1] if len(items) > 1 else items[0]
