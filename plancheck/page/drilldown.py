"""Each question's letters under every policy and budget, compactly: IDs and letters, no benchmark text."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any, Final

import pandas as pd

from plancheck.records import FAILURES

# A failed answer's mark in place of its letter, which is a capital.
MARKS: Final = dict(zip(FAILURES, ascii_lowercase, strict=False))


UNKNOWN: Final = "."  # the answer of a system that says only whether it is right


def mark(row: Mapping[Any, Any]) -> str:
    """The letter of an answer, or what stands for a failed or an unknown one."""
    if not pd.isna(row["letter"]):
        return str(row["letter"])
    return UNKNOWN if pd.isna(row["failure"]) else MARKS[row["failure"]]


def drilldown(
    predictions: pd.DataFrame,
    domains: Mapping[str, str],
    splits: Mapping[str, Sequence[str]],
    *,
    policies: Sequence[str],
    budgets_chars: Sequence[int],
) -> dict[str, Any]:
    """What the page's script shows of single questions.

    Args:
        predictions: question_id, policy, budget_chars, letter, gold, correct, failure.
        domains: by question ID.
        splits: question IDs by split.

    Returns:
        ``questions``: [ID, place in ``domains``, split, right letters], by ID: the gold letter, then any other that was
        answered and is right, for the gold text stands under it too, "" without a row; ``letters``: by budget (as
        given), for each question one character a policy: the letter, a key of ``failures``, or "." without a row or
        where only right and wrong are known.
    """
    split_of = {question_id: split for split, ids in splits.items() for question_id in ids}
    ids = sorted(split_of)
    names = sorted({domains[question_id] for question_id in ids})
    shown: dict[tuple[str, str, int], str] = {}
    right: dict[str, str] = {}
    for row in predictions.to_dict("records"):
        letter = mark(row)
        shown[row["question_id"], row["policy"], row["budget_chars"]] = letter
        known = right.setdefault(row["question_id"], row["gold"])
        if row["correct"] and letter != UNKNOWN and letter not in known:
            right[row["question_id"]] = known[0] + "".join(sorted(known[1:] + letter))
    return {
        "policies": list(policies),
        "budgets": list(budgets_chars),
        "domains": names,
        "failures": {mark: failure for failure, mark in MARKS.items()},
        "questions": [
            [question_id, names.index(domains[question_id]), split_of[question_id], right.get(question_id, "")]
            for question_id in ids
        ],
        "letters": [
            ["".join(shown.get((question_id, policy, budget), ".") for policy in policies) for question_id in ids]
            for budget in budgets_chars
        ],
    }
