"""Atoms of a user's own chunker: a JSON Lines file, one row a span.

A row holds ``context_id``, or ``question_id`` for the context of a question, and ``start`` and ``end``: the characters
[start, end) of the context, Unicode code points from 0. Rows come in any order; spans may overlap, lie in one another
and leave characters out.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from plancheck.given.lines import Faults, rows, text_of
from plancheck.records import Question, Span

NAMES: Final = ("context_id", "question_id")
BOUNDS: Final = ("start", "end")
REMEDY: Final = "Mend the file: `plancheck export questions --text` writes each context with its ID."
SHOWN: Final = 40


def read_given_atoms(
    path: Path, questions: Mapping[str, Question], chars: Mapping[str, int]
) -> dict[str, tuple[Span, ...]]:
    """The spans of each context, by ID, in the order of the file; each has one or more.

    Args:
        path: of the file.
        questions: of the study, by ID.
        chars: of each context of the study, by ID.

    Raises:
        StudyError: the file cannot be read, or rows name unknown contexts or questions, a context by two names, a span
            twice, or spans that are empty or outside the context; or a context has no row, which is
            told where all rows can be used. All are listed.
    """
    faults = Faults(path)
    first: dict[str, dict[Span, str]] = {}
    names: dict[str, dict[str, str]] = {}
    for place, row in rows(path, faults):
        name = name_of(row, place, faults)
        if name is None:
            continue
        where = f"{place} ({row[name]:.{SHOWN}})"
        context_id = context_of(row[name], name, questions, chars)
        if context_id is None:
            faults.add(where, f"no {name.removesuffix('_id')} of the study has this ID")
            continue
        if fault := other_name(f"{name} {row[name]}", place, names.setdefault(context_id, {})):
            faults.add(where, fault)
        span = span_of(row, where, chars[context_id], faults)
        if span is None:
            continue
        spans = first.setdefault(context_id, {})
        if span in spans:
            faults.add(where, f"the context has a span [{span.start}, {span.end}] already, {spans[span]}")
        else:
            spans[span] = place
    asking = {question.context_id: question_id for question_id, question in sorted(questions.items(), reverse=True)}
    missing = () if faults.found else sorted(set(chars) - set(names))  # a row that cannot be used may be one's only one
    for context_id in missing:
        faults.add(f"context {context_id} (of question {asking[context_id]:.{SHOWN}})", "has no span")
    faults.raise_any(remedy=REMEDY)
    return {context_id: tuple(spans) for context_id, spans in first.items()}


def name_of(row: Mapping[str, Any], place: str, faults: Faults) -> str | None:
    """The field that names the row's context; None, and a fault, where not just one does, or it is no text."""
    given = [name for name in NAMES if name in row]
    if len(given) != 1:
        faults.add(place, f"must hold one of {', '.join(NAMES)}, holds {', '.join(given) or 'none'}")
        return None
    return given[0] if text_of(row, given[0], place, faults) else None


def context_of(value: str, name: str, questions: Mapping[str, Question], chars: Mapping[str, int]) -> str | None:
    """The ID of the context that a row names; None for an unknown one."""
    if name == "context_id":
        return value if value in chars else None
    return questions[value].context_id if value in questions else None


def other_name(name: str, place: str, known: dict[str, str]) -> str | None:
    """What is wrong with a context's further name, where it first comes; ``known`` holds the first place of each."""
    if name in known:
        return None
    fault = None
    if known:
        own, before = next(iter(known.items()))
        fault = f"its context has rows as {own:.{SHOWN}} already, {before}; give all rows of a context under one name"
    known[name] = place
    return fault


def span_of(row: Mapping[str, Any], where: str, chars: int, faults: Faults) -> Span | None:
    """The row's span; None, and a fault, where it is none of the context."""
    before = len(faults.found)
    for bound in BOUNDS:
        if bound not in row:
            faults.add(where, f"{bound} is missing")
        elif type(row[bound]) is not int:
            faults.add(where, f"{bound} must be a whole number, is {row[bound]!r:.{SHOWN}}")
    if len(faults.found) > before:
        return None
    start, end = (row[bound] for bound in BOUNDS)
    if not 0 <= start < end <= chars:
        faults.add(where, f"span [{start}, {end}] is empty or outside the context, which has characters 0 to {chars:,}")
        return None
    return Span(start, end)
