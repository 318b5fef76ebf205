"""Tables read back from their CSVs: words stay words, numbers exact, and damage is named."""

import io

import pandas as pd
import pytest
from rich.console import Console

from plancheck.plumbing.errors import StudyError
from plancheck.reporting import ladder, main_table, selection_table
from plancheck.reporting.reading import read_report
from plancheck.reporting.table import Column, Table
from plancheck.reporting.tables import TABLES

TABLE = Table("t", "T", "", "", (Column("policy", "Policy"), Column("p", "p", "p")))
NAMES = [["nan", "null"], ["1", "2"], ["true", "false"], ["1e3", "inf"], ["none", "na"]]


def test_whole_numbers_with_gaps_stay_whole_and_fractions_are_exact(tmp_path):
    (tmp_path / "t.csv").write_text("name,some,none,share,mixed\nnull,975,,1.0,0.1\nb,,,0.0,0.30000000000000004\n")
    table = read_report(tmp_path / "t.csv", Table("t", "T", "", "", (Column("name"),)))
    assert table["some"].tolist()[0] == 975 and str(table["some"].tolist()[0]) == "975"
    assert table["some"].isna().tolist() == [False, True] and table["none"].isna().all()
    assert [str(value) for value in table["share"].tolist()] == ["1.0", "0.0"]
    assert [str(value) for value in table["mixed"].tolist()] == ["0.1", "0.30000000000000004"]
    assert table["name"].tolist() == ["null", "b"]


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_words_are_read_as_words(table, names, tmp_path):
    written = pd.DataFrame({name: names if name in table.words else [0.5, None] for name in table.names})
    written.to_csv(tmp_path / "t.csv", index=False)
    found = read_report(tmp_path / "t.csv", table)
    assert all(found[name].tolist() == names for name in table.words)


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize(
    ("module", "table", "column"),
    [
        (main_table, main_table.MAIN, "policy"),
        (selection_table, selection_table.SELECTION, "selector"),
        (ladder, ladder.LADDER, "planner"),
    ],
)
def test_the_console_shows_names_that_csv_reads_as_something_else(module, table, column, names, tmp_path):
    rows = [
        dict.fromkeys(table.names, 1)
        | {column: name, "split": split, "tier": "direct", "control": name, "pick": "declared",
           "verdict": "cannot_tell", "sentence": "none", "budget_chars": 600}
        for name in names
        for split in ("all", "test")
    ]  # fmt: skip
    pd.DataFrame(rows)[table.names].to_csv(tmp_path / "t.csv", index=False)
    console = Console(file=io.StringIO(), width=120)
    module.show(tmp_path / "t.csv", console=console)
    assert all(name in console.file.getvalue().split() for name in names)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "no such file"),
        (b"", "not readable as CSV"),
        (b"\xff\xfe,\n", "not readable as CSV"),
        (b"policy,p\na,1,2,3\nb,1\n", "rows of unequal length"),
        (b"policy,p\na,1\nb\n", "rows of unequal length"),
        (b"policy\na\n", "lacks the column\\(s\\) p"),
        (b"policy,p\na,0.5\nb,0.", "is cut short"),
        (b"policy,p\na,half\n", "holds words where numbers belong, in p"),
    ],
)
def test_damage_is_named_with_its_remedy(content, expected, tmp_path):
    path = tmp_path / "t.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(StudyError, match=rf"t.csv: .*({expected})") as caught:
        read_report(path, TABLE)
    assert "Run `dvc repro -f analyze`." in str(caught.value)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_without_rows_is_read(table, tmp_path):
    table.frame([]).to_csv(tmp_path / "t.csv", index=False)
    assert read_report(tmp_path / "t.csv", table).empty
