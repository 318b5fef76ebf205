"""Reading what retrieval, reranking and selectors found of each question's atoms."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from plancheck.plumbing.files import DATA, read_table
from plancheck.policies import Rankings, rerank_first
from plancheck.records import Piece
from plancheck.retrieval.fusion import reciprocal_rank
from plancheck.retrieval.ranking import Ranking
from plancheck.tables import read_plan_rows

TUNED = DATA / "rerank_tuned.parquet"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a question: rankings of its atoms, and the atoms or spans that each selector named."""

    rankings: Rankings
    plans: Mapping[str, Sequence[Piece]]


def read_known(question_ids: Iterable[str], *, rrf_k: int) -> dict[str, Known]:
    """What is known of each question, by ID as given; a question without a plan has none.

    Args:
        question_ids: of questions that retrieval ranked.
        rrf_k: of the hybrid ranking, see ``reciprocal_rank``.
    """
    rankings, plans = read_rankings(rrf_k=rrf_k), read_plans()
    return {question_id: Known(rankings[question_id], plans.get(question_id, {})) for question_id in question_ids}


def read_rankings(*, rrf_k: int) -> dict[str, Rankings]:
    """What retrieval and reranking found, by question."""
    by_question: dict[str, list[dict[str, int]]] = defaultdict(list)
    columns = ["question_id", "atom_id", "position", "bm25_rank", "dense_rank", "mmr_rank"]
    position_of: dict[tuple[str, str], int] = {}
    for row in read_table(DATA / "retrieval.parquet", columns=columns).to_pylist():
        by_question[row["question_id"]].append(row)
        position_of[row["question_id"], row["atom_id"]] = row["position"]
    pools, tuned = (read_reranked(name, position_of) for name in ("rerank", "rerank_tuned"))
    found = {}
    for question_id, rows in by_question.items():
        bm25, dense, mmr = (ranking_of(rows, f"{name}_rank") for name in ("bm25", "dense", "mmr"))
        hybrid = reciprocal_rank([bm25, dense], k=rrf_k)
        found[question_id] = Rankings(
            bm25,
            dense,
            mmr,
            hybrid,
            rerank_first(pools[question_id], hybrid),
            rerank_first(tuned[question_id], hybrid) if question_id in tuned else None,
        )
    return found


def read_reranked(name: str, position_of: Mapping[tuple[str, str], int]) -> dict[str, list[tuple[int, int]]]:
    """(position, rank) of every reranked atom of data/<name>.parquet, by question."""
    pools: dict[str, list[tuple[int, int]]] = defaultdict(list)
    table = read_table(DATA / f"{name}.parquet", columns=["question_id", "atom_id", "rerank_rank"])
    for row in table.to_pylist():
        position = position_of[row["question_id"], row["atom_id"]]
        pools[row["question_id"]].append((position, row["rerank_rank"]))
    return pools


def read_plans() -> dict[str, dict[str, list[Piece]]]:
    """What every plan selects, by question and selector; nothing where the plan failed."""
    plans: dict[str, dict[str, list[Piece]]] = defaultdict(dict)
    for row in read_plan_rows(["question_id", "selector", "atom_ids", "starts", "ends"]):
        plans[row["question_id"]][row["selector"]] = list(map(Piece, row["atom_ids"], row["starts"], row["ends"]))
    return plans


def ranking_of(rows: list[dict[str, int]], column: str) -> Ranking:
    return tuple(row["position"] for row in sorted(rows, key=lambda row: row[column]))
