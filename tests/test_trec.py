"""TREC runs: exact round trips, the order of hits, and every bad line told."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.plumbing.errors import StudyError
from plancheck.trec import Hit, best_first, escaped, qrels_line, ranked, read_run, run_line, unescaped


@pytest.fixture
def run_file(tmp_path):
    def write(content):
        path = tmp_path / "run.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_run_reads_as_its_lines_say(run_file):
    path = run_file("q2 Q0 b 1 0.5 mine\nq1\t0\ta\t0\t-2e-3\tmine\r\n\nq2 Q0 a -1 7 mine\n")
    assert read_run(path) == {"q2": [Hit("b", 1, 0.5), Hit("a", -1, 7.0)], "q1": [Hit("a", 0, -0.002)]}


def test_lines_are_as_other_programs_write_them():
    assert run_line("q1", Hit("a-00003", 2, 0.25), tag="bm25") == "q1 Q0 a-00003 2 0.25 bm25"
    assert qrels_line("my question", "a", relevance=1) == "my%20question 0 a 1"


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("plain-1.5_é漢", "plain-1.5_é漢"),
        ("two words", "two%20words"),
        ("50%", "50%25"),
        ("a\tb\n", "a%09b%0A"),
        ("\ufeffa\xa0", "%EF%BB%BFa%C2%A0"),
        ("", "%"),
        ("%", "%25"),
    ],
)
def test_an_id_is_escaped_as_documented(name, field):
    assert (escaped(name), unescaped(field)) == (field, name)


@given(st.text())
def test_an_escaped_id_is_one_field_and_reads_back(name):
    field = escaped(name)
    assert field.split() == [field] and field.isprintable()
    assert unescaped(field) == name


@given(st.text(min_size=1))
def test_an_id_that_pythons_quote_escaped_reads_back(name):
    assert unescaped(quote(name, safe="", errors="surrogatepass")) == name


@pytest.mark.parametrize("name", ["50%", "%zz", "a%4", "%%"])
def test_a_percent_sign_before_no_two_digits_stands_for_itself(name):
    assert unescaped(name) == name


names = st.text(st.characters(exclude_categories=()), max_size=5)
hits = st.builds(Hit, names, st.integers(), st.floats(allow_nan=False, allow_infinity=False))
runs = st.dictionaries(names, st.lists(hits, min_size=1, unique_by=lambda hit: hit.docid), min_size=1)


@given(runs)
def test_a_run_that_was_written_reads_back(tmp_path_factory, run):
    path = tmp_path_factory.mktemp("run") / "run"
    lines = [run_line(query, hit, tag="my tag") for query, own in run.items() for hit in own]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert read_run(path) == run


def test_hits_are_ordered_by_score_then_rank_then_position():
    found = [Hit("d", 1, 0.5), Hit("c", 2, 0.5), Hit("b", 2, 0.5), Hit("a", 9, 0.75)]
    position = {"a": 3, "b": 0, "c": 1, "d": 2}
    assert [hit.docid for hit in best_first(found, position)] == ["a", "d", "b", "c"]
    assert best_first([], {}) == []


@given(st.permutations("abcdef"))
def test_a_ranking_is_ordered_as_it_is_written_by_score_alone(docids):
    found = ranked(docids)
    assert [hit.rank for hit in found] == list(range(1, 7))
    assert [hit.docid for hit in sorted(found, key=lambda hit: -hit.score)] == docids


GOOD = "q1 Q0 a 1 0.5 mine\n"
BAD_LINES = {
    "a field too few": ("q1 Q0 b 1 0.5\n", "5 fields where there are 6: 'q1 Q0 b 1 0.5'"),
    "an ID with a blank": ("q1 Q0 my doc 1 0.5 mine\n", "7 fields where there are 6"),
    "a header": ("query Q0 document rank score tag\n", "rank 'rank' is no whole number"),
    "a rank with decimals": ("q1 Q0 b 1.0 0.5 mine\n", "rank '1.0' is no whole number"),
    "a rank with an underscore": ("q1 Q0 b 1_0 0.5 mine\n", "rank '1_0' is no whole number"),
    "a score that is not a number": ("q1 Q0 b 1 NaN mine\n", "score 'NaN' is no finite number"),
    "an infinite score": ("q1 Q0 b 1 -inf mine\n", "score '-inf' is no finite number"),
    "a score too great": ("q1 Q0 b 1 1e999 mine\n", "score '1e999' is no finite number"),
    "a score in words": ("q1 Q0 b 1 high mine\n", "score 'high' is no finite number"),
    "a document twice": ("q1 Q0 a 2 0.4 mine\n", "document 'a' of query 'q1' comes again"),
    "a document twice in two spellings": ("q1 Q0 %61 2 0.4 mine\n", "document 'a' of query 'q1' comes again"),
    "another encoding": ("q1 Q0 caf\xe9 1 0.5 mine\n".encode("latin-1"), r"ID 'caf\\xe9' is not UTF-8"),
    "an escape of another encoding": ("q1 Q0 caf%E9 1 0.5 mine\n", "ID 'caf%E9' is not UTF-8"),
    "a line that was cut off": ("q1 Q0 b 1 0.", "5 fields"),
    "no lines but one without end": ("x" * 1000, "1 fields"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_named_with_its_rule_and_the_remedy(case, run_file):
    line, expected = BAD_LINES[case]
    path = run_file(GOOD.encode() + (line if isinstance(line, bytes) else line.encode()))
    with pytest.raises(StudyError) as caught:
        read_run(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: 1 line(s) of this run break a rule:\n  - line 2: ")
    assert expected in message and "query Q0 document rank score tag" in message
    assert len(message) < 500 + len(str(path))


def test_all_bad_lines_are_counted_and_the_first_twenty_named(run_file):
    with pytest.raises(StudyError) as caught:
        read_run(run_file(GOOD + "bad\n" * 1500 + GOOD))
    message = str(caught.value)
    assert "1,501 line(s)" in message and "... and 1481 more (1501 in all)" in message
    assert "line 2: " in message and "line 21: " in message and "line 22: " not in message


BAD_FILES = {
    "an empty file": (b"", "holds no line"),
    "blank lines alone": (b"\n \n", "holds no line"),
    "UTF-16": (GOOD.encode("utf-16"), "is UTF-16, not text in UTF-8. Save it as plain text"),
    "gzip": (b"\x1f\x8b\x08\x00", "is packed with gzip"),
    "Parquet": (b"PAR1....", "is Parquet"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_file_that_is_no_run_is_refused(case, run_file):
    content, expected = BAD_FILES[case]
    with pytest.raises(StudyError, match=expected):
        read_run(run_file(content))


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(StudyError, match=r"gone: cannot be read \(No such file"):
        read_run(tmp_path / "gone")
    with pytest.raises(StudyError, match=r"cannot be read \(Is a directory"):
        read_run(tmp_path)


def test_a_mark_of_byte_order_is_no_part_of_the_first_query(run_file):
    assert list(read_run(run_file(b"\xef\xbb\xbf" + GOOD.encode()))) == ["q1"]
