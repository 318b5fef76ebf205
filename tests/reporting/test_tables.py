"""Every table is declared once, and what is declared is what is written and shown."""

from pathlib import Path

import pandas as pd
import pytest

from plancheck.reporting.table import Column, Table
from plancheck.reporting.tables import TABLES, by_declaration

README = (Path(__file__).parents[2] / "reports" / "README.md").read_text(encoding="utf-8")
SMALL = Table(
    "small", "Small", "", "", (Column("n", "n", "count"), Column("d", "d", "points", interval=("low", "high")))
)


def test_a_table_that_is_made_and_not_declared_fails_and_the_other_way_round():
    made = {table.name: table.frame([]) for table in TABLES}
    assert [table.name for table, _ in by_declaration(made)] == list(made)
    with pytest.raises(ValueError, match="not both: mine"):
        by_declaration(made | {"mine": pd.DataFrame()})
    with pytest.raises(ValueError, match="not both: ladder"):
        by_declaration({name: rows for name, rows in made.items() if name != "ladder"})


def test_no_two_tables_share_a_file_and_reports_readme_names_them_in_this_order():
    names = [table.name for table in TABLES]
    assert len(set(names)) == len(names)
    places = [README.index(f"| `{name}` |") for name in names]
    assert places == sorted(places)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_declaration_is_whole(table):
    headers = [column.header for column in table.shown]
    assert headers and len(set(headers)) == len(headers)
    assert table.notes.endswith(".") and not table.title.endswith(".") and table.empty
    assert all(len(column.interval) in (0, 2) for column in table.columns)
    assert not any(column.interval for column in table.columns if column.kind == "text")
    assert any(column.printed for column in table.shown)


def test_rows_have_just_the_declared_columns_and_counts_stay_whole():
    rows = SMALL.frame([{"n": 3}, {"d": 0.5, "low": 0.1, "high": 0.9}])
    assert list(rows.columns) == SMALL.names == ["n", "d", "low", "high"]
    assert str(rows["n"].iloc[0]) == "3" and pd.isna(rows["n"].iloc[1])
    with pytest.raises(ValueError, match="table small declares no column more, other"):
        SMALL.frame([{"n": 3, "other": 1, "more": 1}])


def test_a_column_shown_again_with_other_bounds_is_written_once():
    again = Table("t", "T", "", "", (*SMALL.columns, Column("d", "By question", "points", interval=("a", "b"))))
    assert again.names == ["n", "d", "low", "high", "a", "b"]


def test_a_part_of_a_table_is_of_the_same_file():
    part = SMALL.only(["d"], "Differences")
    assert (part.name, part.title, part.names) == ("small", "Differences", ["d", "low", "high"])
