"""A context as a strip: where the pieces shown, and the evidence, lie in it."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Final

from plancheck.packing import uncovered
from plancheck.records import Piece, Span

MARKS: Final = f"123456789{ascii_lowercase}"  # the piece's place in the packed context; "+" for those beyond
NOTHING, BEYOND, SEEN, UNSEEN = ".", "+", "^", "!"


def shown_line(pieces: Sequence[Piece], chars: int, *, width: int) -> str:
    """The context in ``width`` cells: the place of the earliest piece of each cell, "." where nothing is shown.

    A piece takes a cell at least, however long the context; of two in a cell, the one shown first is named.

    Args:
        pieces: in the order shown.
        chars: length of the context.
        width: at least 1.
    """
    cells = [NOTHING] * width
    for number, piece in reversed(list(enumerate(pieces))):
        for cell in cells_of(piece.start, piece.end, chars, width):
            cells[cell] = MARKS[number] if number < len(MARKS) else BEYOND
    return "".join(cells)


def evidence_line(evidence: Sequence[Span], pieces: Sequence[Piece], chars: int, *, width: int) -> str:
    """The same cells: "^" where evidence lies that is shown whole, "!" where it is not, else a blank."""
    cells = [" "] * width
    for span in sorted(evidence, key=lambda span: not uncovered(span, pieces), reverse=True):
        for cell in cells_of(span.start, span.end, chars, width):
            cells[cell] = UNSEEN if uncovered(span, pieces) else SEEN
    return "".join(cells)


def cells_of(start: int, end: int, chars: int, width: int) -> range:
    """The cells that characters ``start`` to ``end`` lie in; one for an empty span."""
    if chars < 1:
        return range(0)
    first = min(start * width // chars, width - 1)
    return range(first, max(first + 1, min(-(-end * width // chars), width)))
