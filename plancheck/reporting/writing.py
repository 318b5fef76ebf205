"""A table as CSV (every column, full precision), Markdown and LaTeX (what people read, rounded)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import pandas as pd

from plancheck.plumbing.files import replacing
from plancheck.reporting.results import records
from plancheck.reporting.wording import count, number, p_text, points, signed_points

Row = Mapping[str, Any]
LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column as people read it: header, text of a row's cell, and the side it is set on."""

    header: str
    cell: Callable[[Row], str]
    side: Literal["l", "r"] = "r"


@dataclass(frozen=True, slots=True)
class View:
    """What Markdown and LaTeX show of a table."""

    caption: str
    columns: Sequence[Column]


def text(header: str, name: str) -> Column:
    """A word as it is."""
    return Column(header, lambda row: "" if pd.isna(row[name]) else str(row[name]), side="l")


def whole(header: str, name: str) -> Column:
    """A count."""
    return Column(header, lambda row: count(row[name]))


def decimal(header: str, name: str, decimals: int) -> Column:
    return Column(header, lambda row: number(row[name], decimals))


def percent(header: str, name: str) -> Column:
    """A share, in percent with one decimal."""
    return Column(header, lambda row: "" if pd.isna(row[name]) else points(row[name]))


def interval(header: str, value: str, low: str, high: str, *, signed: bool = False) -> Column:
    """A share, or a signed difference of shares, with its bounds in brackets where there are any."""
    shown = signed_points if signed else points

    def cell(row: Row) -> str:
        if pd.isna(row[value]):
            return ""
        if pd.isna(row[low]):
            return shown(row[value])
        return f"{shown(row[value])} [{shown(row[low])}, {shown(row[high])}]"

    return Column(header, cell)


def p_value(header: str, name: str) -> Column:
    return Column(header, lambda row: p_text(row[name]))


def write_table_files(folder: Path, name: str, table: pd.DataFrame, view: View) -> None:
    """Write NAME.csv, NAME.md and NAME.tex in ``folder``."""
    write_csv(folder / f"{name}.csv", table)
    rows = [[column.cell(row) for column in view.columns] for row in records(table)]
    for suffix, content in (("md", markdown(view, rows)), ("tex", latex(name, view, rows))):
        with replacing(folder / f"{name}.{suffix}") as temporary:
            temporary.write_text(content, encoding="utf-8")


def write_csv(path: Path, table: pd.DataFrame) -> None:
    with replacing(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")


def markdown(view: View, rows: Sequence[Sequence[str]]) -> str:
    """A pipe table under its caption."""
    sides = ["---:" if column.side == "r" else "---" for column in view.columns]
    lines = [[column.header for column in view.columns], sides, *rows]
    return f"{view.caption}\n\n" + "".join(f"| {' | '.join(map(pipe_safe, line))} |\n" for line in lines)


def pipe_safe(cell: str) -> str:
    return cell.replace("|", r"\|").replace("\n", " ")


def latex(name: str, view: View, rows: Sequence[Sequence[str]]) -> str:
    r"""A longtable with booktabs rules, caption and label ``tab:NAME``; it wants \usepackage{booktabs,longtable}."""
    columns = "".join(column.side for column in view.columns)
    header = latex_row([column.header for column in view.columns])
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{latex_safe(view.caption)}}}\label{{tab:{name}}}\\",
            r"\toprule",
            header,
            r"\midrule",
            r"\endfirsthead",
            r"\toprule",
            header,
            r"\midrule",
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *map(latex_row, rows),
            r"\end{longtable}",
            "",
        ]
    )


def latex_row(cells: Sequence[str]) -> str:
    # A row that begins with a bracket would be read as an option of the row before it.
    return " & ".join(f"{{{cell}}}" if cell.startswith("[") else cell for cell in map(latex_safe, cells)) + r" \\"


def latex_safe(value: str) -> str:
    return value.translate(LATEX)
