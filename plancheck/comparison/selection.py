"""Which field of a results file is the question's ID, which its score, and which records are compared."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from plancheck.comparison.inspect_logs import LETTER_SCORES
from plancheck.comparison.reading import Record, ResultsFile
from plancheck.errors import StudyError, all_problems
from plancheck.statistics.pairs import Scored

ID_FIELDS: Final = ("question_id", "qid", "example_id", "doc_id", "id", "_id", "uid")
SCORE_FIELDS: Final = ("correct", "is_correct", "score", "acc", "accuracy", "exact_match", "em", "f1")
WORD_SCORES: Final[Mapping[str, float]] = {**LETTER_SCORES, "true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
SHOWN_VALUES = 12


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asked for; None leaves a field to detection. ``where`` maps a field to the value it must have.

    A field inside an object is named with a dot, such as "doc.passage".
    """

    id_field: str | None = None
    score_field: str | None = None
    cluster_field: str | None = None
    where: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """The selected results of a file: each question once, with its cluster and its document's hash where there are."""

    file: ResultsFile
    id_field: str
    score_field: str
    scored: tuple[Scored, ...]
    clusters: Mapping[str, str]
    hashes: Mapping[str, str]


def scored_results(file: ResultsFile, selection: Selection) -> ScoredFile:
    """The selected records of a file as (question ID, score).

    Raises:
        StudyError: a field is not there or not clear, no record is selected, an ID is missing or doubled, or a score
            is missing or no number; all bad records at once.
    """
    records = _selected(file, selection.where or {})
    id_field = selection.id_field or _detected_id(file, records)
    score_field = selection.score_field or _detected_score(file, records)
    problems: list[str] = []
    scored: list[Scored] = []
    kept: dict[str, Record] = {}
    for record in records:
        question_id, score = _text(_value(record, id_field)), _number(_value(record, score_field))
        if not question_id:
            problems.append(f"{record.place}: no question ID in {id_field}")
        if score is None:
            problems.append(f"{record.place}: {_unscored(record, score_field)}")
        if selection.cluster_field and not _text(_value(record, selection.cluster_field)):
            problems.append(f"{record.place}: no cluster in {selection.cluster_field}")
        scored.append((question_id, score or 0.0))
        kept[question_id] = record
    if problems:
        raise all_problems(f"{file.path}: unusable results", problems, remedy=_remedy(records))
    _check_once(file, records, id_field, score_field)
    cluster = selection.cluster_field
    return ScoredFile(
        file,
        id_field,
        score_field,
        tuple(scored),
        {question_id: _text(_value(record, cluster)) for question_id, record in kept.items()} if cluster else {},
        {key: str(record.fields["doc_hash"]) for key, record in kept.items() if "doc_hash" in record.fields},
    )


def _selected(file: ResultsFile, where: Mapping[str, str]) -> Sequence[Record]:
    records: Sequence[Record] = file.records
    for field, wanted in where.items():
        values = {_text(_value(record, field)) for record in records}
        records = [record for record in records if _text(_value(record, field)) == wanted]
        if not records:
            raise StudyError(
                f"{file.path}: no result has {field}={wanted}. {field} is {_choice(values)}; "
                f"the fields are {_choice(_names(file.records))}."
            )
    return records


def _detected_id(file: ResultsFile, records: Sequence[Record]) -> str:
    names = _names(records)
    for name in ID_FIELDS:
        if name in names:
            return name
    raise StudyError(f"{file.path}: which field is the question's ID? Name it with --id: {_choice(names)}.")


def _detected_score(file: ResultsFile, records: Sequence[Record]) -> str:
    names = _names(records)
    for name in SCORE_FIELDS:
        if name in names:
            return name
    if file.kind == "inspect_ai log":
        likely = [name for name in names if name not in ("id", "epoch", "metadata")]
        if not likely:
            raise StudyError(f"{file.path}: no sample was scored. Run `inspect score` or the evaluation again.")
    elif isinstance(metrics := records[0].fields.get("metrics"), list):
        likely = [str(metric) for metric in metrics]
    else:
        likely = [name for name in names if name.startswith("score_")]
    if len(likely) == 1:
        return likely[0]
    raise StudyError(f"{file.path}: which field is the score? Name it with --score: {_choice(likely or names)}.")


def _check_once(file: ResultsFile, records: Sequence[Record], id_field: str, score_field: str) -> None:
    times = Counter(_text(_value(record, id_field)) for record in records)
    doubled = [question_id for question_id, count in times.items() if count > 1]
    if doubled:
        raise all_problems(
            f"{file.path}: questions with several results ({id_field} is the ID)",
            [f"{question_id}: {times[question_id]} results" for question_id in doubled],
            remedy=_telling_apart(records, id_field, score_field),
        )


def _telling_apart(records: Sequence[Record], id_field: str, score_field: str) -> str:
    """The remedy for doubled IDs: the fewest fields that tell the results of a question apart, and their values."""
    values: dict[str, set[str]] = {}
    for name in _names(records):
        found = [record.fields.get(name) for record in records]
        plain = all(isinstance(value, str | int) and not isinstance(value, bool) for value in found)
        if plain and name not in (id_field, score_field):
            values[name] = {_text(value) for value in found}
    candidates = [name for name, found in values.items() if 1 < len(found) <= max(2, len(records) // 2)]
    for size in (1, 2):
        for fields in combinations(candidates, size):
            keys = {tuple(_text(_value(record, name)) for name in (id_field, *fields)) for record in records}
            if len(keys) == len(records):
                options = " ".join(f"--where {name}=VALUE" for name in fields)
                known = "; ".join(f"{name} is {_choice(values[name])}" for name in fields)
                return f"Choose one result a question with {options} (--where-a, --where-b for one file): {known}."
    return "Keep one result a question, or name another field with --id."


def _unscored(record: Record, field: str) -> str:
    value = _value(record, field)
    if value is None or value == "":
        return f"no score in {field}"
    return f"{field} must be a finite number, true or false, got {value!r:.40}"


def _remedy(records: Sequence[Record]) -> str:
    return (
        "Name other fields with --id and --score, or give every question an ID and a score; a failed answer scores 0 "
        f"or is left out, as you decide. The fields are {_choice(_names(records))}."
    )


def _value(record: Record, field: str) -> Any:
    """The value of a field or, after a dot, of a field inside it; None where it is not."""
    if field in record.fields:
        return record.fields[field]
    value: Any = record.fields
    for name in field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        word = value.strip()
        value = WORD_SCORES.get(word, WORD_SCORES.get(word.lower(), word))
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _text(value: Any) -> str:
    """A value as an ID, a cluster or a condition; a missing one is empty, as which many programs write NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names(records: Iterable[Record]) -> list[str]:
    """Every field of any record that has a name, in order of appearance."""
    return list({name: None for record in records for name in record.fields if name.strip()})


def _choice(values: Iterable[str]) -> str:
    """Values for a message: in the order given, a set sorted; the first dozen."""
    listed = sorted(values, key=lambda value: (len(value), value)) if isinstance(values, set) else list(values)
    more = f" and {len(listed) - SHOWN_VALUES} more" if len(listed) > SHOWN_VALUES else ""
    return ", ".join(listed[:SHOWN_VALUES]) + more
