"""Texts that a compressor or a summariser wants shown: a JSON Lines file, a row a question and budget.

A row holds ``question_id``, ``budget_chars`` (one of pack.budgets_chars) and ``text``. A question and budget without a
row, or with an empty text, shows nothing.
"""

from collections.abc import Collection, Mapping
from typing import Any

from plancheck.given.lines import Faults, rows, text_of
from plancheck.params.given import ContextsFile
from plancheck.records import Question

REMEDY = "Mend the file, or leave the row out: nothing is then shown for it."
SHOWN = 40
Key = tuple[str, int]


def read_given_contexts(
    entry: ContextsFile, questions: Mapping[str, Question], budgets_chars: Collection[int]
) -> dict[Key, str]:
    """The text for each question and budget that has one, by both; longer than the budget only where it is to be cut.

    Raises:
        StudyError: the file cannot be read, or rows have an unknown question or budget, come twice, or hold a text that
            is longer than its budget where ``overflow`` is refuse. All are listed.
    """
    faults = Faults(entry.path)
    texts: dict[Key, str] = {}
    first: dict[Key, str] = {}
    for place, row in rows(entry.path, faults):
        question_id = text_of(row, "question_id", place, faults)
        if question_id is None:
            continue
        where = f"{place} ({question_id:.{SHOWN}})"
        if fault := fault_of(question_id, row, questions, budgets_chars):
            faults.add(where, fault)
            continue
        budget, text = row["budget_chars"], row["text"]
        key = question_id, budget
        if key in first:
            faults.add(where, f"the question has a text at {budget:,} characters already, {first[key]}")
        elif len(text) > budget and entry.overflow == "refuse":
            faults.add(where, f"text has {len(text):,} characters, more than its budget of {budget:,}")
        else:
            first[key] = place
            if text:
                texts[key] = text
    faults.raise_any(remedy=f"{REMEDY} overflow=cut cuts texts that are too long.")
    return texts


def fault_of(
    question_id: str, row: Mapping[str, Any], questions: Mapping[str, Question], budgets_chars: Collection[int]
) -> str | None:
    """What is wrong with a row, or None."""
    budget, text = row.get("budget_chars"), row.get("text")
    if question_id not in questions:
        return "no question of the study has this ID"
    if type(budget) is not int or budget not in budgets_chars:
        known = ", ".join(map(str, budgets_chars))
        return f"budget_chars must be among pack.budgets_chars {known}, is {budget!r:.{SHOWN}}"
    if not isinstance(text, str):
        return f"text must be a text, is {text!r:.{SHOWN}}"
    return None
