"""Documents of a context: found where texts say that one opens, and nowhere else."""

import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from plancheck.documents import documents
from plancheck.records import Span

ROOT = Path(__file__).parents[1]
DEFAULTS = yaml.safe_load((ROOT / "params.yaml").read_text())["atoms"]["multi_document"]["separators"]
TITLED = ("=== .+ ===$", "# [A-Z]")
WORDS = "A keeper lit the lamp at dusk. "


def parts(text, separators=DEFAULTS, section_chars=2000):
    return [text[span.start : span.end] for span in documents(text, separators, section_chars=section_chars)]


def case(cases, name):
    return [record["context"] for record in json.loads((cases / f"{name}.json").read_text())]


def test_a_separator_belongs_to_the_document_it_opens():
    text = "intro\n=== One ===\nfirst\n=== Two ===\nsecond"
    assert parts(text, TITLED) == ["intro\n", "=== One ===\nfirst\n", "=== Two ===\nsecond"]


def test_blank_text_before_the_first_separator_joins_the_first_document():
    assert documents("\n \n=== One ===\nx", TITLED, section_chars=9) == (Span(0, 16),)


def test_a_separator_inside_a_line_opens_nothing():
    assert len(parts("see === One ===\nand # Title", TITLED)) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crlf_between_documents", 6),
        ("indented_document_headings", 6),
        ("form_feeds_between_documents", 4),
        ("headings_within_one_document", 1),
    ],
)
def test_documents_of_the_cases(cases, name, expected):
    assert {len(parts(text)) for text in case(cases, name)} == {expected}


@pytest.mark.parametrize(
    "separators",
    [
        [r"(?i)DOCUMENT \d+"],
        [r"(?P<n>\d+)x", r"(?P<n>Document) \d"],
        ["(x)y", r"D(o)cument \d+(:|\1)"],
        [r"\s*Document \d+"],
        [r"^Document \d+:$"],
        [r"Document \d+:\n"],
        [r"Document \d+:\s*\Z|never"],
    ],
)
def test_own_separators_are_read_each_alone_whatever_their_flags_and_groups(cases, separators):
    assert {len(parts(text, separators)) for text in case(cases, "documents_for_own_separators")} == {6}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\f", "\n\n", "\r\n\r\n"])
@pytest.mark.parametrize("blanks", ["", "  ", "\t", "\u3000", "\xa0 "])
def test_any_line_end_and_any_blanks_stand_before_a_separator(end, blanks):
    within = "\n" if end == "\f" else end
    text = end.join(f"{blanks}=== Text {number} ==={within}{WORDS}" for number in range(4))
    found = parts(text)
    assert [part.split("===")[1] for part in found] == [f" Text {number} " for number in range(4)]
    assert "".join(found) == text


def test_a_mark_of_byte_order_hides_no_separator():
    assert len(parts(f"{WORDS}\n\ufeffDocument 2:\n{WORDS}")) == 2


def test_a_numbered_head_of_pages_opens_no_document_but_marks_without_number_and_repeated_twice_do():
    pages = "".join(f"Paper 352\nPage {page}\n{WORDS}" for page in range(10))
    assert len(parts(pages)) == 1
    assert len(parts(f"<doc>\n{WORDS}</doc>\n" * 5)) == 5
    assert len(parts(f"Paper 1\nPaper 2\n{WORDS}\nPaper 1\n{WORDS}\nPaper 2\n{WORDS}")) == 4


def test_passages_of_one_line_are_found_however_long_it_is():
    assert len(parts("\n".join(f"[Document {number}] {WORDS * 500}" for number in range(3)))) == 3


def test_form_feeds_part_documents_once_and_blank_ones_join_a_neighbour():
    assert parts("one\ftwo\f") == ["one\f", "two\f"]
    assert parts("one\n\f\fDocument 2:\ntwo") == ["one\n\f\f", "Document 2:\ntwo"]
    assert parts("one\f\n\nDocument 2:\ntwo") == ["one\f", "\n\nDocument 2:\ntwo"]


def test_form_feeds_among_blanks_are_signs_of_formulas():
    bars = "\n".join("\f\f\f\f") + "\n"
    assert len(parts(f"{WORDS}{bars}|w0|{bars}{WORDS}")) == 1


def titled(titles, *, gap="\n\n", text=WORDS * 100):
    return gap.join(f"# {title}\n{text}" for title in titles)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (titled(["Tarn", "Ost", "Lund"]), 3),
        (titled(["Tarn", "Ost", "Lund"], gap="\r\n\r\n"), 3),
        (titled(["Tarn", "Ost", "Lund"], gap="\n"), 1),  # no blank line before
        (titled(["Tarn", "Ost", "Lund"], text=WORDS), 1),  # sections, shorter than a window
        (titled(["Tarn", "Ost", "Screen", "Screen"]), 2),  # a title stands once
        (titled(range(101)), 1),
        ("```\n" + titled(["Tarn", "Ost", "Lund"]) + "\n```\n", 1),
        (titled(["load the data", "fit", "plot"], text="x = read(1)\n"), 1),
        ("=== All ===\n\n" + titled(["Tarn", "Ost", "Lund"]), 1),  # separators have the say
    ],
)
def test_markdown_headings_open_documents_where_they_are_titles(text, expected):
    assert len(parts(text)) == expected


def test_a_context_of_many_short_documents_keeps_them_all():
    assert len(parts("".join(f"Document {number}:\n{WORDS}\n" for number in range(860)))) == 860


@pytest.mark.parametrize("unit", ["x", " ", "=== ", "Document ", "# a", "\f", "\u3000"])
def test_ten_megabytes_on_one_line_are_one_document(unit):
    size = 10_000_000 // len(unit)
    assert len(documents(unit * size, DEFAULTS, section_chars=2000)) == 1


def test_a_pattern_that_backtracks_sees_only_the_beginning_of_a_line():
    assert len(documents("a b " * 1_000_000, [r".*\d.*=="], section_chars=2000)) == 1


lines = st.sampled_from(
    ["=== A ===", "# Head", "Document 1:", "<doc>", "words", "", " ", "\f", "\ufeff", "```", "é😀 漢字", "=== B ==="]
)


@given(st.lists(st.tuples(lines, st.sampled_from(["\n", "\r\n", "\r", "\f"]))), st.integers(1, 9))
def test_documents_cover_the_text_in_order_and_none_is_blank(pieces, section_chars):
    text = "".join(line + end for line, end in pieces)
    found = parts(text, section_chars=section_chars)
    assert "".join(found) == text
    assert len(found) < 2 or all(part.strip() for part in found)
    assert bool(found) is bool(text)


@given(st.lists(lines))
def test_line_ends_change_no_document(pieces):
    found = [parts(end.join(pieces), section_chars=9) for end in ("\n", "\r")]
    assert [re.sub(r"\r", "\n", part) for part in found[1]] == found[0]


def test_real_contexts_are_cut_only_where_they_say_so():
    places = (folder / "shared" / "data" / "longbench_v2_sample.json" for folder in ROOT.parents)
    file = next((place for place in places if place.exists()), None)
    if file is None:
        pytest.skip("the real sample is not at hand")
    found = {
        record["_id"]: len(parts(record["context"]))
        for record in json.loads(file.read_text())
        if record["domain"] == "Multi-Document QA"
    }
    assert {name: number for name, number in found.items() if number > 1} == {
        "66ec356a821e116aacb1c22b": 3,  # a preface and two cases
        "66f41348821e116aacb30c89": 3,
        "66f245cc821e116aacb28698": 2,  # News I, News II
    }
