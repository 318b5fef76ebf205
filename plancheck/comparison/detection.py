"""Which fields of a results file are the question's ID and its score, or its prediction and gold answer.

A field is taken when it alone has a usual name; where several could be meant, the user is asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from plancheck.comparison.columns import names_of, values_of
from plancheck.comparison.records import Record, ResultsFile, listed, named, number_of
from plancheck.plumbing.errors import StudyError

ID_FIELDS: Final = ("question_id", "qid", "example_id", "doc_id", "id", "_id", "uid")
SCORE_FIELDS: Final = ("correct", "is_correct", "judge", "score", "acc", "accuracy", "exact_match", "em", "f1")
PRED_FIELDS: Final = (
    "pred",
    "prediction",
    "predicted",
    "predicted_answer",
    "predicted_label",
    "model_answer",
    "model_prediction",
    "pred_answer",
    "pred_label",
)
GOLD_FIELDS: Final = (
    "gold",
    "gold_answer",
    "gold_label",
    "answer",
    "label",
    "target",
    "correct_answer",
    "true_answer",
    "ground_truth",
    "reference_answer",
)


@dataclass(frozen=True, slots=True)
class ScoreField:
    """A field that holds a score."""

    name: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,)

    def __str__(self) -> str:
        return f"score {self.name}"


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """A field that holds a prediction and one that holds the gold answer."""

    pred: str
    gold: str

    @property
    def names(self) -> tuple[str, ...]:
        return (self.pred, self.gold)

    def __str__(self) -> str:
        return f"{self.pred} against {self.gold}"


def id_field(file: ResultsFile, records: Sequence[Record]) -> str:
    """The field of the question's ID: the first of ID_FIELDS that there is.

    Raises:
        StudyError: there is none.
    """
    names = names_of(records)
    if found := named(names, ID_FIELDS):
        return found[0]
    raise StudyError(f"{file.path}: which field is the question's ID? Name it with --id: {listed(names)}.")


def score_or_answers(file: ResultsFile, records: Sequence[Record]) -> ScoreField | AnswerFields:
    """The one field that is a score; where there is none, the one prediction and the one gold answer.

    Of several scores the one of a usual name is clear when the others are named as its variants: acc beside acc_norm.

    Raises:
        StudyError: several fields could be meant, or none.
    """
    names = names_of(records)
    scores, closed = _scores(file, records, names)
    if clear := _clear(scores):
        return ScoreField(clear)
    if scores:
        raise StudyError(f"{file.path}: which field is the score? Name it with --score: {listed(scores)}.")
    if closed:
        raise StudyError(f"{file.path}: no sample was scored. Run `inspect score` or the evaluation again.")
    if named(names, PRED_FIELDS) and named(names, GOLD_FIELDS):
        return answer_fields(file, records)
    raise StudyError(
        f"{file.path}: which field is the score? Name it with --score, or a prediction and its gold answer with --pred "
        f"and --gold: {listed(names)}."
    )


def answer_fields(
    file: ResultsFile, records: Sequence[Record], *, pred: str | None = None, gold: str | None = None
) -> AnswerFields:
    """The fields of prediction and gold answer; None is detected.

    Raises:
        StudyError: several fields could be meant, or none.
    """
    names = names_of(records)
    return AnswerFields(
        pred or _only(file, names, PRED_FIELDS, "prediction", "--pred"),
        gold or _only(file, names, GOLD_FIELDS, "gold answer", "--gold"),
    )


def _only(file: ResultsFile, names: Sequence[str], usual: Sequence[str], what: str, option: str) -> str:
    found = named(names, usual)
    if len(found) == 1:
        return found[0]
    raise StudyError(f"{file.path}: which field is the {what}? Name it with {option}: {listed(found or names)}.")


def _scores(file: ResultsFile, records: Sequence[Record], names: Sequence[str]) -> tuple[list[str], bool]:
    """Fields that could be the score, and whether the file says itself which fields are scores."""
    if file.kind == "inspect_ai log":
        scorers = [name for name in names if name not in ("id", "epoch", "metadata")]
        return [field for scorer in scorers for field in _parts(records, scorer)], True
    if isinstance(metrics := records[0].fields.get("metrics"), list):
        return [str(metric) for metric in metrics], False
    found = named(names, SCORE_FIELDS) or [name for name in names if name.startswith("score_")]
    numeric = [field for field in found if any(score is not None for score in _column(file, records, field))]
    return numeric or found, False


def _parts(records: Sequence[Record], scorer: str) -> list[str]:
    """A scorer that gives an object of scores as the fields inside it."""
    values = values_of(records, scorer)
    names = {name: None for value in values if isinstance(value, Mapping) for name in value}
    return [f"{scorer}.{name}" for name in names] or [scorer]


def _clear(scores: Sequence[str]) -> str | None:
    plain = scores if len(scores) == 1 else named(scores, SCORE_FIELDS)
    return next((name for name in plain if all(o == name or o.startswith(f"{name}_") for o in scores)), None)


def _column(file: ResultsFile, records: Sequence[Record], field: str) -> Iterator[float | None]:
    return (number_of(value, decimal_commas=file.decimal_commas) for value in values_of(records, field))
