"""The results of a file that are compared, each question once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from plancheck.comparison.columns import at, names_of, texts_of, values_of
from plancheck.comparison.detection import AnswerFields, ScoreField, answer_fields, id_field, score_or_answers
from plancheck.comparison.grading import Grades, grade
from plancheck.comparison.records import Record, ResultsFile, each, listed, number_of, text_of
from plancheck.comparison.repeats import Repeats, once_each
from plancheck.plumbing.errors import StudyError, all_problems

Graded = ScoreField | AnswerFields


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user asked for; None leaves a field to detection. ``where`` maps a field to the value it must have.

    A field inside an object is named with a dot, such as "doc.passage". ``repeats`` says how several results of a
    question become one (repeats.py); None refuses them.
    """

    id_field: str | None = None
    score_field: str | None = None
    cluster_field: str | None = None
    where: Mapping[str, str] | None = None
    pred_field: str | None = None
    gold_field: str | None = None
    repeats: str | None = None


@dataclass(frozen=True, slots=True)
class ScoredFile:
    """The selected results of a file: each question once, with what is known of it by its ID where there is any.

    ``hashes`` are of documents, ``golds`` gold answers that were compared with predictions, ``shown`` the packed_id of
    our own predictions: equal for conditions that show one question the same text. ``unanswered`` counts results
    without a prediction, which are wrong.
    """

    file: ResultsFile
    id_field: str
    graded: Graded
    results: int
    scored: Mapping[str, float]
    repeats: Repeats
    unanswered: int
    clusters: Mapping[str, str]
    hashes: Mapping[str, str]
    golds: Mapping[str, str]
    shown: Mapping[str, str]


def scored_results(file: ResultsFile, selection: Selection) -> ScoredFile:
    """The selected records of a file as (question ID, score).

    Raises:
        StudyError: a field is not there or not clear, no record is selected, an ID is missing or doubled, a score is
            missing or no number, an answer cannot be compared, or results of one question differ in cluster or
            document; all bad records at once.
    """
    records = selected(file, selection.where or {})
    key = selection.id_field or id_field(file, records)
    graded = _graded(file, records, selection)
    _refuse_unknown(file, records, selection)
    ids = texts_of(records, key)
    problems = [
        f"{records[number].place}: no question ID in {key}" for number, question_id in enumerate(ids) if not question_id
    ]
    cluster = selection.cluster_field
    if cluster:
        problems += [
            f"{records[number].place}: no cluster in {cluster}"
            for number, text in enumerate(texts_of(records, cluster))
            if not text
        ]
    grades = grade(records, graded) if isinstance(graded, AnswerFields) else _scores(file, records, graded.name)
    if problems := [*problems, *grades.problems]:
        raise all_problems(f"{file.path}: unusable results", problems, remedy=_remedy(records))
    scored, repeats = once_each(
        file, records, ids, grades.scores, way=selection.repeats, id_field=key, used=graded.names
    )
    return ScoredFile(
        file,
        key,
        graded,
        len(records),
        scored,
        repeats,
        grades.unanswered,
        clusters=_one_each(file, ids, records, cluster) if cluster else {},
        hashes=_one_each(file, ids, records, "doc_hash"),
        golds=dict(zip(ids, grades.golds, strict=True)) if grades.golds else {},
        shown=_shown(ids, records),
    )


def selected(file: ResultsFile, where: Mapping[str, str]) -> Sequence[Record]:
    """The records whose fields have the values asked for.

    Raises:
        StudyError: there is none.
    """
    records: Sequence[Record] = file.records
    for field, wanted in where.items():
        texts = texts_of(records, field)
        records = at(records, [number for number, text in enumerate(texts) if text == wanted])
        if not records:
            others = set(texts) - {""}
            is_there = f"{field} is {listed(others)}" if others else f"No result has a field {field}"
            raise StudyError(
                f"{file.path}: no result has {field}={wanted}. {is_there}; the fields are "
                f"{listed(names_of(file.records))}."
            )
    return records


def _refuse_unknown(file: ResultsFile, records: Sequence[Record], selection: Selection) -> None:
    given = {
        "--id": selection.id_field,
        "--score": selection.score_field,
        "--cluster": selection.cluster_field,
        "--pred": selection.pred_field,
        "--gold": selection.gold_field,
    }
    unknown = [
        f"{name} ({option})"
        for option, name in given.items()
        if name and not any(map(text_of, values_of(records, name)))
    ]
    if unknown:
        raise StudyError(
            f"{file.path}: no result has a field {' or '.join(unknown)}. The fields are {listed(names_of(records))}."
        )


def _graded(file: ResultsFile, records: Sequence[Record], selection: Selection) -> Graded:
    if selection.pred_field or selection.gold_field:
        if selection.score_field:
            raise StudyError("Give --score, or --pred and --gold: a score needs no prediction.")
        return answer_fields(file, records, pred=selection.pred_field, gold=selection.gold_field)
    return ScoreField(selection.score_field) if selection.score_field else score_or_answers(file, records)


def _scores(file: ResultsFile, records: Sequence[Record], field: str) -> Grades:
    """The score that each record has, 0 where there is none, and what is wrong with those."""
    values = values_of(records, field)
    scores = each(partial(number_of, decimal_commas=file.decimal_commas), values)
    problems = []
    for number, (value, score) in enumerate(zip(values, scores, strict=True) if None in scores else ()):
        if value is None or value == "":
            problems.append(f"{records[number].place}: no score in {field}")
        elif score is None:
            problems.append(
                f"{records[number].place}: {field} must be a finite number up to 1e100, true or false, "
                f"got {value!r:.40}"
            )
    if file.decimal_commas and all(any(isinstance(v, str) and mark in v for v in values) for mark in ",."):
        problems.append(f"{field} has numbers with a comma and with a point: which of them is the decimal mark?")
    return Grades(scores=tuple(score or 0.0 for score in scores), problems=tuple(problems))


def _values(ids: Sequence[str], records: Sequence[Record], field: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The first value of a field by question, without questions that have none, and all distinct ones of several."""
    texts = texts_of(records, field)
    if not any(texts):
        return {}, {}
    first: dict[str, str] = {}
    several: dict[str, dict[str, None]] = {}
    for question_id, text in zip(ids, texts, strict=True):
        if text and first.setdefault(question_id, text) != text:
            several.setdefault(question_id, {first[question_id]: None})[text] = None
    return first, {question_id: list(several[question_id]) for question_id in first if question_id in several}


def _shown(ids: Sequence[str], records: Sequence[Record]) -> dict[str, str]:
    """What each question was shown, without those that were shown several texts."""
    first, several = _values(ids, records, "packed_id")
    return {question_id: text for question_id, text in first.items() if question_id not in several}


def _one_each(file: ResultsFile, ids: Sequence[str], records: Sequence[Record], field: str) -> dict[str, str]:
    first, several = _values(ids, records, field)
    if several:
        raise all_problems(
            f"{file.path}: results of one question differ in {field}",
            [f"{key}: {listed(found)}" for key, found in several.items()],
            remedy="They are no repeats of it. Name a field that identifies a question with --id.",
        )
    return first


def _remedy(records: Sequence[Record]) -> str:
    return (
        "Name other fields with --id and --score, or with --pred and --gold, or give every question an ID and a score; "
        f"a failed answer scores 0 or is left out, as you decide. The fields are {listed(names_of(records))}."
    )
