"""Predictions beside gold answers, compared as a careful reader would: letters with letters, texts with texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from plancheck.comparison.columns import texts_of, values_of
from plancheck.comparison.detection import AnswerFields
from plancheck.comparison.records import Record, each
from plancheck.matching import match_key

_AROUND_A_LETTER: Final = " \t\r\n()[]{}.:*\"'"
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Grades:
    """A score for each record, in order; what cannot be graded stands in ``problems`` and scores 0.

    Where predictions were compared, ``golds`` are the gold answers as they were, and ``unanswered`` counts records
    without a prediction, which are wrong.
    """

    scores: tuple[float, ...]
    problems: tuple[str, ...]
    golds: tuple[str, ...] = ()
    unanswered: int = 0


def grade(records: Sequence[Record], fields: AnswerFields) -> Grades:
    """1 where prediction and gold answer are the same, but for case, blanks and Unicode's ways to write one text.

    Where every gold answer is a letter, so must every prediction be, perhaps in brackets or with a full stop: a longer
    reply is refused, not searched for a letter. Where no gold answer is a letter and every prediction is, they cannot
    be compared. Numbers are compared as such: 2 is 2.0. An empty prediction is wrong; an empty gold answer is refused.
    """
    problems = []
    columns: list[list[str]] = []
    for field in (fields.pred, fields.gold):
        problems += [
            f"{records[at].place}: {field} must be a text or a number, got {type(value).__name__}"
            for at, value in enumerate(values_of(records, field))
            if not isinstance(value, str | int | float | None)
        ]
        columns.append(each(_plain, texts_of(records, field)))
    preds, golds = columns
    problems += [f"{records[at].place}: no gold answer in {fields.gold}" for at, gold in enumerate(golds) if not gold]
    problems = problems or _other_kind(records, fields, preds, golds)
    return Grades(
        scores=tuple(map(float, map(_same, preds, golds))),
        golds=tuple(golds),
        unanswered=preds.count(""),
        problems=tuple(problems),
    )


def _plain(answer: str) -> str:
    """The form in which an answer is compared; "" for none."""
    text = match_key(answer)
    bare = text.strip(_AROUND_A_LETTER)
    return bare if _is_letter(bare) else text


def _is_letter(text: str) -> bool:
    """Whether it may name a choice; a character of a script without upper and lower case is a word."""
    return len(text) == 1 and text.lower() != text.upper()


def _other_kind(
    records: Sequence[Record], fields: AnswerFields, preds: Sequence[str], golds: Sequence[str]
) -> list[str]:
    """What keeps letters from being compared with letters and texts with texts."""
    answered = {*preds} - {""}
    if all(map(_is_letter, {*golds})):
        return [
            f"{records[at].place}: {fields.gold} is a letter, {fields.pred} is none: {pred!r:.60}"
            for at, pred in enumerate(preds)
            if pred and not _is_letter(pred)
        ]
    if answered and all(map(_is_letter, answered)) and not any(map(_is_letter, {*golds})):
        return [f"{fields.pred} holds letters alone, {fields.gold} none, such as {golds[0]!r:.60}"]
    return []


def _same(pred: str, gold: str) -> bool:
    if pred == gold:
        return bool(gold)
    return bool(_NUMBER.fullmatch(pred) and _NUMBER.fullmatch(gold)) and Decimal(pred) == Decimal(gold)
