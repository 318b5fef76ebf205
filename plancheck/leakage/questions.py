"""Questions that are the same or nearly the same, each taken with its choices.

The wording alone would not do: benchmarks ask "Which of the following is true?" of many contexts.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from plancheck.leakage.likeness import rows
from plancheck.leakage.shingles import shingles_of_all
from plancheck.matching import match_key
from plancheck.records import Question

Kind = Literal["same", "near"]


@dataclass(frozen=True, slots=True)
class QuestionPair:
    """Questions by ID, ``left`` before ``right``.

    ``same``: question and choices read the same, the choices in any order, but for case, white space and the Unicode
    form. ``near``: they do not, and the Jaccard index of their shingles reaches the threshold.
    """

    left: str
    right: str
    kind: Kind
    jaccard: float


def question_pairs(questions: Sequence[Question], *, size: int, threshold: float) -> tuple[QuestionPair, ...]:
    """The pairs that are alike, by their IDs; every pair is compared exactly.

    Args:
        questions: IDs unique, in any order.
        size: words of a shingle; none runs from the question into a choice, or from one choice into another.
        threshold: a pair is near where its Jaccard index is at least this.
    """
    ordered = sorted(questions, key=lambda question: question.question_id)
    readings = [reading(question) for question in ordered]
    sets = [shingles_of_all((question.question, *question.choices), size) for question in ordered]
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, read in enumerate(readings):
        same[read].append(place)
    jaccard = {places: 1.0 for own in same.values() for places in combinations(own, 2)}
    for row in rows(sets):
        jaccard |= {(left, right): found.jaccard for left, right, found in row.pairs(row.jaccard >= threshold)}
    return tuple(
        QuestionPair(
            ordered[left].question_id,
            ordered[right].question_id,
            "same" if readings[left] == readings[right] else "near",
            found,
        )
        for (left, right), found in sorted(jaccard.items())
    )


def reading(question: Question) -> tuple[str, ...]:
    """What a question is the same by: its text, then its choices in ascending order."""
    return (match_key(question.question), *sorted(map(match_key, question.choices)))
