"""A table as CSV (every column, full precision), Markdown and LaTeX (what people read, rounded)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from plancheck.plumbing.files import replacing
from plancheck.reporting.results import records
from plancheck.reporting.rounding import rounded
from plancheck.reporting.table import Column, Table

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


def write_table(folder: Path, table: Table, rows: pd.DataFrame) -> None:
    """Write NAME.csv, NAME.md and NAME.tex in ``folder``.

    Raises:
        ValueError: the rows have other columns than the table declares, or the same ones in another order.
    """
    if list(rows.columns) != table.names:
        raise ValueError(f"table {table.name} declares the columns {table.names}, got {list(rows.columns)}")
    columns = [column for column in table.shown if column.printed]
    cells = [[cell(column, row) for column in columns] for row in records(rows)]
    forms = {
        "csv": rows.to_csv(index=False, lineterminator="\n"),
        "md": markdown(table, columns, cells),
        "tex": latex(table, columns, cells),
    }
    for suffix, content in forms.items():
        with replacing(folder / f"{table.name}.{suffix}") as temporary:
            temporary.write_text(content, encoding="utf-8", newline="\n")


def cell(column: Column, row: Mapping[str, Any]) -> str:
    """The value rounded, with its bounds in brackets where it has both; "" for none."""
    value, *bounds = (rounded(row[name], column.kind) for name in column.sources)
    return f"{value} [{', '.join(bounds)}]" if any(bounds) else value


def markdown(table: Table, columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> str:
    """A pipe table under its caption."""
    sides = ["---" if column.kind == "text" else "---:" for column in columns]
    lines = [[column.header for column in columns], sides, *cells]
    return f"{caption(table)}\n\n" + "".join(f"| {' | '.join(map(pipe_safe, line))} |\n" for line in lines)


def caption(table: Table) -> str:
    return f"{table.title}. {table.notes}"


def pipe_safe(cell: str) -> str:
    return cell.replace("|", r"\|").replace("\n", " ")


def latex(table: Table, columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> str:
    r"""A longtable with booktabs rules, caption and label ``tab:NAME``; it wants \usepackage{booktabs,longtable}."""
    sides = "".join("l" if column.kind == "text" else "r" for column in columns)
    header = latex_row([column.header for column in columns])
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{sides}}}",
            rf"\caption{{{latex_safe(caption(table))}}}\label{{tab:{table.name}}}\\",
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
            *map(latex_row, cells),
            r"\end{longtable}",
            "",
        ]
    )


def latex_row(cells: Sequence[str]) -> str:
    # A row that begins with a bracket would be read as an option of the row before it.
    return " & ".join(f"{{{cell}}}" if cell.startswith("[") else cell for cell in map(latex_safe, cells)) + r" \\"


def latex_safe(value: str) -> str:
    return value.translate(LATEX)
