"""Atoms of a user's own chunker: what is read, and every fault of the file at once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.atoms import chosen, cut, uncovered
from plancheck.given.atoms import read_given_atoms
from plancheck.plumbing.errors import StudyError
from plancheck.records import Atom, Question, Span

LENGTHS = {"north": 20, "south": 10}
QUESTIONS = {
    name: Question(name, "d", "", "", "", "?", ("1", "2"), "A", context)
    for name, context in (("q1", "north"), ("q2", "north"), ("q3", "south"))
}


def read(tmp_path, *rows):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_given_atoms(path, QUESTIONS, LENGTHS)


def atom(start, end, context="north"):
    return {"context_id": context, "start": start, "end": end}


SOUTH = atom(0, 10, "south")


def test_spans_come_by_start_and_end_whatever_the_rows_order(tmp_path):
    rows = [atom(5, 20), atom(0, 8), {"question_id": "q2", "start": 0, "end": 4}, SOUTH]
    assert read(tmp_path, {"about": {"name": "mine"}}, *rows) == {
        "north": (Span(0, 4), Span(0, 8), Span(5, 20)),
        "south": (Span(0, 10),),
    }


FAULTS = {
    "a context without an atom": ([atom(0, 1)], "context south: has no atom"),
    "an unknown context": ([atom(0, 1, "west")], "line 1: no context of the study has the ID west"),
    "an unknown question": ([{"question_id": "q9", "start": 0, "end": 1}], "no question of the study has the ID q9"),
    "no name": ([{"start": 0, "end": 1}], "must hold one of context_id and question_id, holds none"),
    "two names": ([atom(0, 1) | {"question_id": "q1"}], "must hold one of context_id and question_id, holds both"),
    "a number for a name": ([atom(0, 1, 7)], "context_id must be a text, is 7"),
    "no end": ([{"context_id": "north", "start": 0}], "start and end must be whole numbers, are 0 and None"),
    "a share of a character": ([atom(0, 1.0)], "must be whole numbers, are 0 and 1.0"),
    "a truth": ([atom(False, 1)], "must be whole numbers, are False and 1"),
    "nothing": ([atom(3, 3)], "[3, 3) holds no character"),
    "backwards": ([atom(5, 3)], "[5, 3) holds no character"),
    "before the start": ([atom(-1, 3)], "[-1, 3) holds no character"),
    "past the end": ([atom(0, 21)], "[0, 21) is outside the context, which ends at 20"),
    "twice": ([atom(0, 3), {"question_id": "q1", "start": 0, "end": 3}], "line 2: the atom has a row already, line 1"),
    "no object": ([[1]], "line 1: must be an object in braces"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_by_its_line(tmp_path, fault):
    rows, part = FAULTS[fault]
    with pytest.raises(StudyError) as caught:
        read(tmp_path, *rows)
    assert part in str(caught.value)


def test_all_faults_are_told_at_once(tmp_path):
    with pytest.raises(StudyError, match=r"2 fault\(s\)") as caught:
        read(tmp_path, atom(3, 3), atom(0, 21), SOUTH)
    assert "line 1" in str(caught.value) and "line 2" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe{", b'{"context_id": "north", "start": NaN, "end": 2}\n', b'{"co'])
def test_a_file_that_holds_no_rows_is_refused(tmp_path, content):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    with pytest.raises(StudyError, match=str(path)):
        read_given_atoms(path, QUESTIONS, LENGTHS)


def test_an_atom_is_of_the_document_that_it_begins_in():
    found = chosen("c" * 64, "x" * 10, [Span(0, 6), Span(5, 9)], section_chars=5, given=[Span(0, 5), Span(5, 10)])
    assert found == (Atom("c" * 16 + "-00000", "c" * 64, 0, 6, 0), Atom("c" * 16 + "-00001", "c" * 64, 5, 9, 1))
    assert uncovered(found, 10) == 1


@given(st.text(alphabet="ab \n\f", max_size=60), st.integers(1, 9), st.data())
def test_windows_of_ours_as_spans_give_the_same_atoms(text, window, data):
    overlap = data.draw(st.integers(0, window - 1))
    ours = cut("c", text, window_chars=window, overlap_chars=overlap, separators=["=+$"])
    spans = [Span(atom.start, atom.end) for atom in ours]
    assert chosen("c", text, spans, section_chars=window, separators=["=+$"]) == ours
    assert uncovered(ours, len(text)) == 0


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 10)), max_size=6), st.integers(40, 50))
def test_uncovered_characters_are_those_in_no_atom(starts, length):
    spans = sorted({Span(start, start + chars) for start, chars in starts}, key=lambda span: (span.start, span.end))
    held = {place for span in spans for place in range(span.start, span.end)}
    assert uncovered(chosen("c", "x" * length, spans, section_chars=9), length) == length - len(held)
