"""Answers of a finished system: a file of per-question results in any form that `plancheck compare` reads."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from plancheck.answering.rightness import is_right
from plancheck.comparison.columns import names_of, texts_of, values_of
from plancheck.comparison.detection import ID_FIELDS, id_field
from plancheck.comparison.reading import read_results
from plancheck.comparison.records import Record, ResultsFile
from plancheck.comparison.selection import Selection, scored_results, selected
from plancheck.given.lines import Faults
from plancheck.params.given import PredictionsFile
from plancheck.plumbing.errors import StudyError
from plancheck.records import Letter, Question

LETTER = "letter"
REMEDY = "Mend the file, or leave a question's row out: its answer then counts as wrong."
SHOWN = 40


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """Whether a question is answered right, and the letter where the file gives letters."""

    correct: bool
    letter: Letter | None = None


def read_given_predictions(entry: PredictionsFile, questions: Mapping[str, Question]) -> dict[str, GivenAnswer]:
    """The answer of each question that has one, by ID.

    A field of letters is judged against the gold letters; else a field says itself what is right, with 0 or 1.

    Raises:
        StudyError: the file cannot be read, no field fits, a question is unknown or there twice, a letter is none of
            the question's, or a score is neither 0 nor 1. Bad rows are listed.
    """
    file = read_results(entry.path)
    faults = Faults(entry.path)
    letters = entry.letter or (LETTER if not entry.score and LETTER in names_of(file.records) else None)
    read = partial(of_letters, field=letters) if letters else of_scores
    try:
        ids = entry.id or field_of_ids(file, entry, questions)
        answers = read(file, entry.model_copy(update={"id": ids}), questions, faults)
    except StudyError as error:  # it speaks of the options of `plancheck compare`
        raise StudyError(
            f"{error} In the parameters, name the fields: `{{path: FILE, id: ..., letter: ...}}`, or score."
        ) from error
    faults.raise_any(remedy=REMEDY)
    return answers


def field_of_ids(file: ResultsFile, entry: PredictionsFile, questions: Collection[str]) -> str:
    """The first field of a usual name that holds an ID of the study, of a record or of the ``doc`` that lm-eval copies.

    Where none does, the field that `plancheck compare` would take.

    Raises:
        StudyError: no field has a usual name.
    """
    records = selected(file, entry.where)
    inner = (f"doc.{name}" for name in ID_FIELDS)
    for field in (*ID_FIELDS, *inner):
        if any(name in questions for name in texts_of(records, field)):
            return field
    return id_field(file, records)


def of_letters(
    file: ResultsFile, entry: PredictionsFile, questions: Mapping[str, Question], faults: Faults, *, field: str
) -> dict[str, GivenAnswer]:
    """Answers by letter; a row without one is no answer."""
    records = selected(file, entry.where)
    if all(value is None for value in values_of(records, field)) and field.split(".")[0] not in names_of(records):
        raise StudyError(f"{file.path}: no result has a field {field}. The fields are {', '.join(names_of(records))}.")
    ids = texts_of(records, entry.id or id_field(file, records))
    found: dict[str, GivenAnswer] = {}
    first: dict[str, str] = {}
    for record, name, value in zip(each(records), ids, values_of(records, field), strict=True):
        where = f"{record.place} ({name:.{SHOWN}})"
        if name not in questions:
            faults.add(where, "no question of the study has this ID")
        elif name in first:
            faults.add(where, f"the question has a row already, {first[name]}")
        elif value not in (None, "", *questions[name].letters):
            last = questions[name].letters[-1]
            faults.add(where, f"{field} must be a letter of the question's, A to {last}, is {value!r:.{SHOWN}}")
        else:
            first[name] = record.place
            if value:
                found[name] = GivenAnswer(is_right(questions[name], value), value)
    return found


def each(records: Sequence[Record]) -> list[Record]:
    return [records[number] for number in range(len(records))]


def of_scores(
    file: ResultsFile, entry: PredictionsFile, questions: Mapping[str, Question], faults: Faults
) -> dict[str, GivenAnswer]:
    """Answers that are right by a score of 1 and wrong by one of 0."""
    scored = scored_results(file, Selection(id_field=entry.id, score_field=entry.score, where=entry.where)).scored
    for name, score in scored.items():
        if name not in questions:
            faults.add(f"{name:.{SHOWN}}", "no question of the study has this ID")
        elif score not in (0, 1):
            faults.add(f"{name:.{SHOWN}}", f"must be right or wrong, 1 or 0, is {score}")
    return {name: GivenAnswer(bool(score)) for name, score in scored.items()}
