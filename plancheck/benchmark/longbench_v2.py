"""Questions from a data file in LongBench-v2's format, or in another four-choice format through a column mapping."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plancheck.benchmark.reading import RawRecord, read_records
from plancheck.errors import StudyError, all_problems
from plancheck.params.benchmark import Columns
from plancheck.records import LETTERS, Benchmark, Question

CHOICES = ("choice_a", "choice_b", "choice_c", "choice_d")
REQUIRED = ("question_id", "question", *CHOICES, "answer", "context")
OPTIONAL = ("domain", "sub_domain", "difficulty", "length")
ONLY_DOMAIN = "all"
SHOWN_CHARS = 60


def read_benchmark(path: Path, columns: Columns) -> Benchmark:
    """The questions of ``path`` in the file's order, and each distinct context once.

    Every record needs an ID (text, or a whole number, which is kept as decimal text), a question, four choices, a
    context (all of them text with something other than white space) and an answer that is exactly A, B, C or D.
    Texts are kept as they are. Choices of one question may be equal, and questions may repeat: the ID is the key.

    An optional field may be absent, which reads as "" (for the domain: absent from every record, which puts all of
    them in the one domain "all"; a domain in some records only is a mistake). An optional field whose name was
    changed in ``columns`` must be in the file: a misspelt name must not pass for an absent field.

    Raises:
        StudyError: the file cannot be read, or records break these rules; all of them are listed.
    """
    check_distinct(columns)
    records = read_records(path, fields=set(columns.model_dump().values()))
    return parse_records(records, columns, name=str(path))


def check_distinct(columns: Columns) -> None:
    names = [getattr(columns, field) for field in REQUIRED]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise StudyError(f"benchmark.columns: {', '.join(doubled)} named for two fields. Give each field its own name.")


def parse_records(records: Sequence[RawRecord], columns: Columns, *, name: str) -> Benchmark:
    """Checked records as a benchmark; ``name`` is how messages call their origin."""
    needed = needed_fields(records, columns)
    questions: list[Question] = []
    contexts: dict[str, str] = {}
    places: dict[str, str] = {}
    problems: list[str] = []
    for record in records:
        broken = broken_rules(record.value, columns, needed)
        question_id = id_text(record.value.get(columns.question_id)) if isinstance(record.value, dict) else None
        if question_id is not None:
            earlier = places.setdefault(question_id, record.place)
            if earlier != record.place:
                broken.append(f"{columns.question_id} is also the ID of {earlier}; IDs must be unique")
        label = record.place if question_id is None else f"{record.place} ({columns.question_id} {shown(question_id)})"
        problems.extend(f"{label}: {rule}" for rule in broken)
        if not problems:
            question = to_question(record.value, columns)
            questions.append(question)
            contexts.setdefault(question.context_id, record.value[columns.context])
    if problems:
        raise all_problems(
            f"{name}: {len(problems)} problem(s) in {len(records)} record(s):",
            problems,
            remedy="Mend or remove these records; where the file names its fields differently, set benchmark.columns.",
        )
    return Benchmark(questions=tuple(questions), contexts=contexts)


def needed_fields(records: Sequence[RawRecord], columns: Columns) -> tuple[str, ...]:
    """The required fields, the renamed optional ones that no record has, and the domain if any record has it."""
    objects = [record.value for record in records if isinstance(record.value, dict)]
    present = {name for value in objects for name, content in value.items() if content is not None}
    absent = {field for field in OPTIONAL if getattr(columns, field) not in present}
    misnamed = tuple(field for field in OPTIONAL if field in absent and getattr(columns, field) != field)
    return (*REQUIRED, *misnamed) if "domain" in absent else (*REQUIRED, *misnamed, "domain")


def broken_rules(value: Any, columns: Columns, needed: Sequence[str]) -> list[str]:
    """The rules a record breaks, each with its field."""
    if not isinstance(value, dict):
        return [f"must be an object with named fields, got {kind(value)}"]
    missing = [getattr(columns, field) for field in needed if value.get(getattr(columns, field)) is None]
    broken = [f"has no {', '.join(missing)}"] if missing else []
    for field in (*REQUIRED, *OPTIONAL):
        column = getattr(columns, field)
        text = value.get(column)
        if text is None:
            continue
        if field == "answer":
            rule = None if text in LETTERS else f"must be exactly A, B, C or D, got {shown(text)}"
        elif field == "question_id":
            rule = id_rule(text)
        else:
            rule = text_rule(text, blank=field not in needed)
        if rule:
            broken.append(f"{column} {rule}")
    return broken


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


def to_question(record: Mapping[str, Any], columns: Columns) -> Question:
    """A record that breaks no rule as a question."""
    optional = {field: record.get(getattr(columns, field)) or "" for field in OPTIONAL}
    a, b, c, d = (record[getattr(columns, field)] for field in CHOICES)
    return Question(
        question_id=str(record[columns.question_id]),
        domain=optional["domain"] or ONLY_DOMAIN,
        sub_domain=optional["sub_domain"],
        difficulty=optional["difficulty"],
        length=optional["length"],
        question=record[columns.question],
        choices=(a, b, c, d),
        answer=record[columns.answer],
        context_id=hashlib.sha256(record[columns.context].encode("utf-8")).hexdigest(),
    )


def kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "text" if isinstance(value, str) else "binary data")


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "..."
