"""Labelled pairs of query and atom, from questions whose evidence is known, to fine-tune a cross-encoder on."""

import random
from dataclasses import dataclass

from plancheck.atoms import cut
from plancheck.records import Benchmark, Question
from plancheck.retrieval.lexical import LexicalIndex
from plancheck.retrieval.query import query_text
from plancheck.retrieval.ranking import by_score
from plancheck.retrieval.words import words

# Short windows, whatever the atoms of the study: a pair costs by its length, and what is learned carries over.
WINDOW_CHARS, OVERLAP_CHARS = 200, 40


@dataclass(frozen=True, slots=True)
class Pair:
    """``label`` is 1.0 when the atom's text is wanted for the query, else 0.0."""

    query: str
    text: str
    label: float


def tuning_pairs(benchmark: Benchmark, *, negatives: int, seed: int) -> tuple[Pair, ...]:
    """Every 200-character atom that holds a whole evidence span, and ``negatives`` wrong atoms for each of them.

    Half of the wrong atoms, rounded up, are those that BM25 likes best, the others are drawn at random; an atom that
    touches evidence is never a wrong one. A question with fewer wrong atoms gives all it has.

    Args:
        benchmark: questions with evidence; one without gives no pairs.
        negatives: wrong atoms for each right one, at least 1.
        seed: of the draws, independent for each question.

    Returns:
        Pairs in the order of the questions; a question's right atoms come before its wrong ones.
    """
    return tuple(
        pair
        for question in benchmark.questions
        for pair in question_pairs(
            question,
            benchmark.contexts[question.context_id],
            negatives=negatives,
            generator=random.Random(f"{seed}:{question.question_id}"),
        )
    )


def question_pairs(question: Question, context: str, *, negatives: int, generator: random.Random) -> list[Pair]:
    """The pairs of one question."""
    atoms = cut(question.context_id, context, window_chars=WINDOW_CHARS, overlap_chars=OVERLAP_CHARS)
    spans = question.evidence or ()
    right = [atom for atom in atoms if any(atom.start <= span.start and span.end <= atom.end for span in spans)]
    wrong = [atom for atom in atoms if not any(atom.start < span.end and span.start < atom.end for span in spans)]
    query = query_text(question)
    wanted = min(negatives * len(right), len(wrong))
    index = LexicalIndex([words(context[atom.start : atom.end]) for atom in wrong], variant="okapi")
    scores = index.scores(words(query))
    liked = by_score(scores)[: (wanted + 1) // 2]
    others = sorted(set(range(len(wrong))) - set(liked))
    chosen = [*liked, *generator.sample(others, wanted - len(liked))]
    labelled = [(atom, 1.0) for atom in right] + [(wrong[position], 0.0) for position in chosen]
    return [Pair(query, context[atom.start : atom.end], label) for atom, label in labelled]
