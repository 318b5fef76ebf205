"""Stage pack: what each condition shows of each question's context."""

import hashlib
import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from plancheck import packing
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.files import DATA, read_table, write_table
from plancheck.params import Pack, Params, Policy
from plancheck.policies import Rankings, order, rerank_first
from plancheck.records import PACKED, Atom, Question
from plancheck.retrieval.fusion import reciprocal_rank
from plancheck.retrieval.ranking import Ranking
from plancheck.tables import read_atoms

LOG = logging.getLogger("plancheck.pack")


def run(params: Params) -> None:
    """Write data/packed.parquet: a row for each question, policy and budget, in this order."""
    rrf_k = params.retrieve.rrf_k
    atoms, rankings = read_atoms(), read_rankings(rrf_k=rrf_k)
    rows: list[dict[str, Any]] = []
    for question in sorted(read_questions(), key=lambda question: question.question_id):
        context = read_contexts([question.context_id])[question.context_id]
        rows += packed_rows(
            question, context, atoms[question.context_id], rankings[question.question_id], params.pack, rrf_k=rrf_k
        )
    write_table(DATA / "packed.parquet", rows, PACKED)
    LOG.info("%s conditions, %s distinct", f"{len(rows):,}", f"{len({row['packed_id'] for row in rows}):,}")


def packed_rows(
    question: Question, context: str, atoms: tuple[Atom, ...], rankings: Rankings, settings: Pack, *, rrf_k: int
) -> list[dict[str, Any]]:
    """A question's rows of data/packed.parquet, by policy and budget as declared."""
    rows = []
    for name, policy in settings.policies.items():
        spans_only = policy.fill in ("head", "head_tail")
        ordered = (
            []
            if spans_only
            else order(policy, rankings, atoms, question_id=question.question_id, seed=settings.seed, rrf_k=rrf_k)
        )
        for budget in settings.budgets_chars:
            packed = pack_one(policy, atoms if spans_only else ordered, settings, budget_chars=budget)
            text = packing.packed_text(context, packed.pieces)
            rows.append(
                {
                    "question_id": question.question_id,
                    "policy": name,
                    "budget_chars": budget,
                    "packed_id": hashlib.sha256(f"{question.question_id}\n{text}".encode()).hexdigest(),
                    "atom_ids": [piece.atom_id for piece in packed.pieces],
                    "starts": [piece.start for piece in packed.pieces],
                    "ends": [piece.end for piece in packed.pieces],
                    "chars": packed.chars,
                    "cut": packed.cut,
                    "skipped": packed.skipped,
                    "evidence_recall": packing.evidence_recall(question.evidence, packed.pieces),
                }
            )
    return rows


def pack_one(policy: Policy, atoms: Sequence[Atom], settings: Pack, *, budget_chars: int) -> packing.Packed:
    if policy.fill == "head":
        return packing.head(atoms, budget_chars=budget_chars)
    if policy.fill == "head_tail":
        return packing.head_tail(atoms, budget_chars=budget_chars)
    return packing.pack(
        atoms, budget_chars=budget_chars, overflow=settings.overflow, merge_overlaps=settings.merge_overlaps
    )


def read_rankings(*, rrf_k: int) -> dict[str, Rankings]:
    """What retrieval and reranking found, by question."""
    by_question: dict[str, list[dict[str, int]]] = defaultdict(list)
    columns = ["question_id", "atom_id", "position", "bm25_rank", "dense_rank", "mmr_rank"]
    position_of: dict[tuple[str, str], int] = {}
    for row in read_table(DATA / "retrieval.parquet", columns=columns).to_pylist():
        by_question[row["question_id"]].append(row)
        position_of[row["question_id"], row["atom_id"]] = row["position"]
    pools: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in read_table(DATA / "rerank.parquet", columns=["question_id", "atom_id", "rerank_rank"]).to_pylist():
        position = position_of[row["question_id"], row["atom_id"]]
        pools[row["question_id"]].append((position, row["rerank_rank"]))
    found = {}
    for question_id, rows in by_question.items():
        bm25, dense, mmr = (ranking_of(rows, f"{name}_rank") for name in ("bm25", "dense", "mmr"))
        hybrid = reciprocal_rank([bm25, dense], k=rrf_k)
        found[question_id] = Rankings(bm25, dense, mmr, rerank_first(pools[question_id], hybrid))
    return found


def ranking_of(rows: list[dict[str, int]], column: str) -> Ranking:
    return tuple(row["position"] for row in sorted(rows, key=lambda row: row[column]))
