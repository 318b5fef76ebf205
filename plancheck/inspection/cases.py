"""What there is to see of a question: itself, its context, and each condition that was asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plancheck.answering.ports import Messages
from plancheck.inspection.conditions import Condition, Plan, Shown
from plancheck.inspection.passages import Message, asked
from plancheck.inspection.scoring import reasons, same_text
from plancheck.packing import uncovered
from plancheck.records import Piece, Question, Span

if TYPE_CHECKING:
    from plancheck.answering.asking import Mode  # which would load scipy


@dataclass(frozen=True, slots=True)
class PieceRow:
    """A piece as shown: its number from 1, who named it, and how much of the evidence it holds.

    ``source`` is "plan" or "fill", "" where the policy has no selector; ``evidence`` is "whole" where the piece holds a
    span whole, "part" where it holds some of one, else "".
    """

    number: int
    piece: Piece
    source: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Arm:
    """A condition in full. ``plan`` is None where its policy has no selector; ``messages`` where nothing was packed."""

    condition: Condition
    reasons: tuple[str, ...]
    same_text: tuple[str, ...]
    selector: str | None
    plan: Plan | None
    pieces: tuple[PieceRow, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A question with every condition of its overview, and those shown in full."""

    question: Question
    split: str
    context_chars: int
    conditions: tuple[Condition, ...]
    arms: tuple[Arm, ...]


def case(
    question: Question,
    context: str,
    *,
    split: str,
    conditions: Sequence[Condition],
    in_full: Sequence[Condition],
    plans: Mapping[str, Plan],
    selectors: Mapping[str, str | None],
    mode: "Mode",
    ask: Callable[[Question, str], Messages],
) -> Case:
    """The view of a question.

    Args:
        split: its name, "" where it is not known.
        conditions: all of them.
        in_full: those to show in full.
        plans: the question's, by selector.
        selectors: by policy; None, or no entry, for a policy without one.
        mode: how the answer model is asked.
        ask: makes the chat.
    """
    arms = []
    for condition in in_full:
        selector = selectors.get(condition.policy)
        plan, shown = plans.get(selector) if selector else None, condition.shown
        arms.append(
            Arm(
                condition,
                tuple(reasons(question, condition, mode=mode)),
                tuple(same_text(condition, conditions)),
                selector,
                plan,
                tuple(piece_rows(question, shown, plan)) if shown else (),
                tuple(asked(question, context, shown, ask=ask)) if shown else (),
            )
        )
    return Case(question, split, len(context), tuple(conditions), tuple(arms))


def piece_rows(question: Question, shown: Shown, plan: Plan | None) -> list[PieceRow]:
    named = {piece.atom_id for piece in plan.pieces} if plan else set()
    source = {True: "plan", False: "fill"} if plan else {False: ""}
    return [
        PieceRow(number, piece, source[piece.atom_id in named], evidence_in(question.evidence or (), piece))
        for number, piece in enumerate(shown.pieces, start=1)
    ]


def evidence_in(evidence: Sequence[Span], piece: Piece) -> str:
    """Whether a piece holds an evidence span "whole", a "part" of one, or none ("")."""
    held = [span for span in evidence if span.start < piece.end and piece.start < span.end]
    if any(not uncovered(span, [piece]) for span in held):
        return "whole"
    return "part" if held else ""
