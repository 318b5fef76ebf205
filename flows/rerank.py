"""Stage rerank as a Prefect flow: data/rerank.parquet, reports/rerank.json."""

import logging
import time
from pathlib import Path

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from flows.entry import main
from flows.progress import results
from plancheck.backends.device import pick_device
from plancheck.backends.models import locked
from plancheck.benchmark.tables import read_questions
from plancheck.params.study import read_params
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import RERANK
from plancheck.retrieval.coverage import coverage
from plancheck.retrieval.silence import silence
from tasks.rerank import rerank_shard
from tasks.shards import shards, workers

LOG = logging.getLogger("plancheck.rerank")

REPORT = Path("reports/rerank.json")
QUESTIONS_A_SHARD = 4


@flow(name="rerank")
def rerank() -> None:
    """Rank every question's candidate pool with the cross-encoder."""
    params = read_params()
    settings, shown = params.rerank, params.planner.snippet_chars
    reranker = locked("reranker")
    questions = shards(sorted(question.question_id for question in read_questions()), size=QUESTIONS_A_SHARD)
    started = time.monotonic()
    futures = [rerank_shard.submit(shard, reranker.path, settings, shown) for shard in questions]
    rows = [row for part in results(futures, questions, what="rerank: questions") for row in part]
    write_table(DATA / "rerank.parquet", rows, RERANK)
    write_json(REPORT, found := coverage(settings.coverage, [row["truncated"] for row in rows]))
    LOG.info(silence("rerank", rows, "rerank_score"))
    seconds = time.monotonic() - started
    LOG.info(
        "%s candidates reranked in %.0f s (%.0f/s); the cross-encoder read only a part of %.1f %% of them "
        "(rerank.coverage=%s)",
        f"{len(rows):,}", seconds, len(rows) / seconds, 100 * float(found["truncated_share"]), settings.coverage,
    )  # fmt: skip


def run() -> None:
    """Run the flow with a worker a core."""
    runner = ThreadPoolTaskRunner(max_workers=workers(pick_device(read_params().rerank.device)))
    rerank.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
