import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.atoms import chunked, cut, uncovered_chars
from plancheck.documents import documents
from plancheck.records import Span

CONTEXT = "0123456789abcdef" * 4
SEPARATORS = (r"=== .+ ===$", r"# [A-Z]")


def test_windows_share_the_overlap_and_the_last_ends_with_the_text():
    atoms = cut(CONTEXT, "x" * 25, window_chars=10, overlap_chars=2)

    assert [(atom.start, atom.end) for atom in atoms] == [(0, 10), (8, 18), (16, 25)]
    assert [atom.atom_id for atom in atoms] == [f"0123456789abcdef-{position:05d}" for position in range(3)]


def test_a_text_as_long_as_a_window_is_one_atom():
    assert len(cut(CONTEXT, "x" * 10, window_chars=10, overlap_chars=9)) == 1


def test_without_separators_a_text_is_one_document_whatever_stands_in_it():
    text = "=== One ===\nfirst\f=== Two ===\nsecond"

    assert {atom.document for atom in cut(CONTEXT, text, window_chars=5, overlap_chars=0)} == {0}
    assert [atom.document for atom in cut(CONTEXT, text, window_chars=99, overlap_chars=0, separators=())] == [0, 1]


def test_an_empty_text_has_no_atoms():
    assert cut(CONTEXT, "", window_chars=10, overlap_chars=0) == ()


def test_an_overlap_as_long_as_the_window_is_refused():
    with pytest.raises(ValueError, match="overlap_chars"):
        cut(CONTEXT, "x", window_chars=5, overlap_chars=5)


texts = st.lists(st.sampled_from(["=== Title ===", "# Head", "words of a line", "", "é😀 漢字", " "])).map("\n".join)


@given(texts, st.integers(1, 12), st.integers(0, 11))
def test_every_character_is_in_an_atom_and_no_atom_crosses_a_document(text, window_chars, overlap_chars):
    overlap_chars = min(overlap_chars, window_chars - 1)
    atoms = cut(CONTEXT, text, window_chars=window_chars, overlap_chars=overlap_chars, separators=SEPARATORS)
    spans = documents(text, SEPARATORS, section_chars=window_chars)

    assert {place for atom in atoms for place in range(atom.start, atom.end)} == set(range(len(text)))
    assert all(spans[atom.document].start <= atom.start < atom.end <= spans[atom.document].end for atom in atoms)
    assert all(atom.end - atom.start <= window_chars for atom in atoms)
    assert [atom.start for atom in atoms] == sorted(atom.start for atom in atoms)
    for before, after in itertools.pairwise(atoms):
        if before.document == after.document:
            assert before.end - after.start == overlap_chars


def test_chunks_are_atoms_by_position_each_of_the_document_it_begins_in():
    atoms = chunked(CONTEXT, [Span(0, 10), Span(10, 30)], [Span(12, 30), Span(3, 20), Span(3, 6), Span(10, 11)])

    assert [(atom.start, atom.end, atom.document) for atom in atoms] == [
        (3, 6, 0),
        (3, 20, 0),
        (10, 11, 1),
        (12, 30, 1),
    ]
    assert [atom.atom_id for atom in atoms] == [f"0123456789abcdef-{position:05d}" for position in range(4)]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9)), unique=True, max_size=6))
def test_characters_in_no_atom_are_counted_once(found):
    spans = {Span(start, min(start + chars, 21)) for start, chars in found}
    held = {place for span in spans for place in range(span.start, span.end)}
    assert uncovered_chars(chunked(CONTEXT, [Span(0, 21)], spans), 21) == 21 - len(held)
