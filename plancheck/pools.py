"""Reading the questions with what a planner chooses among."""

from collections.abc import Collection, Iterator

from plancheck.benchmark.tables import each_context, read_questions
from plancheck.planning.plans import Pool
from plancheck.tables import read_atoms, read_candidates


def read_pools(question_ids: Collection[str]) -> Iterator[Pool]:
    """The questions, by ID, with their contexts and candidates; one context is held at a time."""
    wanted = set(question_ids)
    questions = [question for question in read_questions() if question.question_id in wanted]
    pools = read_candidates(wanted)
    atoms = read_atoms({question.context_id for question in questions})
    questions.sort(key=lambda question: question.question_id)
    contexts = each_context([question.context_id for question in questions])
    for question, context in zip(questions, contexts, strict=True):
        chosen = set(pools[question.question_id])
        candidates = tuple(atom for atom in atoms[question.context_id] if atom.atom_id in chosen)
        yield Pool(question, context, candidates)
