import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.atoms import cut
from plancheck.packing import (
    SEPARATOR,
    Packed,
    evidence_recall,
    head,
    head_tail,
    pack,
    packed_id,
    packed_text,
    reordered,
    uncovered,
)
from plancheck.records import Atom, Piece, Span

TEXT = "abcdefghijklmnopqrstuvwxyz" * 4
ATOMS = cut("0" * 64, TEXT, window_chars=20, overlap_chars=4)


def packed(order, budget, overflow="cut", merge=False):
    return pack([ATOMS[i] for i in order], budget_chars=budget, overflow=overflow, merge_overlaps=merge)


def test_the_atom_that_overflows_is_cut_at_the_budget():
    result = packed([3, 0], 30)

    assert result.pieces == (Piece(ATOMS[3].atom_id, 48, 68), Piece(ATOMS[0].atom_id, 0, 8))
    assert (result.chars, result.cut, result.skipped) == (30, True, 0)
    assert packed_text(TEXT, result.pieces) == TEXT[48:68] + SEPARATOR + TEXT[0:8]


def test_a_packed_id_is_of_question_and_text_whatever_the_pieces():
    whole, halves = [Piece("a", 0, 4)], [Piece("b", 0, 2), Piece("c", 2, 4)]
    assert packed_id("q", TEXT, whole) == packed_id("q", TEXT, halves)
    assert len({packed_id("q", TEXT, whole), packed_id("p", TEXT, whole), packed_id("q", TEXT, [])}) == 3


def test_stop_ends_before_the_atom_that_overflows():
    result = packed([3, 0], 30, overflow="stop")
    assert ([piece.atom_id for piece in result.pieces], result.cut) == ([ATOMS[3].atom_id], False)


def test_skip_leaves_out_what_does_not_fit_and_counts_it():
    short = Atom("short", ATOMS[0].context_id, 100, 104, 0)
    result = pack([ATOMS[3], ATOMS[0], short], budget_chars=30, overflow="skip", merge_overlaps=False)

    assert [piece.atom_id for piece in result.pieces] == [ATOMS[3].atom_id, "short"]
    assert result.skipped == 1


def test_windows_are_packed_whole_as_published_or_without_repetition():
    assert packed([0, 1], 100).chars == 20 + len(SEPARATOR) + 20
    merged = packed([0, 1], 100, merge=True)
    assert packed_text(TEXT, merged.pieces) == TEXT[:36]


def test_a_window_within_another_adds_nothing_when_overlaps_are_merged():
    inner = Atom("inner", ATOMS[0].context_id, 2, 10, 0)
    result = pack([ATOMS[0], inner, ATOMS[2]], budget_chars=100, overflow="cut", merge_overlaps=True)
    assert [piece.atom_id for piece in result.pieces] == [ATOMS[0].atom_id, ATOMS[2].atom_id]


def test_head_shows_the_beginning_without_repeating_the_overlap():
    assert packed_text(TEXT, head(ATOMS, context_chars=len(TEXT), budget_chars=33).pieces) == TEXT[:33]


def test_head_tail_shows_both_ends():
    result = head_tail(ATOMS, context_chars=len(TEXT), budget_chars=41)
    assert packed_text(TEXT, result.pieces) == TEXT[:20] + SEPARATOR + TEXT[-19:]
    assert result.chars == 41


def test_a_context_within_the_budget_is_shown_whole():
    for direct in (head, head_tail):
        result = direct(ATOMS, context_chars=len(TEXT), budget_chars=1_000)
        assert (packed_text(TEXT, result.pieces), result.cut) == (TEXT, False)


def test_head_and_tail_show_what_no_atom_holds_under_the_ids_of_its_spans():
    atoms = [Atom("a", "c", 2, 6, 0), Atom("whole", "c", 4, 20, 0), Atom("within", "c", 5, 9, 0)]
    assert head(atoms, context_chars=30, budget_chars=8).pieces == (
        Piece("0-2", 0, 2), Piece("a", 2, 6), Piece("whole", 6, 8),
    )  # fmt: skip
    assert head_tail(atoms, context_chars=30, budget_chars=26).pieces == (
        Piece("0-2", 0, 2), Piece("a", 2, 6), Piece("whole", 6, 12), Piece("whole", 18, 20), Piece("20-30", 20, 30),
    )  # fmt: skip


spans = st.lists(st.tuples(st.integers(0, 103), st.integers(1, 40)), max_size=8, unique=True)


@given(spans, st.integers(1, 160))
def test_head_and_tail_are_of_the_context_whatever_the_atoms_are(found, budget):
    atoms = [
        Atom(f"{place}", "c", start, min(start + chars, 104), 0) for place, (start, chars) in enumerate(sorted(found))
    ]
    for direct in (head, head_tail):
        own = direct(atoms, context_chars=len(TEXT), budget_chars=budget)
        ours = direct(ATOMS, context_chars=len(TEXT), budget_chars=budget)
        assert (packed_text(TEXT, own.pieces), own.chars, own.cut) == (
            packed_text(TEXT, ours.pieces), ours.chars, ours.cut,
        )  # fmt: skip


