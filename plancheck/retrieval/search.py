"""Retrieval for the questions of one context: BM25, dense and MMR ranks of every atom, and the candidate pool."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from plancheck.params.retrieval import Variant
from plancheck.records import Atom, Question
from plancheck.retrieval.candidates import candidate_pool
from plancheck.retrieval.dense import cosines
from plancheck.retrieval.diversity import maximal_marginal_relevance
from plancheck.retrieval.lexical import LexicalIndex
from plancheck.retrieval.ports import Encoder
from plancheck.retrieval.query import query_text
from plancheck.retrieval.ranking import by_score, ranks
from plancheck.retrieval.weights import Change, changed
from plancheck.retrieval.words import words


@dataclass(frozen=True, slots=True)
class Found:
    """What retrieval finds for some questions.

    Attributes:
        rows: of data/retrieval.parquet, by question as given and then by position.
        changes: a question each: where BM25's ranking differs from that by Lucene's weights, None where every word of
            the question that some atom has weighs more than 0.
    """

    rows: list[dict[str, Any]]
    changes: list[Change | None]


def search_context(
    questions: Sequence[Question],
    context: str,
    atoms: Sequence[Atom],
    encoder: Encoder,
    *,
    variant: Variant,
    coverage: Literal["head", "windows"],
    pool_size: int,
    mmr_lambda: float,
    batch_size: int,
) -> Found:
    """Every atom of the context ranked for each question.

    Args:
        questions: that ask about the context.
        context: its text.
        atoms: all of it, by position.
        variant: of BM25, see `LexicalIndex`.
        coverage: "head" gives an atom the vector of what the encoder reads of it; "windows" gives it one vector for
            each part, and the part nearest to the question counts.
        pool_size: atoms in a question's candidate pool.
        mmr_lambda: see `maximal_marginal_relevance`.
        batch_size: texts encoded at once.
    """
    texts = [context[atom.start : atom.end] for atom in atoms]
    counts = encoder.token_counts(texts)
    parts = [encoder.windows(text) if coverage == "windows" else [text] for text in texts]
    owners = [position for position, group in enumerate(parts) for _ in group]
    vectors = encoder.encode([part for group in parts for part in group], batch_size=batch_size)
    queries = encoder.encode([query_text(question) for question in questions], batch_size=batch_size)
    atom_words = [words(text) for text in texts]
    index = LexicalIndex(atom_words, variant=variant)
    reference = cache(lambda: LexicalIndex(atom_words, variant="lucene"))
    rows: list[dict[str, Any]] = []
    changes: list[Change | None] = []
    for question, query in zip(questions, queries, strict=True):
        asked = words(query_text(question))
        lexical = index.scores(asked)
        dense = cosines(query, vectors, owners, atoms=len(atoms))
        nearest = vectors[nearest_parts(query, vectors, owners)]
        diverse = ranks(maximal_marginal_relevance(dense, nearest, trade_off=mmr_lambda))
        by_bm25, by_dense = by_score(lexical), by_score(dense)
        pool = set(candidate_pool(by_bm25, by_dense, size=pool_size))
        bm25_ranks, dense_ranks = ranks(by_bm25), ranks(by_dense)
        above = index.lowest_weight(asked) > 0
        changes.append(None if above else changed(by_bm25, by_score(reference().scores(asked))))
        rows += [
            {
                "question_id": question.question_id,
                "atom_id": atom.atom_id,
                "position": position,
                "bm25_score": float(lexical[position]),
                "bm25_rank": bm25_ranks[position],
                "dense_score": float(dense[position]),
                "dense_rank": dense_ranks[position],
                "mmr_rank": diverse[position],
                "candidate": position in pool,
                "tokens": counts[position],
                "truncated": coverage == "head" and counts[position] > encoder.max_tokens,
            }
            for position, atom in enumerate(atoms)
        ]
    return Found(rows, changes)


def nearest_parts(query: np.ndarray, vectors: np.ndarray, owners: Sequence[int]) -> list[int]:
    """For each atom, which of its vectors is nearest to the query (the first of equal ones)."""
    best: dict[int, int] = {}
    similarity = vectors @ query
    for row, owner in enumerate(owners):
        if owner not in best or similarity[row] > similarity[best[owner]]:
            best[owner] = row
    return [best[owner] for owner in sorted(best)]
