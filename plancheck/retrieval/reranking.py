"""Reranking: the cross-encoder's order of a question's candidate pool."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from plancheck.records import Atom, Question
from plancheck.retrieval.dense import DECIMALS
from plancheck.retrieval.ports import Reranker
from plancheck.retrieval.query import query_text
from plancheck.retrieval.ranking import by_score, ranks


def rerank_pool(
    question: Question, context: str, candidates: Sequence[Atom], reranker: Reranker, *, batch_size: int
) -> list[dict[str, Any]]:
    """Rows of data/rerank.parquet, in the candidates' order (by position); equal scores keep the earlier atom."""
    query = query_text(question)
    pairs = [(query, context[atom.start : atom.end]) for atom in candidates]
    scores = np.round(reranker.scores(pairs, batch_size=batch_size), DECIMALS)
    return [
        {
            "question_id": question.question_id,
            "atom_id": atom.atom_id,
            "rerank_score": float(score),
            "rerank_rank": rank,
        }
        for atom, score, rank in zip(candidates, scores, ranks(by_score(scores)), strict=True)
    ]
