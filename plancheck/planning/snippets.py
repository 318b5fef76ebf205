"""The part of a candidate atom that the planner is shown."""

from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Sequence

from plancheck.records import Span
from plancheck.retrieval.words import placed, words


def snippet(text: str, query: str, *, chars: int) -> str:
    """The stretch of a text that shares most with a query, at most ``chars`` characters, from word to word.

    A distinct word of the query counts once in a stretch and the more the rarer it is in the text: 1 / its count
    there. Equal stretches: the earliest. The shared words lie in the middle of what is shown; the whole text when it
    fits, its beginning when no word is shared. Words are BM25's (`plancheck.retrieval.words`); what is shown is cut
    between words, or between characters where a script has no spaces.

    Raises:
        ValueError: ``chars`` is not positive.
    """
    if chars < 1:
        raise ValueError(f"chars must be at least 1, got {chars}")
    if len(text) <= chars:
        return text
    asked = set(words(query))
    found = placed(text)
    shared = [(word, span) for word, span in found.words if word in asked]
    core = richest(shared, chars=chars) if shared else Span(0, 0)
    room = chars - (core.end - core.start)
    if room < 0:  # one word longer than the snippet
        return text[core.start : core.start + chars]
    start = min(max(core.start - room // 2, 0), len(text) - chars)
    shown = uncut(Span(start, start + chars), core, found.units)
    return text[shown.start : shown.end]


def richest(shared: Sequence[tuple[str, Span]], *, chars: int) -> Span:
    """From the first to the last word of the stretch of at most ``chars`` characters whose words weigh most.

    Args:
        shared: words and where they are, by position; at least one. A stretch holds at least one word, however long.
    """
    counts = Counter(word for word, _ in shared)
    inside: deque[tuple[str, Span]] = deque()
    held: Counter[str] = Counter()
    best, most = shared[0][1], 0.0
    for word, span in shared:
        inside.append((word, span))
        held[word] += 1
        while len(inside) > 1 and span.end - inside[0][1].start > chars:
            held[inside.popleft()[0]] -= 1
        # Summed anew each time: a running sum would drift, and with it the ties.
        weight = sum(1 / counts[name] for name in sorted(counts) if held[name])
        if weight > most + 1e-9:
            best, most = Span(inside[0][1].start, span.end), weight
    return best


def uncut(span: Span, core: Span, units: Sequence[Span]) -> Span:
    """The span without the units that its ends cut, as far as that leaves the core whole and something to show.

    Args:
        units: what should not be cut, by position.
    """
    start, end = span.start, span.end
    before = bisect_left(units, start, key=lambda unit: unit.start) - 1
    if before >= 0 and start < units[before].end <= core.start:
        start = units[before].end
    after = bisect_right(units, end, key=lambda unit: unit.end)
    if after < len(units) and max(start, core.end - 1) < units[after].start < end:
        end = units[after].start
    return Span(start, end)
