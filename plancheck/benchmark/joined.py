"""A context as one text, with the documents that it was given as."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, Final

from plancheck.benchmark.values import kind, text_rule
from plancheck.records import Span

BETWEEN: Final = "\n\n"


def context_rule(value: Any) -> str | None:
    """What is wrong with a context, a text or a list of documents, or None."""
    if not isinstance(value, list):
        if not isinstance(value, str):
            return f"must be text or a list of texts, got {kind(value)}"
        return text_rule(value, blank=False)
    rules = ((number, text_rule(text, blank=False)) for number, text in enumerate(value, start=1))
    broken = [f"document {number} {rule}" for number, rule in rules if rule]
    return "must hold a document, but is an empty list" if not value else "; ".join(broken) or None


def joined(documents: Sequence[str]) -> tuple[str, tuple[Span, ...]]:
    """The documents with a blank line between them, and where each begins and the next one does.

    The spans cover the text: the blank line belongs to the document before it.
    """
    text = BETWEEN.join(documents)
    starts = [0, *accumulate(len(document) + len(BETWEEN) for document in documents[:-1])]
    return text, tuple(Span(start, end) for start, end in pairwise([*starts, len(text)]))
