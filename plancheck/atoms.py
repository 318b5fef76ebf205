"""Atoms: the pieces of a context that are ranked and packed, windows of ours or spans of a user's own chunker."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

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
    """The atoms of one context as windows of its documents: ``windowed`` of ``opened``, with sections of a window."""
    found = opened(text, separators=separators, given=given, section_chars=window_chars)
    return windowed(context_id, found, window_chars=window_chars, overlap_chars=overlap_chars)


def opened(
    text: str, *, separators: Sequence[str] | None, given: Sequence[Span] | None, section_chars: int
) -> Sequence[Span]:
    """The documents of one context, in order of position.

    Args:
        text: the whole context.
        separators: regular expressions; a line where one matches opens a document and belongs to it, and so do form
            feeds and titles (``documents``). None: the text is one document.
        given: the documents, where they are known: spans that cover the text. Separators are then not looked for.
        section_chars: the least median length of what titles part.

    Returns:
        Spans that cover ``text``; none for an empty text.
    """
    if not text:
        return ()
    if given is not None:
        return given
    return (Span(0, len(text)),) if separators is None else documents(text, separators, section_chars=section_chars)


def windowed(context_id: str, found: Sequence[Span], *, window_chars: int, overlap_chars: int) -> tuple[Atom, ...]:
    """Windows as atoms, in order of position: every character is in one, and none crosses a document.

    Args:
        context_id: the context's content hash; atom IDs start with its first 16 digits.
        found: the documents, by position.
        window_chars: most characters of an atom, at least 1.
        overlap_chars: characters that neighbouring atoms of one document share, below ``window_chars``.

    Returns:
        Atoms whose spans cover the documents. A document no longer than a window is one atom.
    """
    if not 0 <= overlap_chars < window_chars:
        raise ValueError(f"overlap_chars must be in [0, window_chars={window_chars}), got {overlap_chars}")
    return named(
        context_id,
        (
            (document, window)
            for document, span in enumerate(found)
            for window in windows(span, window_chars=window_chars, overlap_chars=overlap_chars)
        ),
    )


def chunked(context_id: str, found: Sequence[Span], chunks: Iterable[Span]) -> tuple[Atom, ...]:
    """Spans of a user's own as atoms, by start and then by end.

    They may overlap, lie in one another, cross documents and leave characters out.

    Args:
        context_id: as in ``windowed``.
        found: the documents, which cover the context. An atom is of the one that its first character is in.
        chunks: distinct spans of the context, none empty, in any order.
    """
    starts = [span.start for span in found]
    ordered = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
    return named(context_id, ((bisect_right(starts, chunk.start) - 1, chunk) for chunk in ordered))


def named(context_id: str, spans: Iterable[tuple[int, Span]]) -> tuple[Atom, ...]:
    """Atoms of documents and spans, by position: the context's first 16 digits, a dash, the position."""
    return tuple(
        Atom(f"{context_id[:16]}-{position:05d}", context_id, span.start, span.end, document)
        for position, (document, span) in enumerate(spans)
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


def uncovered_chars(atoms: Iterable[Atom], chars: int) -> int:
    """How many of a context's ``chars`` characters are in no atom. ``atoms``: all of it, by position."""
    missing = reached = 0
    for atom in atoms:
        missing += max(atom.start - reached, 0)
        reached = max(reached, atom.end)
    return missing + chars - reached
