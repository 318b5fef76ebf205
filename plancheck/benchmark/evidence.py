"""The gold evidence of a question, as a file names it: spans of its context, or quotes from it."""

from collections.abc import Iterator
from typing import Any

from plancheck.benchmark.values import is_number, kind, shown
from plancheck.records import Span


def read_evidence(value: Any, context: str) -> tuple[tuple[Span, ...], list[str]]:
    """The spans in the order of the context, and the rules that ``value`` breaks.

    ``value`` is a list of spans, ``[start, end]`` or ``{"start": start, "end": end}`` in characters of the context, and
    of quotes, each of which stands there once. No list at all, and none with nothing in it, is evidence.
    """
    if not isinstance(value, list):
        return (), [f"must be a list of spans [start, end] or of quotes, got {kind(value)}"]
    if not value:
        return (), ["must hold a span or a quote; where it is not known, leave it out"]
    spans: list[Span] = []
    broken: list[str] = []
    for number, item in enumerate(value, start=1):
        found = quoted(item, context) if isinstance(item, str) else located(item, len(context))
        if isinstance(found, str):
            broken.append(f"{number} {found}")
        elif found in spans:
            broken.append(f"{number} is the same span as {spans.index(found) + 1}")
        else:
            spans.append(found)
    return tuple(sorted(spans, key=lambda span: (span.start, span.end))), broken


def quoted(quote: str, context: str) -> Span | str:
    """Where a quote stands, or what is wrong with it."""
    places = occurrences(quote, context) if quote.strip() else iter(())
    first = next(places, None)
    if first is None:
        return f"is not in the context: {shown(quote)}" if quote.strip() else "must hold more than white space"
    if next(places, None) is not None:
        return f"stands more than once in the context: {shown(quote)}; quote more of it, or give [start, end]"
    return Span(first, first + len(quote))


def occurrences(quote: str, context: str) -> Iterator[int]:
    """Where a quote begins, in order; occurrences may overlap."""
    place = context.find(quote)
    while place >= 0:
        yield place
        place = context.find(quote, place + 1)


def located(item: Any, chars: int) -> Span | str:
    """A span that is given as such, or what is wrong with it."""
    pair = [item.get("start"), item.get("end")] if isinstance(item, dict) and len(item) == 2 else item
    if not (isinstance(pair, list) and len(pair) == 2 and all(map(is_number, pair))):
        return f"must be [start, end] in whole numbers or a quote, got {shown(item)}"
    start, end = pair
    if not 0 <= start < end <= chars:
        return f"must be [start, end] with 0 <= start < end <= {chars}, the context's length, got {shown(item)}"
    return Span(start, end)
