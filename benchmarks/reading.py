"""What should the cross-encoder read: an atom's beginning, all of it, or what the planner is shown? Measured.

Ranks the candidate pools of questions whose evidence is known by each `rankings.rerank.coverage`. Run it in the
project's folder once the demo's stages up to retrieve have run (`make demo`); prints a table and writes it to
benchmarks/reading.csv.

    python benchmarks/reading.py
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import pandas as pd
from threadpoolctl import threadpool_limits

from plancheck.backends.device import one_thread
from plancheck.backends.models import locked
from plancheck.backends.reranking import CrossEncoderReranker, load_reranker
from plancheck.benchmark.tables import read_questions
from plancheck.packing import evidence_recall, pack
from plancheck.params.rankings import CrossEncoder
from plancheck.params.study import Params, read_params
from plancheck.planning.plans import Pool, candidate_texts
from plancheck.pools import read_pools
from plancheck.records import Atom, Piece
from plancheck.retrieval.reranking import rerank_pool

OUTPUT = Path(__file__).with_name("reading.csv")
RANKING = "rerank"
COVERAGES = ("head", "windows", "snippet")
FIRST = (1, 2, 3)  # atoms of the ranking


def main() -> None:
    params = read_params()
    one_thread()
    model = load_reranker(locked("reranker").path, device="cpu", dtype=params.rerank.dtype)
    pools = [
        pool
        for pool in read_pools(sorted(question.question_id for question in read_questions()))
        if pool.question.evidence
    ]
    with threadpool_limits(limits=1):
        table = pd.DataFrame([measured(coverage, pools, model, params) for coverage in COVERAGES]).round(3)
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def measured(coverage: str, pools: Sequence[Pool], model: CrossEncoderReranker, params: Params) -> dict[str, object]:
    """Mean shares over questions: of evidence in the first atoms and shown at each budget; of atoms read in part."""
    reading = params.rankings[RANKING].model_copy(update={"coverage": coverage})
    assert isinstance(reading, CrossEncoder)
    first: dict[int, list[float]] = {count: [] for count in FIRST}
    shown: dict[int, list[float]] = {budget: [] for budget in params.pack.budgets_chars}
    truncated: list[bool] = []
    for pool in pools:
        texts = candidate_texts(pool, snippet_chars=reading.chars(params.planner.snippet_chars))
        rows = rerank_pool(
            RANKING, pool.question, pool.context, pool.candidates, texts, model,
            windows=reading.in_parts, batch_size=params.rerank.batch_size,
        )  # fmt: skip
        truncated += [row["truncated"] for row in rows]
        ranked = [
            atom
            for _, atom in sorted(
                zip((row["rank"] for row in rows), pool.candidates, strict=True), key=lambda item: item[0]
            )
        ]
        for count, found in first.items():
            found.append(recall(pool, [Piece(atom.atom_id, atom.start, atom.end) for atom in ranked[:count]]))
        for budget, found in shown.items():
            found.append(recall(pool, packed(ranked, params, budget_chars=budget)))
    return {
        "coverage": coverage,
        "questions": len(pools),
        "candidates": len(truncated),
        **{f"evidence in the first {count}": fmean(found) for count, found in first.items()},
        **{f"evidence shown at {budget}": fmean(found) for budget, found in shown.items()},
        "read in part": fmean(truncated),
    }


def packed(ranked: Sequence[Atom], params: Params, *, budget_chars: int) -> Sequence[Piece]:
    settings = params.pack
    return pack(
        ranked, budget_chars=budget_chars, overflow=settings.overflow, merge_overlaps=settings.merge_overlaps
    ).pieces


def recall(pool: Pool, pieces: Sequence[Piece]) -> float:
    found = evidence_recall(pool.question.evidence, pieces)
    assert found is not None
    return found


if __name__ == "__main__":
    main()
