"""What was shown and answered in each condition of a question: its rows of the tables, joined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA, among, read_table
from plancheck.records import Failure, Letter, Piece
from plancheck.tables import PLAN_FILES

PACKED_FILE: Final = DATA / "packed.parquet"
PREDICTIONS_FILE: Final = DATA / "predictions.parquet"
SYSTEMS_FILE: Final = DATA / "given_predictions.parquet"
STAGE_OF: Final[Mapping[Path, str]] = {
    PACKED_FILE: "pack",
    PREDICTIONS_FILE: "answer",
    SYSTEMS_FILE: "given",
    PLAN_FILES[0]: "plan",
    PLAN_FILES[1]: "given",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """The packed context of a condition. ``text`` is one of the user's own; else pieces of the context are shown."""

    packed_id: str
    pieces: tuple[Piece, ...]
    chars: int
    cut: bool
    skipped: int
    evidence_recall: float | None
    plan_failed: bool
    text: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or the failure that stands for it. ``probs`` of the choices, A first; None where unknown."""

    letter: Letter | None
    correct: bool
    failure: Failure | None
    probs: tuple[float, ...] | None = None
    prompt_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A policy at a budget. A finished system has no budget (None), and shows nothing that is known.

    ``shown`` or ``answer`` is None where its stage has not run.
    """

    policy: str
    budget_chars: int | None
    shown: Shown | None
    answer: Answer | None

    @property
    def name(self) -> str:
        return self.policy if self.budget_chars is None else f"{self.policy}@{self.budget_chars}"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a selector named: pieces in its order; none where ``failure`` says why."""

    selector: str
    pieces: tuple[Piece, ...]
    failure: str | None


@dataclass(frozen=True, slots=True)
class Rows:
    """What the tables hold of some questions, by question ID, and which tables are not made yet."""

    conditions: Mapping[str, tuple[Condition, ...]]
    plans: Mapping[str, Mapping[str, Plan]]
    missing: tuple[str, ...]


def read_rows(question_ids: Sequence[str], *, policies: Sequence[str] | None = None) -> Rows:
    """The conditions of each question in the order of data/packed.parquet, then finished systems; and its plans.

    Args:
        question_ids: whose rows are wanted.
        policies: policies and finished systems that are wanted; None is all.

    Raises:
        StudyError: a table is damaged. One that is not made yet is told in ``missing``.
    """
    missing: list[str] = []

    def rows_of(path: Path, name: str | None = None) -> list[dict[str, Any]]:
        if not path.exists():
            missing.append(f"{path}: not made yet. Run `dvc repro {STAGE_OF[path]}`.")
            return []
        filters = among("question_id", question_ids)
        if name is not None and policies is not None:
            filters &= among(name, policies)
        found: list[dict[str, Any]] = read_table(path, filters=filters).to_pylist()
        return found

    packed, predictions = rows_of(PACKED_FILE, "policy"), rows_of(PREDICTIONS_FILE, "policy")
    systems = rows_of(SYSTEMS_FILE, "system")
    plans: dict[str, dict[str, Plan]] = {question_id: {} for question_id in question_ids}
    for path in PLAN_FILES:
        for row in rows_of(path):
            pieces = tuple(map(Piece, row["atom_ids"], row["starts"], row["ends"]))
            plans[row["question_id"]][row["selector"]] = Plan(row["selector"], pieces, row["failure"])
    return Rows(joined(question_ids, packed, predictions, systems), plans, tuple(missing))


def joined(
    question_ids: Sequence[str],
    packed: Sequence[Mapping[str, Any]],
    predictions: Sequence[Mapping[str, Any]],
    systems: Sequence[Mapping[str, Any]],
) -> dict[str, tuple[Condition, ...]]:
    """The conditions by question: those packed or answered, then finished systems.

    An answer to another packed context than the one packed now is left out: stage answer has not run since.
    """
    keys: dict[str, dict[tuple[str, int | None], None]] = {question_id: {} for question_id in question_ids}
    shown: dict[tuple[str, str, int | None], Shown] = {}
    answers: dict[tuple[str, str, int | None], Answer] = {}
    for row in packed:
        keys[row["question_id"]][row["policy"], row["budget_chars"]] = None
        shown[row["question_id"], row["policy"], row["budget_chars"]] = to_shown(row)
    for row in predictions:
        key = (row["question_id"], row["policy"], row["budget_chars"])
        keys[row["question_id"]][row["policy"], row["budget_chars"]] = None
        if key not in shown or shown[key].packed_id == row["packed_id"]:
            answers[key] = to_answer(row)
    for row in systems:
        keys[row["question_id"]][row["system"], None] = None
        answers[row["question_id"], row["system"], None] = to_answer(row)
    return {
        question_id: tuple(
            Condition(
                policy,
                budget,
                shown.get((question_id, policy, budget)),
                answers.get((question_id, policy, budget)),
            )
            for policy, budget in own
        )
        for question_id, own in keys.items()
    }


def to_shown(row: Mapping[str, Any]) -> Shown:
    return Shown(
        row["packed_id"],
        tuple(map(Piece, row["atom_ids"], row["starts"], row["ends"])),
        row["chars"],
        row["cut"],
        row["skipped"],
        row["evidence_recall"],
        row["plan_failed"],
        row["text"],
    )


def to_answer(row: Mapping[str, Any]) -> Answer:
    probs = row.get("probs")
    return Answer(
        row["letter"], row["correct"], row["failure"], None if probs is None else tuple(probs), row.get("prompt_tokens")
    )


def selected(conditions: Sequence[Condition], names: Sequence[str]) -> list[Condition]:
    """The conditions of these names (POLICY@BUDGET, or a finished system's name), in the order of the names.

    A policy's name alone stands for all its budgets.

    Raises:
        StudyError: there is none of a name.
    """
    found: list[Condition] = []
    problems = []
    for name in names:
        own = [condition for condition in conditions if name in (condition.name, condition.policy)]
        found += own
        if not own:
            problems.append(f"{name}: {told_of(name, conditions)}")
    if problems:
        raise all_problems(
            "--condition: no such condition of this question:", problems, remedy="Give POLICY@BUDGET of its overview."
        )
    return list(dict.fromkeys(found))


def told_of(name: str, conditions: Sequence[Condition]) -> str:
    """Which conditions are nearest to a name that none has."""
    policy = name.rpartition("@")[0] or name
    if of_policy := [condition.name for condition in conditions if condition.policy == policy]:
        return f"its budgets are {', '.join(of_policy)}"
    policies = list(dict.fromkeys(condition.policy for condition in conditions))
    if near := get_close_matches(policy, policies, n=3):
        return f"the nearest policies are {', '.join(near)}"
    return f"the policies are {', '.join(policies)}"


def refuse_unmade(rows: Rows) -> None:
    """Raise a StudyError where neither a packed context nor an answer is there."""
    if not any(rows.conditions.values()):
        raise all_problems("Nothing was shown or answered yet:", rows.missing, remedy="Then inspect it again.")
