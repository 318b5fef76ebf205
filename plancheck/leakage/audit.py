"""The leakage audit: what test questions share with each thing that was learned from."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from plancheck.leakage.contexts import ContextPair
from plancheck.leakage.questions import QuestionPair
from plancheck.records import SPLITS, Question

# What a question can share with others, the most first.
KINDS: Final = (
    "same_id",
    "same_context",
    "near_context",
    "contained_context",
    "same_question",
    "near_question",
)


@dataclass(frozen=True, slots=True)
class Learned:
    """Questions that something learned from.

    Attributes:
        name: such as "train", or the section and name of a file of the user's.
        ids: of its questions, each once.
        against: the split whose questions should share nothing with them.
        unknown: further questions, of which nothing can be said: they are not of the study.
    """

    name: str
    ids: Collection[str]
    against: str = "test"
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class Alike:
    """Which questions are alike, looked up by question or context.

    Args:
        questions: by ID, those of the study and any others that something learned from.
        context_pairs: between their contexts.
        question_pairs: between them.
    """

    questions: Mapping[str, Question]
    context_pairs: Sequence[ContextPair]
    question_pairs: Sequence[QuestionPair]
    _contexts: Mapping[str, Mapping[str, set[str]]] = field(init=False)
    _questions: Mapping[str, Mapping[str, set[str]]] = field(init=False)

    def __post_init__(self) -> None:
        contexts = ((f"{pair.kind}_context", pair.left, pair.right) for pair in self.context_pairs)
        questions = ((f"{pair.kind}_question", pair.left, pair.right) for pair in self.question_pairs)
        object.__setattr__(self, "_contexts", both_ways(contexts))
        object.__setattr__(self, "_questions", both_ways(questions))

    def shared(self, tested: Collection[str], learned: Collection[str]) -> dict[str, list[str]]:
        """By kind, the tested questions that share it with a learned one, in ascending order; every kind has a list.

        A question that is tested and learned is found by its ID, and not by its own context.
        """
        others = [self.questions[name] for name in learned]
        groups: dict[str, set[str]] = defaultdict(set)
        for question in others:
            groups[question.context_group].add(question.question_id)
        contexts = {question.context_id: question.context_group for question in others}
        names = set(learned)
        found: dict[str, list[str]] = {kind: [] for kind in KINDS}
        for name in sorted(tested):
            own = self.questions[name]
            if name in names:
                found["same_id"].append(name)
            if groups[own.context_group] - {name}:
                found["same_context"].append(name)
            for kind, partners in self._contexts.get(own.context_id, {}).items():
                if any(contexts.get(other, own.context_group) != own.context_group for other in partners):
                    found[kind].append(name)
            for kind, partners in self._questions.get(name, {}).items():
                if partners & names:
                    found[kind].append(name)
        return found


def both_ways(pairs: Iterator[tuple[str, str, str]]) -> dict[str, dict[str, set[str]]]:
    """Kind, left and right as: each of them -> kind -> its partners."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for kind, left, right in pairs:
        found[left][kind].add(right)
        found[right][kind].add(left)
    return {name: dict(kinds) for name, kinds in found.items()}


def concerned(shared: Mapping[str, Sequence[str]]) -> list[str]:
    """The questions that share anything, in ascending order."""
    return sorted({name for names in shared.values() for name in names})


def between_splits(splits: Mapping[str, Sequence[str]]) -> list[Learned]:
    """Train and dev against test, and train against dev."""
    train, dev, test = SPLITS
    return [
        Learned(train, splits[train], test),
        Learned(dev, splits[dev], test),
        Learned(train, splits[train], dev),
    ]


def moved(splits: Mapping[str, Sequence[str]], others: Mapping[str, Sequence[str]]) -> int:
    """Questions that lie in another split under the second split than under the first."""
    return sum(len(set(splits[split]) - set(others[split])) for split in SPLITS)
