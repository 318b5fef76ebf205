"""Traces: sampled plans, each set of atoms executed once, with the reward of the answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plancheck.answering.rightness import is_right
from plancheck.planning.plans import Selected
from plancheck.records import Failure, Letter, Question


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the answer model made of a plan alone: ``chars`` of context shown, and a letter or a failure."""

    chars: int
    letter: Letter | None
    failure: Failure | None


def first_of_each(plans: Sequence[Selected]) -> list[int | None]:
    """For each plan the earliest one before it with the same set of atoms, or None.

    The order of a plan's atoms does not count. Failed plans repeat nothing.
    """
    first: dict[frozenset[str], int] = {}
    earlier: list[int | None] = []
    for number, plan in enumerate(plans):
        leader = first.setdefault(frozenset(plan.atom_ids), number) if plan.atom_ids else number
        earlier.append(None if leader == number else leader)
    return earlier


def trace_rows(question: Question, plans: Sequence[Selected], outcomes: Mapping[int, Outcome]) -> list[dict[str, Any]]:
    """A question's rows of data/traces.parquet, one a sample.

    Args:
        plans: by number of the sample.
        outcomes: of every plan with atoms that repeats no earlier one, by number. A repeated plan has the outcome of
            the first.
    """
    rows: list[dict[str, Any]] = []
    for number, (plan, earlier) in enumerate(zip(plans, first_of_each(plans), strict=True)):
        outcome = outcomes[number if earlier is None else earlier] if plan.atom_ids else None
        correct = outcome is not None and is_right(question, outcome.letter)
        rows.append(
            {
                "question_id": question.question_id,
                "sample": number,
                "atom_ids": list(plan.atom_ids),
                "parsed": bool(plan.atom_ids),
                "failure": outcome.failure if outcome else plan.failure,
                "chars": outcome.chars if outcome else None,
                "letter": outcome.letter if outcome else None,
                "correct": correct,
                "reward": int(correct),
                "duplicate_of": earlier,
            }
        )
    return rows


def best_traces(rows: Iterable[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The rewarded trace of each question that has one: fewest atoms, then fewest characters, then earliest sample."""
    best: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row["reward"] == 1:
            best[row["question_id"]] = min(best.get(row["question_id"], row), row, key=cost)
    return dict(sorted(best.items()))


def cost(row: Mapping[str, Any]) -> tuple[int, int, int]:
    return len(row["atom_ids"]), row["chars"], row["sample"]
