"""Atoms of a user's own chunker: a JSON Lines file, one row an atom.

A row holds ``context_id`` or ``question_id`` (the context of that question), and ``start`` and ``end``: the atom is
[start, end), in characters of the context. Atoms may overlap, and need not cover the context.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from plancheck.given.lines import Faults, rows
from plancheck.records import Question, Span

NAMES: Final = ("context_id", "question_id")
REMEDY: Final = "Mend the file: every context needs an atom, and each atom a row of its own."
SHOWN: Final = 40


def read_given_atoms(
    path: Path, questions: Mapping[str, Question], lengths: Mapping[str, int]
) -> dict[str, tuple[Span, ...]]:
    """The atoms of each context, by start and then end.

    Args:
        path: of the file.
        questions: of the study, by ID.
        lengths: characters of each context, by ID.

    Raises:
        StudyError: the file cannot be read, or rows name unknown contexts or questions, spans that are empty or outside
            the context, or an atom twice; or a context has no atom. All are listed.
    """
    faults = Faults(path)
    found: dict[str, dict[Span, str]] = defaultdict(dict)
    for place, row in rows(path, faults):
        context_id = context_of(row, place, questions, lengths, faults)
        span = span_of(row, place, faults)
        if context_id is None or span is None:
            continue
        if span.end > lengths[context_id]:
            faults.add(place, f"[{span.start:,}, {span.end:,}) is outside the context, which ends at "
                       f"{lengths[context_id]:,}")  # fmt: skip
        elif span in found[context_id]:
            faults.add(place, f"the atom has a row already, {found[context_id][span]}")
        else:
            found[context_id][span] = place
    if not faults.found:
        for context_id in sorted(lengths.keys() - found.keys()):
            faults.add(f"context {context_id}", "has no atom")
    faults.raise_any(remedy=REMEDY)
    return {
        context_id: tuple(sorted(spans, key=lambda span: (span.start, span.end))) for context_id, spans in found.items()
    }


def context_of(
    row: Mapping[str, Any], place: str, questions: Mapping[str, Question], lengths: Mapping[str, int], faults: Faults
) -> str | None:
    """The ID of the row's context; None, and a fault, where the row names none of the study."""
    given = [name for name in NAMES if name in row]
    if len(given) != 1:
        faults.add(place, f"must hold one of {' and '.join(NAMES)}, holds {'both' if given else 'none'}")
        return None
    name, value = given[0], row[given[0]]
    if not isinstance(value, str):
        faults.add(place, f"{name} must be a text, is {value!r:.{SHOWN}}")
    elif name == "context_id" and value in lengths:
        return value
    elif name == "question_id" and value in questions:
        return questions[value].context_id
    else:
        faults.add(place, f"no {name.removesuffix('_id')} of the study has the ID {value:.{SHOWN}}")
    return None


def span_of(row: Mapping[str, Any], place: str, faults: Faults) -> Span | None:
    """The row's span; None, and a fault, where it is none."""
    start, end = row.get("start"), row.get("end")
    if isinstance(start, bool) or isinstance(end, bool) or not (isinstance(start, int) and isinstance(end, int)):
        faults.add(place, f"start and end must be whole numbers, are {start!r:.{SHOWN}} and {end!r:.{SHOWN}}")
        return None
    if not 0 <= start < end:
        faults.add(place, f"[{start}, {end}) holds no character")
        return None
    return Span(start, end)
