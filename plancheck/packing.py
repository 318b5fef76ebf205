"""Packing: from an order of atoms to the text shown, never longer than the budget."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from plancheck.records import Atom, Piece, Span, span_id

Overflow = Literal["cut", "skip", "stop"]
# What follows by pack.overflow where an atom is longer than the budget.
LONGER_ATOM: Final[Mapping[Overflow, str]] = {
    "cut": "There policies differ by their first atom alone",
    "skip": "There such an atom is never shown, whatever ranks it first",
    "stop": "There a policy that ranks such an atom first shows nothing",
}
SEPARATOR = "\n\n"  # between pieces that do not touch; its characters count towards the budget


@dataclass(frozen=True, slots=True)
class Packed:
    """What is shown of a context.

    ``chars`` counts the text with its separators; ``cut`` says whether an atom was cut at the budget; ``skipped``
    counts atoms left out because they did not fit whole (overflow "skip" only).
    """

    pieces: tuple[Piece, ...]
    chars: int
    cut: bool
    skipped: int


def pack(atoms: Sequence[Atom], *, budget_chars: int, overflow: Overflow, merge_overlaps: bool) -> Packed:
    """Walk the atoms in the order given and add each one's text until the budget is full.

    Args:
        atoms: of one context, in packing order.
        budget_chars: most characters, at least 1.
        overflow: what happens to the atom that does not fit whole: "cut" shows its beginning and ends the walk,
            "stop" ends the walk, "skip" leaves it out and tries the next.
        merge_overlaps: leave out characters that an earlier piece already shows; an atom can then become several
            pieces, or none.

    Returns:
        Pieces in packed order; none for no atoms.
    """
    if budget_chars < 1:
        raise ValueError(f"budget_chars must be at least 1, got {budget_chars}")
    pieces: list[Piece] = []
    used, cut, skipped = 0, False, 0
    for atom in atoms:
        shown = [Span(atom.start, atom.end)]
        if merge_overlaps:
            shown = uncovered(shown[0], pieces)
        new = [Piece(atom.atom_id, span.start, span.end) for span in shown]
        fitting = fit(pieces, new, budget_chars - used)
        if fitting == new:
            used += added_chars(pieces, new)
            pieces += new
            continue
        if overflow == "skip":
            skipped += 1
            continue
        if overflow == "cut" and fitting:
            used += added_chars(pieces, fitting)
            pieces += fitting
            cut = True
        break
    return Packed(tuple(pieces), used, cut, skipped)


def reordered(packed: Packed, order: Sequence[Atom], *, budget_chars: int) -> Packed:
    """The pieces of a packed context in another order, still within the budget.

    Pieces that touched can stand apart in the new order and then take a separator. Where these do not fit, pieces are
    cut from the last one backwards, to one character at least, whatever the overflow rule: every atom stays shown. A
    budget too small for that shows as many pieces as fit. Room that separators leave free stays free.

    Args:
        packed: by `pack` with the same budget.
        order: holds every atom of ``packed`` once; pieces of one atom keep their order.
        budget_chars: most characters, at least 1.
    """
    place = {atom.atom_id: number for number, atom in enumerate(order)}
    pieces = sorted(packed.pieces, key=lambda piece: place[piece.atom_id])
    before = list(pieces)
    for number, piece in reversed(list(enumerate(pieces))):
        end = piece.end
        while end > piece.start + 1 and (excess := added_chars([], pieces) - budget_chars) > 0:
            end = max(end - excess, piece.start + 1)  # cut off from the next piece, it may need a separator: look again
            pieces[number] = Piece(piece.atom_id, piece.start, end)
    pieces = fit([], pieces, budget_chars)
    return Packed(tuple(pieces), added_chars([], pieces), packed.cut or pieces != before, packed.skipped)


def head(atoms: Sequence[Atom], *, context_chars: int, budget_chars: int) -> Packed:
    """The first ``budget_chars`` characters of the context, none twice, whether atoms hold them or not.

    ``atoms``: all of one context of ``context_chars`` characters, by position.
    """
    shown = min(context_chars, budget_chars)
    return Packed(tuple(stretch(atoms, Span(0, shown))), shown, shown < context_chars, 0)


def head_tail(atoms: Sequence[Atom], *, context_chars: int, budget_chars: int) -> Packed:
    """The first and the last half of the budget, without any character twice; the whole context when it fits.

    A budget too small for two parts and their separator shows the head alone.

    Args:
        atoms: every atom of one context, by position; a character that none holds is shown all the same.
        context_chars: length of the context.
        budget_chars: most characters, at least 1; the head gets the odd one.
    """
    if context_chars <= budget_chars:
        return head(atoms, context_chars=context_chars, budget_chars=budget_chars)
    room = max(budget_chars - len(SEPARATOR), 0)
    if room < 2:
        return head(atoms, context_chars=context_chars, budget_chars=budget_chars)
    tail = room // 2
    pieces = stretch(atoms, Span(0, room - tail)) + stretch(atoms, Span(context_chars - tail, context_chars))
    return Packed(tuple(pieces), added_chars([], pieces), True, 0)


def stretch(atoms: Sequence[Atom], span: Span) -> list[Piece]:
    """A span of the context as touching pieces: ``slices``, and what no atom holds under the IDs of its own spans."""
    held = slices(atoms, span)
    gaps = [Piece(span_id(gap), gap.start, gap.end) for gap in uncovered(span, held)]
    return sorted([*held, *gaps], key=lambda piece: piece.start)


def slices(atoms: Sequence[Atom], span: Span) -> list[Piece]:
    """What atoms hold of a span of the context, by position, each character from the first atom that holds it.

    ``atoms``: by position.
    """
    pieces: list[Piece] = []
    reached = span.start
    for atom in atoms:
        start, end = max(atom.start, reached), min(atom.end, span.end)
        if start < end:
            pieces.append(Piece(atom.atom_id, start, end))
            reached = end
    return pieces


def uncovered(span: Span, pieces: Sequence[Piece]) -> list[Span]:
    """The parts of a span that no piece shows, by position."""
    left: list[Span] = []
    reached = span.start
    for piece in sorted(pieces, key=lambda piece: piece.start):
        if piece.start >= span.end:
            break
        if piece.start > reached:
            left.append(Span(reached, piece.start))
        reached = max(reached, piece.end)
    if reached < span.end:
        left.append(Span(reached, span.end))
    return left


def fit(before: Sequence[Piece], new: Sequence[Piece], room: int) -> list[Piece]:
    """The new pieces, in order, as far as ``room`` characters reach; the last may be cut."""
    fitting: list[Piece] = []
    for piece in new:
        gap = added_chars([*before, *fitting], [piece]) - (piece.end - piece.start)
        length = min(piece.end - piece.start, room - gap)
        if length <= 0:
            break
        fitting.append(Piece(piece.atom_id, piece.start, piece.start + length))
        room -= gap + length
        if length < piece.end - piece.start:
            break
    return fitting


def added_chars(before: Sequence[Piece], new: Sequence[Piece]) -> int:
    """Characters that ``new`` adds to a text that ends with ``before``, separators included."""
    last = before[-1] if before else None
    total = 0
    for piece in new:
        total += piece.end - piece.start
        if last is not None and last.end != piece.start:
            total += len(SEPARATOR)
        last = piece
    return total


def packed_text(context: str, pieces: Sequence[Piece]) -> str:
    """The text shown: pieces in order, a blank line between those that do not touch."""
    parts: list[str] = []
    last: Piece | None = None
    for piece in pieces:
        if last is not None and last.end != piece.start:
            parts.append(SEPARATOR)
        parts.append(context[piece.start : piece.end])
        last = piece
    return "".join(parts)


def packed_id(question_id: str, context: str, pieces: Sequence[Piece]) -> str:
    """SHA-256 of the question's ID and the text shown: equal where a question is shown the same text."""
    return text_id(question_id, packed_text(context, pieces))


def text_id(question_id: str, text: str) -> str:
    """The packed_id of a text, whatever it is made of."""
    return hashlib.sha256(f"{question_id}\n{text}".encode()).hexdigest()


def with_longer_atoms(atoms: Mapping[str, Sequence[Atom]], *, budget_chars: int) -> set[str]:
    """The contexts that have an atom longer than the budget. ``atoms``: by context."""
    return {
        context_id for context_id, own in atoms.items() if any(atom.end - atom.start > budget_chars for atom in own)
    }


def evidence_recall(evidence: Sequence[Span] | None, pieces: Sequence[Piece]) -> float | None:
    """The share of evidence spans shown to the last character, 0 to 1; None where evidence is unknown or empty."""
    if not evidence:
        return None
    return sum(not uncovered(span, pieces) for span in evidence) / len(evidence)


def quoted_recall(evidence: Sequence[Span] | None, context: str, text: str) -> float | None:
    """The share of evidence spans that stand in a text word for word, 0 to 1; None where evidence is unknown."""
    if not evidence:
        return None
    return sum(context[span.start : span.end] in text for span in evidence) / len(evidence)
