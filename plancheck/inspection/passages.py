"""A prompt as runs of text: which are evidence, and which may be left out where room is short."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from plancheck.answering.ports import Messages
from plancheck.inspection.conditions import Shown
from plancheck.packing import SEPARATOR, packed_text
from plancheck.records import Question, Span


@dataclass(frozen=True, slots=True)
class Run:
    """A run of text. ``left_out`` counts the characters that it stands for, where it is empty."""

    text: str
    evidence: bool = False
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the chat that the answer model is asked."""

    role: str
    runs: tuple[Run, ...]


def asked(question: Question, context: str, shown: Shown, *, ask: Callable[[Question, str], Messages]) -> list[Message]:
    """The chat of a condition as it was asked, with the evidence in what it shows marked.

    Evidence is where a piece holds characters of a span, or where a span stands word for word in a text of the user's
    own. ``ask`` makes the chat, see `plancheck.answering.prompt.asker`.
    """
    given = shown.text if shown.text is not None else packed_text(context, shown.pieces)
    spans = quoted(question, context, given) if shown.text is not None else shown_evidence(question, shown)
    messages = []
    # Another text in its place tells where it begins.
    other = ask(question, "b" if given.startswith("a") else "a")
    for message, beside in zip(ask(question, given), other, strict=True):
        content = message["content"]
        unlike = (at for at, pair in enumerate(zip(content, beside["content"], strict=False)) if pair[0] != pair[1])
        start = next(unlike, 0) if spans else 0
        moved = [Span(span.start + start, span.end + start) for span in spans]
        messages.append(Message(message["role"], tuple(runs_of(content, moved))))
    return messages


def shown_evidence(question: Question, shown: Shown) -> list[Span]:
    """Where the packed text holds characters of the evidence, in the packed text's own characters."""
    found: list[Span] = []
    at, last = 0, None
    for piece in shown.pieces:
        if last is not None and last.end != piece.start:
            at += len(SEPARATOR)
        for span in question.evidence or ():
            start, end = max(span.start, piece.start), min(span.end, piece.end)
            if start < end:
                found.append(Span(at + start - piece.start, at + end - piece.start))
        at += piece.end - piece.start
        last = piece
    return found


def quoted(question: Question, context: str, text: str) -> list[Span]:
    """Every place where an evidence span stands in a text word for word."""
    found: list[Span] = []
    for span in question.evidence or ():
        quote = context[span.start : span.end]
        at = text.find(quote) if quote else -1
        while at >= 0:
            found.append(Span(at, at + len(quote)))
            at = text.find(quote, at + len(quote))
    return found


def runs_of(text: str, evidence: Iterable[Span]) -> list[Run]:
    """The text in runs, those of evidence marked; spans that touch or overlap are one run."""
    runs: list[Run] = []
    reached = 0
    for span in merged(evidence):
        if reached < span.start:
            runs.append(Run(text[reached : span.start]))
        runs.append(Run(text[span.start : span.end], evidence=True))
        reached = span.end
    if reached < len(text):
        runs.append(Run(text[reached:]))
    return runs


def merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def shortened(runs: Sequence[Run], *, around: int) -> list[Run]:
    """The runs with at most ``around`` characters kept at each end of a run; what is left out is counted."""
    found: list[Run] = []
    for run in runs:
        left_out = len(run.text) - 2 * around
        if left_out <= 0:
            found.append(run)
            continue
        found += [
            Run(run.text[:around], run.evidence),
            Run("", run.evidence, left_out),
            Run(run.text[len(run.text) - around :], run.evidence),
        ]
    return found
