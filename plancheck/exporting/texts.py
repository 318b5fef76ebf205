"""Questions, atoms and candidates as JSON: what may be known before an answer is. No gold letter and no gold span."""

from collections.abc import Iterator, Sequence
from typing import Any

from plancheck.benchmark.tables import each_context
from plancheck.pools import read_pools
from plancheck.records import Atom, Question
from plancheck.tables import read_atoms

Row = dict[str, Any]


def question_rows(questions: Sequence[Question], *, with_context: bool) -> Iterator[Row]:
    """A row a question, as given; its whole context as well if ``with_context``."""
    if not with_context:
        yield from map(question_row, questions)
        return
    contexts = each_context([question.context_id for question in questions])
    for question, context in zip(questions, contexts, strict=True):
        yield question_row(question) | {"context": context}


def question_row(question: Question) -> Row:
    """Difficulty is left out: benchmarks judge it by the evidence, or by how people and models answered."""
    return {
        "question_id": question.question_id,
        "context_id": question.context_id,
        "domain": question.domain,
        "question": question.question,
        "choices": list(question.choices),
    }


def atom_rows(questions: Sequence[Question], *, with_text: bool) -> Iterator[Row]:
    """A row an atom of the questions' contexts, each context once: by context, then position."""
    context_ids = sorted({question.context_id for question in questions})
    atoms = read_atoms(context_ids)
    if not with_text:
        yield from (atom_row(atom) for context_id in context_ids for atom in atoms[context_id])
        return
    for context_id, context in zip(context_ids, each_context(context_ids), strict=True):
        yield from (atom_row(atom) | text_of(atom, context) for atom in atoms[context_id])


def atom_row(atom: Atom) -> Row:
    return {"context_id": atom.context_id, **span_of(atom)}


def candidate_rows(questions: Sequence[Question]) -> Iterator[Row]:
    """A row a question, by ID, with the atoms of its candidate pool by position."""
    for pool in read_pools([question.question_id for question in questions]):
        yield {
            "question_id": pool.question.question_id,
            "question": pool.question.question,
            "choices": list(pool.question.choices),
            "candidates": [span_of(atom) | text_of(atom, pool.context) for atom in pool.candidates],
        }


def span_of(atom: Atom) -> Row:
    return {"atom_id": atom.atom_id, "start": atom.start, "end": atom.end}


def text_of(atom: Atom, context: str) -> Row:
    return {"text": context[atom.start : atom.end]}
