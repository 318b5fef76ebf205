"""A record of a data file under our names for its fields, and the rules that it breaks by itself."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from plancheck.benchmark.answers import answer_rule
from plancheck.benchmark.choices import Choices, read_choices
from plancheck.benchmark.evidence import read_evidence
from plancheck.benchmark.further import further_choices
from plancheck.benchmark.joined import context_rule, joined
from plancheck.benchmark.json_records import RawRecord
from plancheck.benchmark.texts import Texts
from plancheck.benchmark.values import id_rule, is_absent, kind, text_rule
from plancheck.params.formats import Columns
from plancheck.records import LETTERS, MOST_CHOICES, Span

OPTIONAL: Final = ("domain", "sub_domain", "difficulty", "length")
TEXTS: Final = ("question", *OPTIONAL)


@dataclass(slots=True)
class Entry:
    """What a record says, by our names; absent are fields that are not there, null or NaN.

    ``values["context"]`` is the ID of the context, whose text is kept apart. ``documents`` are those of a context that
    is a list. ``broken`` are rules, each with its field. ``fields`` are the record's own names.
    """

    place: str
    values: dict[str, Any] = field(default_factory=dict)
    choices: Choices | None = None
    documents: tuple[Span, ...] | None = None
    evidence: tuple[Span, ...] | None = None
    broken: list[str] = field(default_factory=list)
    fields: tuple[str, ...] = ()


def entry(record: RawRecord, *, columns: Columns, contexts: Texts) -> Entry:
    """The record without what is not used; its context goes into ``contexts``."""
    found = Entry(record.place)
    if not isinstance(record.value, dict):
        found.broken.append(f"must be an object with named fields, got {kind(record.value)}")
        return found
    present = {name: value for name, value in record.value.items() if not is_absent(value)}
    found.fields = tuple(map(sys.intern, record.value))
    names = {ours: name for ours, name in columns.model_dump().items() if ours not in ("choices", "questions")}
    found.values = {ours: present[name] for ours, name in names.items() if name in present}
    choices = read_choices(present, columns)
    if isinstance(choices, str):
        found.broken.append(choices)
    elif choices is not None:
        found.choices = choices
        found.broken += [further_rule(name, choices) for name in further_choices(present, columns, len(choices.texts))]
    if "context" in found.values:
        place_context(found, columns, contexts)
    return found


def further_rule(name: str, choices: Choices) -> str:
    if len(choices.texts) == MOST_CHOICES:
        return f"{name} looks like a further choice, but a question has {MOST_CHOICES} at most"
    return f"{name} looks like a further choice; list it in benchmark.columns.choices, or rename it if it is none"


def place_context(found: Entry, columns: Columns, contexts: Texts) -> None:
    """Keep the context's text under its ID, and find the evidence in it."""
    value, evidence = found.values["context"], found.values.pop("evidence", None)
    if rule := context_rule(value):
        found.values["context"] = ""
        found.broken.append(f"{columns.context} {rule}")
        return
    if isinstance(value, list):
        value, found.documents = joined(value)
    found.values["context"] = contexts.add(value)
    if evidence is not None:
        found.evidence, broken = read_evidence(evidence, value)
        remedy = " (benchmark.columns.evidence: null leaves the field out)"
        found.broken += [f"{columns.evidence} {rule}{'' if found.evidence else remedy}" for rule in broken]


def broken_rules(found: Entry, needed: Sequence[str], columns: Columns, answer_index: int | None) -> list[str]:
    """The rules that a record breaks, each with its field.

    Args:
        found: the record.
        needed: fields that must be there, by our names.
        columns: the file's names.
        answer_index: of the first choice in answers that are numbers; None where it is not declared.
    """
    missing = [shown_field(ours, columns) for ours in needed if lacks(found, ours)]
    broken = [*found.broken, *([f"has no {', '.join(missing)}"] if missing else [])]
    names = columns.model_dump()
    for ours, value in found.values.items():
        rule = None
        if ours == "answer" and found.choices:
            rule = answer_rule(value, found.choices, answer_index)
        elif ours == "question_id":
            rule = id_rule(value)
        elif ours in TEXTS:
            rule = text_rule(value, blank=ours in OPTIONAL and ours not in needed)
            if rule and ours in OPTIONAL and not isinstance(value, str):
                rule += f" (benchmark.columns.{ours}: null leaves the field out)"
        broken += [f"{names[ours]} {rule}"] if rule else []
    return broken + choice_rules(found, columns)


def lacks(found: Entry, ours: str) -> bool:
    if ours == "choices":
        return found.choices is None and not found.broken
    return ours not in found.values


def shown_field(ours: str, columns: Columns) -> str:
    """A field by the file's name; of several that hold the choices the two that every question has."""
    if ours == "choices":
        return ", ".join(columns.choice_fields[:2])
    return str(getattr(columns, ours))


def choice_rules(found: Entry, columns: Columns) -> list[str]:
    """What is wrong with the texts of the choices."""
    if found.choices is None:
        return []
    rules = ((place, text_rule(text, blank=False)) for place, text in enumerate(found.choices.texts))
    named = not isinstance(columns.choices, str)
    return [
        f"{columns.choices[place] if named else f'{columns.choices}: choice {LETTERS[place]}'} {rule}"
        for place, rule in rules
        if rule
    ]
