"""Which questions each condition answers right, joined by question ID."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from plancheck.records import SPLITS

ALL: Final = "all"
SEEN: Final = "train+dev"
TEST: Final = "test"
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Results:
    """Outcomes of every condition on every question, and what was shown for them.

    Attributes:
        correct: true where the answer is right; rows are question IDs in ascending order, columns are what was
            answered by: (policy, budget in characters).
        shown: of the same shape, what stands for the text that was shown: equal for a question where the text is.
        contexts: context of each question; questions with the same one are not independent.
        splits: question IDs in ascending order, of "all", "train+dev" and each split.
    """

    correct: pd.DataFrame
    shown: pd.DataFrame
    contexts: Mapping[str, str]
    splits: Mapping[str, Sequence[str]]

    def accuracy(self, policy: str, budget_chars: int, split: str) -> float:
        """Share of a split's questions answered right."""
        return float(self.right(policy, budget_chars).loc[list(self.splits[split])].mean())

    def right(self, policy: str, budget_chars: int) -> pd.Series:
        """Whether each question is answered right, by question ID."""
        right: pd.Series = self.correct[(policy, budget_chars)]
        return right

    def texts(self, policy: str, budget_chars: int) -> dict[str, str]:
        """What stands for the text shown to each question, by question ID."""
        return {str(name): str(text) for name, text in self.shown[(policy, budget_chars)].items()}


def join_results(
    predictions: pd.DataFrame, contexts: Mapping[str, str], splits: Mapping[str, Sequence[str]]
) -> Results:
    """The results of all predictions; the order of their rows and of the splits' questions changes nothing.

    Args:
        predictions: columns question_id, policy, budget_chars, packed_id, correct.
        contexts: context by question.
        splits: question IDs by split.

    Raises:
        ValueError: a condition lacks a question's row or has it twice, or has a question of no split; IDs are listed.
    """
    conditions = ["policy", "budget_chars"]
    twice = predictions[predictions.duplicated(["question_id", *conditions])]
    if len(twice):
        raise ValueError(f"predictions hold twice: {listed(twice['question_id'])}")
    table = predictions.pivot(index="question_id", columns=conditions, values="correct").sort_index()
    everyone = sorted(question_id for split in SPLITS for question_id in splits[split])
    if problem := sorted(set(everyone) ^ set(table.index)):
        raise ValueError(f"predictions and splits do not hold the same questions: {listed(problem)}")
    empty = table[table.isna().any(axis=1)]
    if len(empty):
        raise ValueError(f"a condition lacks the questions: {listed(empty.index)}")
    own = {split: tuple(sorted(splits[split])) for split in SPLITS}
    return Results(
        correct=table.astype(bool),
        shown=predictions.pivot(index="question_id", columns=conditions, values="packed_id").sort_index(),
        contexts={question_id: contexts[question_id] for question_id in everyone},
        splits={ALL: tuple(everyone), SEEN: tuple(sorted((*own["train"], *own["dev"]))), **own},
    )


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, by column name."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def listed(ids: Iterable[Any]) -> str:
    distinct = sorted(set(map(str, ids)))
    more = f" and {len(distinct) - SHOWN} more" if len(distinct) > SHOWN else ""
    return ", ".join(distinct[:SHOWN]) + more
