"""Atoms: windows of a context, cut so that every character is in some atom and none crosses a document."""

from collections.abc import Iterator, Sequence

from plancheck.documents import documents
from plancheck.records import Atom, Span


def cut(
    context_id: str,
    text: str,
    *,
    window_chars: int,
    overlap_chars: int,
    separators: Sequence[str] | None = None,
    given: Sequence[Span] | None = None,
) -> tuple[Atom, ...]:
    """The atoms of one context, in order of position.

    Args:
        context_id: the context's content hash; atom IDs start with its first 16 digits.
        text: the whole context.
        window_chars: most characters of an atom, at least 1.
        overlap_chars: characters that neighbouring atoms of one document share, below ``window_chars``.
        separators: regular expressions; a line where one matches opens a document and belongs to it, and so do form
            feeds and titles (``documents``, with sections of a window at least). None: the text is one document.
        given: the documents, where they are known: spans that cover the text. Separators are then not looked for.

    Returns:
        Atoms whose spans cover ``text``; empty for an empty text. A document no longer than a window is one atom.
    """
    if not 0 <= overlap_chars < window_chars:
        raise ValueError(f"overlap_chars must be in [0, window_chars={window_chars}), got {overlap_chars}")
    found = given
    if found is None:
        found = (Span(0, len(text)),) if separators is None else documents(text, separators, section_chars=window_chars)
    spans = (
        (document, window)
        for document, span in enumerate(found if text else ())
        for window in windows(span, window_chars=window_chars, overlap_chars=overlap_chars)
    )
    return tuple(
        Atom(f"{context_id[:16]}-{position:05d}", context_id, window.start, window.end, document)
        for position, (document, window) in enumerate(spans)
    )


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