def test_a_budget_below_one_character_is_refused():
    with pytest.raises(ValueError, match="budget_chars"):
        packed([0], 0)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [(None, None), ((), None), ((Span(2, 18),), 1.0), ((Span(2, 18), Span(30, 50)), 0.5), ((Span(10, 30),), 1.0)],
)
def test_evidence_counts_when_all_its_characters_are_shown_wherever_they_lie(evidence, expected):
    pieces = (Piece("b", 16, 36), Piece("a", 0, 20))
    assert evidence_recall(evidence, pieces) == expected


orders = st.lists(st.integers(0, len(ATOMS) - 1), unique=True)
budgets = st.integers(1, 160)


@given(orders, budgets, st.sampled_from(["cut", "skip", "stop"]), st.booleans())
def test_no_packed_text_exceeds_its_budget_and_its_length_is_as_recorded(order, budget, overflow, merge):
    result = packed(order, budget, overflow, merge)
    text = packed_text(TEXT, result.pieces)

    assert len(text) == result.chars <= budget
    spans = {atom.atom_id: atom for atom in ATOMS}
    assert all(spans[p.atom_id].start <= p.start < p.end <= spans[p.atom_id].end for p in result.pieces)


@given(orders, budgets, st.sampled_from(["cut", "skip", "stop"]))
def test_merged_overlaps_show_no_character_twice(order, budget, overflow):
    pieces = packed(order, budget, overflow, merge=True).pieces
    shown = [place for piece in pieces for place in range(piece.start, piece.end)]
    assert len(shown) == len(set(shown))


@given(orders, budgets)
def test_cutting_fills_the_budget_unless_the_atoms_run_out(order, budget):
    result = packed(order, budget)
    whole = packed(order, 10_000)
    assert result.chars == whole.chars if whole.chars <= budget else budget - result.chars <= len(SEPARATOR)


def test_another_order_shows_the_same_pieces_also_the_one_that_was_cut():
    before = packed([3, 0], 30)
    after = reordered(before, ATOMS, budget_chars=30)
    assert after.pieces == (before.pieces[1], before.pieces[0])
    assert (after.chars, after.cut) == (30, True)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (
            14,
            [("c", 10, 13), ("b", 4, 10), ("a", 0, 1)],
        ),  # two separators more: the last piece gives up to one character
        (12, [("c", 10, 13), ("b", 4, 8), ("a", 0, 1)]),
        (7, [("c", 10, 11), ("b", 4, 5), ("a", 0, 1)]),
        (6, [("c", 10, 11), ("b", 4, 5)]),  # no room for three atoms
    ],
)
def test_separators_that_the_new_order_needs_are_cut_from_the_end_and_leave_every_atom_shown(budget, expected):
    touching = [Atom("a", "c", 0, 4, 0), Atom("b", "c", 4, 10, 0), Atom("c", "c", 10, 13, 0)]
    before = Packed(tuple(Piece(atom.atom_id, atom.start, atom.end) for atom in touching), 13, False, 0)
    after = reordered(before, touching[::-1], budget_chars=budget)
    assert [(piece.atom_id, piece.start, piece.end) for piece in after.pieces] == expected
    assert after.cut and after.chars == len(packed_text(TEXT, after.pieces)) <= budget


@given(orders, budgets, st.sampled_from(["cut", "skip", "stop"]), st.booleans(), st.permutations(ATOMS))
def test_another_order_shows_the_same_atoms_within_the_budget(order, budget, overflow, merge, by):
    before = packed(order, budget, overflow, merge)
    after = reordered(before, by, budget_chars=budget)
    assert len(packed_text(TEXT, after.pieces)) == after.chars <= budget
    shown = list(dict.fromkeys(piece.atom_id for piece in after.pieces))
    assert shown == [atom.atom_id for atom in by if atom.atom_id in shown]
    assert set(after.pieces) == set(before.pieces) or after.cut
    if budget >= (1 + len(SEPARATOR)) * len(before.pieces):
        assert set(shown) == {piece.atom_id for piece in before.pieces}


@given(budgets)
def test_direct_policies_keep_the_budget(budget):
    for direct in (head, head_tail):
        result = direct(ATOMS, context_chars=len(TEXT), budget_chars=budget)
        assert len(packed_text(TEXT, result.pieces)) == result.chars <= budget


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 15))), st.integers(0, 40), st.integers(1, 15))
def test_uncovered_is_the_set_difference(pieces, start, length):
    shown = [Piece("a", first, first + size) for first, size in pieces]
    left = uncovered(Span(start, start + length), shown)

    expected = set(range(start, start + length)) - {p for piece in shown for p in range(piece.start, piece.end)}
    assert [place for span in left for place in range(span.start, span.end)] == sorted(expected)
