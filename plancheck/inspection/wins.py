"""The questions that one policy answers right and another does not."""

from collections.abc import Sequence
from dataclasses import dataclass

from plancheck.inspection.conditions import Condition, Rows
from plancheck.inspection.scoring import outcome
from plancheck.plumbing.errors import StudyError
from plancheck.records import LETTERS, Question


@dataclass(frozen=True, slots=True)
class Win:
    """A question that ``winner`` answers right and ``loser`` does not, and what differs between them."""

    question_id: str
    winner: Condition
    loser: Condition
    reason: str


def wins(questions: Sequence[Question], rows: Rows, winner: str, loser: str, *, budget_chars: int | None) -> list[Win]:
    """The wins of one over the other, in the questions' order.

    Args:
        rows: of these questions.
        winner, loser: policies, or finished systems, which have one answer at every budget.
        budget_chars: None is the largest at which both have answers.

    Raises:
        StudyError: one of them has no answer, or they have none at this budget.
    """
    budget = shared_budget(rows, winner, loser, budget_chars)
    found = []
    for question in questions:
        own = rows.conditions[question.question_id]
        won, lost = (of_budget(own, name, budget) for name in (winner, loser))
        if won and lost and won.answer and lost.answer and won.answer.correct and not lost.answer.correct:
            found.append(Win(question.question_id, won, lost, reason(question, won, lost)))
    return found


def shared_budget(rows: Rows, winner: str, loser: str, wanted: int | None) -> int | None:
    """The budget at which both are compared; None for two finished systems."""
    budgets: dict[str, set[int | None]] = {winner: set(), loser: set()}
    for own in rows.conditions.values():
        for condition in own:
            if condition.policy in budgets and condition.answer:
                budgets[condition.policy].add(condition.budget_chars)
    for name, own_budgets in budgets.items():
        if not own_budgets:
            raise StudyError(f"{name}: has no answers yet. Run `dvc repro answer`.")
    packed = [own_budgets for own_budgets in budgets.values() if None not in own_budgets]
    shared = sorted({budget for budget in set.intersection(*packed) if budget is not None}) if packed else []
    if not packed:
        return None
    if wanted is None and shared:
        return shared[-1]
    if wanted not in shared:
        raise StudyError(
            f"--budget {wanted}: {winner} and {loser} do not both have answers there. They do at "
            f"{', '.join(map(str, shared)) or 'no budget'}."
        )
    return wanted


def of_budget(conditions: Sequence[Condition], policy: str, budget_chars: int | None) -> Condition | None:
    fitting = (None, budget_chars)
    own = (other for other in conditions if other.policy == policy and other.budget_chars in fitting)
    return next(own, None)


def reason(question: Question, won: Condition, lost: Condition) -> str:
    """What differs, briefly: the loser's failure, the text shown, the evidence, or the weights."""
    parts = []
    if lost.answer and lost.answer.failure:
        parts.append(f"the other failed: {outcome(lost.answer)}")
    if won.shown and lost.shown:
        if won.shown.packed_id == lost.shown.packed_id:
            return "; ".join([*parts, "both show the same text, so this is noise"])
        total = len(question.evidence or ())
        recalls = won.shown.evidence_recall, lost.shown.evidence_recall
        if None not in recalls:
            shown = [f"{round((recall or 0) * total)} of {total}" for recall in recalls]
            parts.append(f"evidence {shown[0]} against {shown[1]}")
        if lost.shown.plan_failed or won.shown.plan_failed:
            parts.append(f"the plan of {(lost if lost.shown.plan_failed else won).policy} failed")
    gold = LETTERS.index(question.answer)
    weights = [
        condition.answer.probs[gold]
        for condition in (won, lost)
        if condition.answer and condition.answer.probs and gold < len(condition.answer.probs)
    ]
    if len(weights) == 2:
        parts.append(f"gold letter {weights[0]:.2f} against {weights[1]:.2f}")
    return "; ".join(parts) or f"{won.answer and won.answer.letter} against {lost.answer and lost.answer.letter}"
