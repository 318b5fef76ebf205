"""Reranking: the cross-encoder's order of a question's candidate pool, and what it read of each candidate."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from plancheck.records import Atom, Question
from plancheck.retrieval.dense import DECIMALS
from plancheck.retrieval.ports import Reranker
from plancheck.retrieval.query import query_text
from plancheck.retrieval.ranking import by_score, ranks


def rerank_pool(
    ranking: str,
    question: Question,
    context: str,
    candidates: Sequence[Atom],
    given: Sequence[str],
    reranker: Reranker,
    *,
    windows: bool,
    batch_size: int,
) -> list[dict[str, Any]]:
    """Rows of data/rerank.parquet, in the candidates' order (by position); equal scores keep the earlier atom.

    Args:
        ranking: its name.
        question: its text and choices are the query.
        context: of the question.
        candidates: atoms of the context.
        given: of each candidate what the cross-encoder is given: the whole atom or a part of it.
        reranker: the cross-encoder.
        windows: whether it reads all that it is given, in parts of which the best counts, or the beginning.
        batch_size: pairs read at once.

    Returns:
        ``tokens`` counts the whole atom's, ``truncated`` says that not all of the atom was read.
    """
    query = query_text(question)
    room = reranker.room(query)
    best = best_parts(query, given, reranker, windows=windows, batch_size=batch_size)
    scores = np.round([score for _, score in best], DECIMALS)
    texts = [context[atom.start : atom.end] for atom in candidates]
    counts = reranker.token_counts(texts)
    fits = [windows or count <= room for count in (counts if list(given) == texts else reranker.token_counts(given))]
    return [
        {
            "question_id": question.question_id,
            "ranking": ranking,
            "atom_id": atom.atom_id,
            "score": float(score),
            "rank": rank,
            "tokens": tokens,
            "truncated": not whole or part != text,
        }
        for atom, score, rank, tokens, whole, part, text in zip(
            candidates, scores, ranks(by_score(scores)), counts, fits, given, texts, strict=True
        )
    ]


def best_parts(
    query: str, given: Sequence[str], reranker: Reranker, *, windows: bool, batch_size: int
) -> list[tuple[str, float]]:
    """Of each text the part that scores best for the query, the first of equal ones, and its logit.

    Without ``windows`` the part is the text, of which the model reads the beginning.
    """
    room = reranker.room(query)
    parts = [reranker.windows(text, tokens=room) if windows else [text] for text in given]
    found = reranker.scores([(query, part) for group in parts for part in group], batch_size=batch_size)
    ends = np.cumsum([len(group) for group in parts], dtype=np.int64)
    best = []
    for group, scores in zip(parts, np.split(found, ends)[: len(parts)], strict=True):
        first = by_score(np.round(scores, DECIMALS))[0]
        best.append((group[first], float(scores[first])))
    return best
