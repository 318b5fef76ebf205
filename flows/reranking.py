"""The candidate pools ranked by cross-encoders: what stages rerank and tune share."""

import logging
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from flows.progress import results
from plancheck.benchmark.tables import read_questions
from plancheck.params.rankings import CrossEncoder
from plancheck.params.retrieval import Rerank
from plancheck.records import RANKINGS
from plancheck.retrieval.coverage import coverage
from plancheck.retrieval.silence import silence
from plancheck.tables import in_order
from tasks.rerank import rerank_shard
from tasks.shards import shards

LOG = logging.getLogger("plancheck.rerank")

QUESTIONS_A_SHARD = 4


def pools_ranked(
    rankings: Mapping[str, CrossEncoder], models: Mapping[str, Path], settings: Rerank, snippet_chars: int | None
) -> pa.Table:
    """The rows of every ranking, by question, ranking and rank; none without rankings.

    Args:
        rankings: by name.
        models: folder of each role that they name.
        settings: how they are run.
        snippet_chars: characters of a candidate that the planner is shown, None for all of it.
    """
    questions = shards(sorted(question.question_id for question in read_questions()), size=QUESTIONS_A_SHARD)
    tables = [RANKINGS.empty_table()]
    # One ranking after another, so that one cross-encoder is in memory.
    for name, reading in rankings.items():
        started = time.monotonic()
        futures = [
            rerank_shard.submit(shard, name, reading, models[reading.model], settings, snippet_chars)
            for shard in questions
        ]
        found = results(futures, questions, what=f"{name}: questions")
        tables += found
        rows, seconds = sum(map(len, found)), time.monotonic() - started
        LOG.info("%s: %s candidates reranked in %.0f s (%.0f/s)", name, f"{rows:,}", seconds, rows / seconds)
    return in_order(pa.concat_tables(tables), "ranking", "rank")


def told(rankings: Mapping[str, CrossEncoder], ranked: pa.Table) -> dict[str, dict[str, str | int | float]]:
    """How much of the candidates each cross-encoder read, by ranking, which the log is told too."""
    found = {}
    for name, reading in rankings.items():
        rows = ranked.filter(pc.field("ranking") == name)
        found[name] = coverage(reading.coverage, rows["truncated"].to_pylist())
        LOG.info(silence(name, rows))
        LOG.info(
            "%s: the cross-encoder read only a part of %.1f %% of the candidates (coverage %s)",
            name, 100 * float(found[name]["truncated_share"]), reading.coverage,
        )  # fmt: skip
    return found
