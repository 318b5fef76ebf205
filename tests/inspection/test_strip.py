"""The strip of a context on the terminal."""

from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from plancheck.inspection.strip import evidence_line, shown_line
from plancheck.inspection.terminal import Strip
from plancheck.records import Piece, Span


def test_a_strip_shows_where_pieces_lie_and_in_which_order():
    pieces = [Piece("b", 50, 70), Piece("a", 0, 10)]
    assert shown_line(pieces, 100, width=10) == "2....11..."


def test_a_piece_of_a_very_long_context_is_seen_and_of_two_in_a_cell_the_first_is_named():
    pieces = [Piece("a", 7_999_990, 8_000_000), Piece("b", 7_999_000, 7_999_010)]
    assert shown_line(pieces, 16_000_000, width=4) == ".1.."


def test_pieces_beyond_the_signs_stand_as_a_plus():
    pieces = [Piece(str(place), place, place + 1) for place in range(40)]
    assert shown_line(pieces, 40, width=40) == "123456789abcdefghijklmnopqrstuvwxyz+++++"


def test_evidence_that_is_not_shown_whole_has_another_sign_and_wins_the_cell():
    pieces = [Piece("a", 0, 30)]
    assert evidence_line([Span(0, 10), Span(25, 35)], pieces, 100, width=10) == "^ !!      "
    assert evidence_line([Span(0, 2), Span(9, 31)], [Piece("a", 0, 20)], 100, width=2) == "! "


@given(
    st.integers(1, 300), st.integers(1, 120),
    st.lists(st.tuples(st.integers(0, 299), st.integers(1, 300)), max_size=6),
)  # fmt: skip
def test_a_strip_is_as_wide_as_asked_and_shows_something_for_each_piece(chars, width, places):
    pieces = [Piece("a", min(start, chars - 1), min(max(start + 1, start + length), chars)) for start, length in places]
    line = shown_line(pieces, chars, width=width)
    assert len(line) == width
    assert (set(line) == {"."}) == (not pieces)


@pytest.mark.parametrize(("columns", "cells"), [(40, 38), (200, 100)])
def test_on_a_narrow_terminal_the_strip_stays_one_line_with_the_evidence_below_its_place(columns, cells):
    console = Console(width=columns, file=StringIO())
    console.print(Strip([Piece("a", 5_000, 6_000)], [Span(5_000, 5_500)], 10_000))
    shown, marks, *_ = console.file.getvalue().splitlines()
    assert len(shown) == cells + 2 and shown.index("1") == marks.index("^") == 1 + cells // 2
