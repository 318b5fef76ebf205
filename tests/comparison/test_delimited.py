"""Tables of text: which delimiter they have, and numbers with decimal commas."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.comparison.delimited import delimited
from plancheck.plumbing.errors import StudyError

PATH = Path("table")


@pytest.mark.parametrize(
    ("text", "delimiter", "names"),
    [
        ("id;f1\n1;0,5\n2;0,25\n", ";", ("id", "f1")),
        ("id;f1, macro\n1;0,5\n", ";", ("id", "f1, macro")),
        ('id,"score; in percent"\n1,2\n', ",", ("id", "score; in percent")),
        ('"id";"correct"\r\n"a;b";"1"\r\n', ";", ("id", "correct")),
        ("id\tscore; raw\tnote\n1\t2\t3\n", "\t", ("id", "score; raw", "note")),
        ("a;b,c,d\n1,2,3\n", ",", ("a;b", "c", "d")),
        ("sep=;\r\nid;correct\r\n1;0\r\n", ";", ("id", "correct")),
        ("sep=,\nid,correct;raw\n1,0\n", ",", ("id", "correct;raw")),
        ("id;correct\n\n1;0\n\n", ";", ("id", "correct")),
    ],
)
def test_the_delimiter_is_the_one_that_every_row_fits(text, delimiter, names):
    table = delimited(PATH, text)
    assert (table.delimiter, table.names) == (delimiter, names)
    assert all(len(column) == table.rows for column in table.columns) and table.rows


VALUES = st.text(st.characters(exclude_characters='",\r\n\0', exclude_categories=["Cs"]), max_size=6)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_text_without_quotes_is_read_as_by_the_csv_module(rows, line_end, ends):
    lines = [("id", "score"), *rows]
    text = line_end.join(",".join(line) for line in lines) + line_end * ends
    expected = [tuple(line) for line in csv.reader(io.StringIO(text, newline="")) if line]
    table = delimited(PATH, text)
    found = zip(*([str(value) for value in column] for column in table.columns), strict=True)
    assert (table.names, [*found]) == (expected[0], expected[1:])


@pytest.mark.parametrize("text", ["Results follow.\n", "id\n1\n", "\n"])
def test_a_text_without_columns_is_no_table(text):
    assert delimited(PATH, text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a;b;c\n1;2\n1;2;3;4\n", ["row 1: not 3 values", "row 2: not 3 values"]),
        ("sep=;\na;b\n1,2\n", ["row 1: not 2 values"]),
        ('a;b\n1;"2\n', ["not valid CSV", "unexpected end of data"]),
    ],
)
def test_rows_that_do_not_fit_are_named(text, words):
    with pytest.raises(StudyError) as told:
        delimited(PATH, text)
    assert all(word in str(told.value) for word in words)


CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5)


@given(st.sampled_from("\t;,"), st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=2, max_size=5))
def test_what_a_spreadsheet_writes_is_read_back(delimiter, rows):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    table = delimited(PATH, out.getvalue())
    assert (table.names, *zip(*table.columns, strict=True)) == tuple(rows)


def spreadsheet(path, scores, encoding="utf-8-sig"):
    rows = ["Question ID;F1", *(f"q{number};{score}" for number, score in enumerate(scores))]
    path.write_bytes("\r\n".join(rows).encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_decimal_commas_are_numbers_where_they_delimit_nothing(figures, tmp_path, encoding):
    a = spreadsheet(tmp_path / "a.csv", ["0,5", "1", ",25", "-0,25"], encoding)
    b = spreadsheet(tmp_path / "b.csv", ["0,5", "0,5", "0", "0"])
    found = figures(a, b)
    assert (found["a"]["id"], found["a"]["score"]) == ("Question ID", "F1")
    assert found["treatment"]["mean"] == 0.375 and found["control"]["mean"] == 0.25
    assert found["outcomes"] == {"wins": 2, "losses": 1, "ties": 1}


@pytest.mark.parametrize(
    ("scores", "words"),
    [(["0,5", "0.5"], ["a comma and with a point"]), (["1.234,5", "1"], ["row 1: F1 must be a finite number"])],
)
def test_a_decimal_mark_that_is_not_clear_is_refused(compare, tmp_path, scores, words):
    path = spreadsheet(tmp_path / "a.csv", scores)
    status, _, err = compare(path, path)
    assert status == 1 and all(word in err for word in words)


def test_a_comma_in_a_table_of_commas_is_no_decimal_mark(compare, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id,score\nx,"1,000"\ny,1\n')
    status, _, err = compare(path, path)
    assert status == 1 and "row 1: score must be a finite number" in err


@pytest.mark.parametrize("words", [("WAHR", "FALSCH"), ("VRAI", "FAUX"), ("ИСТИНА", "ЛОЖЬ"), ("TRUE", "FALSE")])
def test_true_and_false_of_a_spreadsheet(figures, tmp_path, words):
    path = tmp_path / "a.csv"
    path.write_text("id;correct\na;{}\nb;{}\n".format(*words))
    assert figures(path, path)["treatment"]["correct"] == 1
