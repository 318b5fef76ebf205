"""A plan: the atoms that a selector names, or why there are none."""

from collections.abc import Sequence
from dataclasses import dataclass

from plancheck.answering.reasoning import after_reasoning
from plancheck.planning.parsing import parse_plan
from plancheck.planning.snippets import snippet
from plancheck.records import Atom, Failure, Question
from plancheck.retrieval.query import query_text


@dataclass(frozen=True, slots=True)
class Pool:
    """A question, its context, and the candidate atoms by position: what a planner chooses among."""

    question: Question
    context: str
    candidates: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Selected:
    """The atoms of a plan in its order; none exactly when ``failure`` says why."""

    atom_ids: tuple[str, ...]
    failure: Failure | None = None

    def __post_init__(self) -> None:
        if bool(self.atom_ids) == bool(self.failure):
            raise ValueError(f"a plan has atoms or a failure, got {self.atom_ids} and {self.failure}")


def candidate_texts(pool: Pool, *, snippet_chars: int | None) -> list[str]:
    """What the planner is shown of each candidate: all of it, or a snippet around the words of question and choices."""
    texts = [pool.context[atom.start : atom.end] for atom in pool.candidates]
    if snippet_chars is None:
        return texts
    return [snippet(text, query_text(pool.question), chars=snippet_chars) for text in texts]


def read_plan(reply: str, candidates: Sequence[Atom], *, max_atoms: int) -> Selected:
    """The plan that a whole reply gives.

    Without one the failure is "cut_off" when the reply ends inside the model's reasoning, else "unparsable".
    """
    if after_reasoning(reply) is None:
        return Selected((), "cut_off")
    numbers = parse_plan(reply, candidates=len(candidates), max_atoms=max_atoms)
    if not numbers:
        return Selected((), "unparsable")
    return Selected(tuple(candidates[number - 1].atom_id for number in numbers))
