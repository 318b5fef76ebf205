"""Paired results: two arms scored on the same questions, joined by question ID."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scored = tuple[str, float]
SHOWN_IDS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The scores of two arms, in the unit of the score, by question ID in ascending order."""

    question_ids: tuple[str, ...]
    treatment: NDArray[np.float64]
    control: NDArray[np.float64]

    @property
    def differences(self) -> NDArray[np.float64]:
        """Treatment minus control, a question each."""
        return self.treatment - self.control


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Questions on which the treatment scores higher, lower, the same."""

    wins: int
    losses: int
    ties: int

    @property
    def questions(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def discordance(self) -> float:
        """Share of questions that are no tie, 0 to 1."""
        return (self.wins + self.losses) / self.questions


@dataclass(frozen=True, slots=True)
class SameText:
    """Pairs whose two arms were shown the same text, and those of them that tie.

    Where each text is answered once, all of them tie, and no such pair can tell the arms apart.
    """

    pairs: int
    ties: int


def join_pairs(treatment: Sequence[Scored], control: Sequence[Scored]) -> Pairs:
    """The pairs of two lists of (question ID, score) that hold the same questions, in any order.

    Raises:
        ValueError: an ID is in one list only or twice in a list (the IDs are listed), there is no question, or a
            score is not finite.
    """
    problems = [
        *_listed("twice in treatment", doubled(treatment)),
        *_listed("twice in control", doubled(control)),
        *_listed("in treatment only", missing(treatment, control)),
        *_listed("in control only", missing(control, treatment)),
    ]
    if problems:
        raise ValueError("; ".join(problems))
    if not treatment:
        raise ValueError("no question")
    return common_pairs(dict(treatment), dict(control))


def common_pairs(treatment: Mapping[str, float], control: Mapping[str, float]) -> Pairs:
    """The pairs of the questions that both have a score of; none where they share no question.

    Raises:
        ValueError: a score is not finite.
    """
    ids = [question_id for question_id in treatment if question_id in control]
    # Looked up in the order in which they stand in memory, and sorted after it.
    scores = np.array([[*map(arm.__getitem__, ids)] for arm in (treatment, control)], dtype=np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("a score is not finite")
    order = sorted(range(len(ids)), key=ids.__getitem__)
    ours, theirs = scores[:, order]
    return Pairs(tuple(map(ids.__getitem__, order)), ours, theirs)


def doubled(arm: Sequence[Scored]) -> list[str]:
    """IDs that come more than once, in ascending order."""
    return sorted(question_id for question_id, times in Counter(i for i, _ in arm).items() if times > 1)


def missing(arm: Sequence[Scored], other: Sequence[Scored]) -> list[str]:
    """IDs of ``arm`` that ``other`` lacks, in ascending order."""
    return sorted({question_id for question_id, _ in arm} - {question_id for question_id, _ in other})


def outcomes(pairs: Pairs) -> Outcomes:
    """Wins, losses and ties of the treatment; scores tie when they are equal as numbers."""
    differences = pairs.differences
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    return Outcomes(wins, losses, len(differences) - wins - losses)


def same_text(pairs: Pairs, treatment: Mapping[str, Hashable], control: Mapping[str, Hashable]) -> SameText:
    """How many pairs were shown the same text.

    Args:
        pairs: what is compared.
        treatment: by question ID, what stands for the text that the treatment was shown, such as a packed_id.
        control: the same of the control.

    Raises:
        KeyError: a question of the pairs has no text.
    """
    same = np.array([treatment[i] == control[i] for i in pairs.question_ids], dtype=bool)
    return SameText(int(same.sum()), int((same & (pairs.differences == 0)).sum()))


def _listed(what: str, ids: Sequence[str]) -> list[str]:
    if not ids:
        return []
    more = f" and {len(ids) - SHOWN_IDS} more" if len(ids) > SHOWN_IDS else ""
    return [f"question IDs {what}: {', '.join(ids[:SHOWN_IDS])}{more}"]
