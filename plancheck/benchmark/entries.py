"""A record of a data file under our names for its fields, and the rules that it breaks by itself."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from plancheck.benchmark.choices import CHOICES, answer_letter, field_names, further_choices, is_number, list_rule
from plancheck.benchmark.json_records import RawRecord
from plancheck.benchmark.texts import Texts
from plancheck.params.benchmark import Columns
from plancheck.records import LETTERS, Letter

OPTIONAL: Final = ("domain", "sub_domain", "difficulty", "length")
SHOWN_CHARS = 60


@dataclass(slots=True)
class Entry:
    """What a record says, by our names; absent are fields that are not there, null or NaN.

    ``values["context"]`` is the ID of the context, whose text is kept apart. ``broken`` are rules, each with its field.
    ``fields`` are the record's own names.
    """

    place: str
    values: dict[str, Any] = field(default_factory=dict)
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
    found.broken += [
        f"{name} looks like a further choice, but plancheck asks four; take these questions out, or rename a field "
        "that is no choice"
        for name in further_choices(present, columns)
    ]
    found.values = {ours: present[name] for ours, name in field_names(columns).items() if name in present}
    if columns.choices is not None:
        spread_choices(found, columns.choices)
    if "context" in found.values:
        rule = text_rule(found.values["context"], blank=False)
        found.values["context"] = "" if rule else contexts.add(found.values["context"])
        found.broken += [f"{columns.context} {rule}"] if rule else []
    return found


def is_absent(value: Any) -> bool:
    """Whether a value says that there is none; NaN is what pandas writes for it."""
    return value is None or (isinstance(value, float) and value != value)


def spread_choices(found: Entry, name: str) -> None:
    """A list of choices as four fields."""
    choices = found.values.pop("choices", None)
    if choices is None:
        found.broken.append(f"has no {name}")
    elif rule := list_rule(choices):
        found.broken.append(f"{name} {rule}{'' if isinstance(choices, list) else f', got {kind(choices)}'}")
    else:
        found.values |= dict(zip(CHOICES, choices, strict=True))


def broken_rules(found: Entry, needed: Sequence[str], columns: Columns, base: int | None) -> list[str]:
    """The rules that a record breaks, each with its field.

    Args:
        found: the record.
        needed: fields that must be there, by our names.
        columns: the file's names.
        base: the number of the first choice in answers that are numbers, as `letter_of` takes it.
    """
    names = {ours: f"{columns.choices}: choice" for ours in CHOICES} if columns.choices else {}
    names = columns.model_dump() | names
    missing = [names[ours] for ours in needed if ours not in found.values]
    broken = [*found.broken, *([f"has no {', '.join(missing)}"] if missing else [])]
    for ours, value in found.values.items():
        if ours == "context":
            rule = None
        elif ours == "answer":
            rule = answer_rule(found, columns, base)
        elif ours == "question_id":
            rule = id_rule(value)
        else:
            rule = text_rule(value, blank=ours in OPTIONAL and ours not in needed)
            if rule and ours in OPTIONAL and not isinstance(value, str):
                rule += f" (benchmark.columns.{ours}: null leaves the field out)"
        broken += [f"{names[ours]} {rule}"] if rule else []
    return broken


def answer_rule(found: Entry, columns: Columns, base: int | None) -> str | None:
    """What is wrong with a record's answer, or None."""
    answer = found.values["answer"]
    if letter_of(found, columns, base):
        return None
    if columns.choices is None:
        return f"must be exactly A, B, C or D, got {shown(answer)}"
    if CHOICES[0] not in found.values or (is_number(answer) and base is None):
        return None  # told already: of the list of choices, or of all the file's numbers
    return f"must be one choice's letter A to D, its number, or its exact text, got {shown(answer)}"


def letter_of(found: Entry, columns: Columns, base: int | None) -> Letter | None:
    """The gold letter of a record, or None where its answer is no letter and means no choice, or several.

    ``base`` is the number of the first choice in answers that are numbers, None where it is not known.
    """
    answer = found.values["answer"]
    if columns.choices is not None:
        texts = [found.values.get(choice) for choice in CHOICES]
        return answer_letter(answer, texts, base)
    return next((letter for letter in LETTERS if letter == answer), None)


def text_rule(text: Any, *, blank: bool) -> str | None:
    """What is wrong with a text, or None; ``blank`` says whether it may be empty or white space."""
    if not isinstance(text, str):
        return f"must be text, got {kind(text)}"
    if not blank and not text.strip():
        return "must not be empty" if not text else "must hold more than white space"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"holds half a surrogate pair at character {error.start}, which UTF-8 cannot write"
    return None


def id_rule(value: Any) -> str | None:
    """What is wrong with an ID, or None."""
    if isinstance(value, str):
        return text_rule(value, blank=False)
    return f"must be text or a whole number, got {kind(value)}" if id_text(value) is None else None


def id_text(value: Any) -> str | None:
    """An ID as text, or None when it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "text" if isinstance(value, str) else "binary data")


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "..."
