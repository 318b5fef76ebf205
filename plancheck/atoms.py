"""Atoms: windows of a context, cut so that every character is in some atom and none crosses a document."""

import re
from collections.abc import Iterator, Sequence

from plancheck.records import Atom, Span


def cut(
    context_id: str, text: str, *, window_chars: int, overlap_chars: int, separators: Sequence[str] = ()
) -> tuple[Atom, ...]:
    """The atoms of one context, in order of position.

    Args:
        context_id: the context's content hash; atom IDs start with its first 16 digits.
        text: the whole context.
        window_chars: most characters of an atom, at least 1.
        overlap_chars: characters that neighbouring atoms of one document share, below ``window_chars``.
        separators: regular expressions; a line where one matches at its start opens a new document and belongs to it.

    Returns:
        Atoms whose spans cover ``text``; empty for an empty text. A document no longer than a window is one atom.
    """
    if not 0 <= overlap_chars < window_chars:
        raise ValueError(f"overlap_chars must be in [0, window_chars={window_chars}), got {overlap_chars}")
    spans = (
        (document, window)
        for document, span in enumerate(documents(text, separators))
        for window in windows(span, window_chars=window_chars, overlap_chars=overlap_chars)
    )
    return tuple(
        Atom(f"{context_id[:16]}-{position:05d}", context_id, window.start, window.end, document)
        for position, (document, window) in enumerate(spans)
    )


def documents(text: str, separators: Sequence[str]) -> tuple[Span, ...]:
    """The documents of a text, in order: each starts at a line that matches a separator, the first at 0.

    Blank text before the first separator joins the first document. Without separators a text is one document.
    """
    if not text:
        return ()
    starts = {0}
    if separators:
        line = re.compile("|".join(f"(?:{pattern})" for pattern in separators), re.MULTILINE)
        # A pattern may match within a line; only one at a line's start opens a document.
        opening = [match.start() for match in line.finditer(text)]
        starts.update(start for start in opening if start == 0 or text[start - 1] == "\n")
    ordered = sorted(starts)
    if len(ordered) > 1 and not text[: ordered[1]].strip():
        ordered.pop(1)
    return tuple(Span(start, end) for start, end in zip(ordered, [*ordered[1:], len(text)], strict=True))


def windows(span: Span, *, window_chars: int, overlap_chars: int) -> Iterator[Span]:
    """Windows over a span, each ``overlap_chars`` into the one before; the last ends where the span ends.

    The last may be shorter, and always holds characters that no earlier one has.
    """
    start = span.start
    while True:
        end = min(start + window_chars, span.end)
        yield Span(start, end)
        if end == span.end:
            return
        start = end - overlap_chars
