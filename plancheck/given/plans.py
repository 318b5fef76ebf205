"""Plans of a user's own: a JSON Lines file, one row a question.

A row holds ``question_id`` and one of: ``atom_ids``, atoms of the question's context as `plancheck export` names them;
``spans``, [start, end) characters of the context; ``quotes``, texts that stand in the context exactly once. Their order
is the plan's. An empty list is a plan that failed, and so is a question without a row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from plancheck.given.lines import Faults, rows, text_of
from plancheck.records import Atom, Question, Span, span_id

FORMS: Final = ("atom_ids", "spans", "quotes")
REMEDY: Final = "Mend the file, or leave a question's row out: its plan then counts as failed."
SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class GivenPlan:
    """What a plan selects, in its order: IDs of atoms or spans (`plancheck.records.span_id`), each with its span."""

    atom_ids: tuple[str, ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question's plan is looked up: its context, and the context's atoms by ID."""

    context: str
    atoms: Mapping[str, Atom]


def read_given_plans(
    path: Path, questions: Mapping[str, Question], contexts: Mapping[str, str], atoms: Mapping[str, Sequence[Atom]]
) -> dict[str, GivenPlan]:
    """The plan of each question that has a row with something in it, by ID.

    Args:
        path: of the file.
        questions: of the study, by ID.
        contexts: by ID.
        atoms: by context.

    Raises:
        StudyError: the file cannot be read, or rows name unknown questions or atoms, a question twice, spans outside
            the context, or quotes that stand there not once. All are listed.
    """
    faults = Faults(path)
    plans: dict[str, GivenPlan] = {}
    first: dict[str, str] = {}
    by_id = {context_id: {atom.atom_id: atom for atom in own} for context_id, own in atoms.items()}
    for place, row in rows(path, faults):
        question_id = text_of(row, "question_id", place, faults)
        if question_id is None:
            continue
        where = f"{place} ({question_id:.{SHOWN}})"
        if question_id not in questions:
            faults.add(where, "no question of the study has this ID")
        elif question_id in first:
            faults.add(where, f"the question has a row already, {first[question_id]}")
        else:
            first[question_id] = place
            context_id = questions[question_id].context_id
            found = given_plan(row, where, Place(contexts[context_id], by_id[context_id]), faults)
            if found and found.spans:
                plans[question_id] = found
    faults.raise_any(remedy=REMEDY)
    return plans


def given_plan(row: Mapping[str, Any], where: str, place: Place, faults: Faults) -> GivenPlan | None:
    """A row's plan; None where something is wrong with it, which is then among the faults."""
    given = [form for form in FORMS if form in row]
    if len(given) != 1:
        faults.add(where, f"must hold one of {', '.join(FORMS)}, holds {', '.join(given) or 'none'}")
        return None
    form, values = given[0], row[given[0]]
    if not isinstance(values, list):
        faults.add(where, f"{form} must be a list, is {values!r:.{SHOWN}}")
        return None
    look_up = {"atom_ids": of_atom, "spans": of_span, "quotes": of_quote}[form]
    before = len(faults.found)
    found: dict[str, Span] = {}
    for value in values:
        named = look_up(value, where, place, faults)
        if named is None:
            continue
        if named[0] in found:
            faults.add(where, f"{form} holds {value!r:.{SHOWN}} twice")
        found[named[0]] = named[1]
    return GivenPlan(tuple(found), tuple(found.values())) if len(faults.found) == before else None


def of_atom(value: Any, where: str, place: Place, faults: Faults) -> tuple[str, Span] | None:
    atom = place.atoms.get(value) if isinstance(value, str) else None
    if atom is None:
        faults.add(where, f"no atom of the question's context has the ID {value!r:.{SHOWN}}")
        return None
    return atom.atom_id, Span(atom.start, atom.end)


def of_span(value: Any, where: str, place: Place, faults: Faults) -> tuple[str, Span] | None:
    length = len(place.context)
    if not (isinstance(value, list) and len(value) == 2 and all(type(bound) is int for bound in value)):
        faults.add(where, f"a span must be [start, end], is {value!r:.{SHOWN}}")
    elif not 0 <= value[0] < value[1] <= length:
        faults.add(
            where, f"span {value!r:.{SHOWN}} is empty or outside the context, which has characters 0 to {length:,}"
        )
    else:
        span = Span(*value)
        return span_id(span), span
    return None


def of_quote(value: Any, where: str, place: Place, faults: Faults) -> tuple[str, Span] | None:
    if not isinstance(value, str) or not value:
        faults.add(where, f"a quote must be a text, is {value!r:.{SHOWN}}")
        return None
    start = place.context.find(value)
    if start < 0:
        faults.add(where, f"a quote of {len(value):,} characters is not in the context: {value!r:.{SHOWN}}")
        return None
    if place.context.find(value, start + 1) >= 0:
        faults.add(where, f"a quote is in the context more than once, give its span: {value!r:.{SHOWN}}")
        return None
    span = Span(start, start + len(value))
    return span_id(span), span
