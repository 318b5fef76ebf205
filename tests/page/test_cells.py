"""Numbers of the page: rounded for reading, with the CSV's value behind."""

import pandas as pd
import pytest

from plancheck.page.cells import number, table_view
from plancheck.reporting.table import Column, Table


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (182 / 503, "percent", '<data value="0.36182902584493043">36.2</data>'),
        (-0.0526, "points", '<data value="-0.0526">−5.3</data>'),
        (0.0179, "points", '<data value="0.0179">+1.8</data>'),
        (-0.0001, "points", '<data value="-0.0001">0.0</data>'),
        (0.215, "p", '<data value="0.215">0.215</data>'),
        (0.00021, "p", '<data value="0.00021">&lt;0.001</data>'),
        (8800, "count", '<data value="8800">8,800</data>'),
        (8800.0, "count", '<data value="8800.0">8,800</data>'),
        (1304.65, "number", '<data value="1304.65">1,305</data>'),
        (0.05, "percent", '<data value="0.05">5.0</data>'),
        (0.41234, "number", '<data value="0.41234">0.412</data>'),
        (float("nan"), "percent", "–"),
        (None, "p", "–"),
        ("<b>", "text", "&lt;b&gt;"),
    ],
)
def test_a_number_is_rounded_last_and_keeps_its_value(value, kind, shown):
    assert str(number(value, kind)) == shown


def test_a_table_shows_the_columns_with_a_heading_and_no_interval_where_there_is_none():
    rows = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "d": [0.1, 0.2], "low": [0.05, None], "high": [0.15, None]})
    columns = (Column("a", "A"), Column("b", kind="count"), Column("d", "D", "points", interval=("low", "high")))

    view = table_view(Table("t", "T", "", "", columns), rows, which=" at night")

    assert (view.name, view.caption) == ("t.csv", "T at night.")
    assert [column.header for column in view.columns] == ["A", "D"]
    assert "[" in view.rows[0][1]
    assert "[" not in view.rows[1][1]
