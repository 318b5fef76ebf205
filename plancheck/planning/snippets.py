"""The part of a candidate atom that the planner is shown."""

from collections import Counter, deque
from collections.abc import Sequence

from plancheck.records import Span
from plancheck.retrieval.lexical import WORD, tokens


def snippet(text: str, query: str, *, chars: int) -> str:
    """The stretch of a text that shares most with a query, at most ``chars`` characters, from word to word.

    A distinct word of the query counts once in a stretch and the more the rarer it is in the text: 1 / its count
    there. Equal stretches: the earliest. The shared words lie in the middle of what is shown; the whole text when it
    fits, its beginning when no word is shared.

    Raises:
        ValueError: ``chars`` is not positive.
    """
    if chars < 1:
        raise ValueError(f"chars must be at least 1, got {chars}")
    if len(text) <= chars:
        return text
    asked = set(tokens(query))
    words = [(match.group().lower(), Span(match.start(), match.end())) for match in WORD.finditer(text)]
    shared = [(word, span) for word, span in words if word in asked]
    core = richest(shared, chars=chars) if shared else Span(0, 0)
    room = chars - (core.end - core.start)
    if room < 0:  # one word longer than the snippet
        return text[core.start : core.start + chars]
    start = min(max(core.start - room // 2, 0), len(text) - chars)
    shown = whole_words(text, Span(start, start + chars), core)
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


def whole_words(text: str, span: Span, core: Span) -> Span:
    """The span without the words that its ends cut, as far as that leaves the core whole and something to show."""
    start, end = span.start, span.end
    if start and WORD.match(text[start - 1]) and WORD.match(text[start]):
        cut = WORD.match(text, start)
        if cut and cut.end() <= core.start:
            start = cut.end()
    if end < len(text) and WORD.match(text[end]):
        reached = end
        while reached > start and WORD.match(text[reached - 1]):
            reached -= 1
        if reached > max(start, core.end - 1):
            end = reached
    return Span(start, end)
