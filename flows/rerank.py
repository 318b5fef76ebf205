"""Stage rerank as a Prefect flow: data/rerank.parquet."""

import logging
import time

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from flows.entry import main
from flows.progress import results
from plancheck.backends.device import pick_device
from plancheck.backends.models import locked
from plancheck.benchmark.tables import read_questions
from plancheck.files import DATA, write_table
from plancheck.params.study import read_params
from plancheck.records import RERANK
from plancheck.retrieval.silence import silence
from tasks.rerank import rerank_shard
from tasks.shards import shards, workers

LOG = logging.getLogger("plancheck.rerank")

QUESTIONS_A_SHARD = 4


@flow(name="rerank")
def rerank() -> None:
    """Rank every question's candidate pool with the cross-encoder."""
    settings = read_params().rerank
    reranker = locked("reranker")
    questions = shards(sorted(question.question_id for question in read_questions()), size=QUESTIONS_A_SHARD)
    started = time.monotonic()
    futures = [rerank_shard.submit(shard, reranker.path, settings) for shard in questions]
    rows = [row for part in results(futures, questions, what="rerank: questions") for row in part]
    write_table(DATA / "rerank.parquet", rows, RERANK)
    LOG.info(silence("rerank", rows, "rerank_score"))
    seconds = time.monotonic() - started
    LOG.info("%s candidates reranked in %.0f s (%.0f/s)", f"{len(rows):,}", seconds, len(rows) / seconds)


def run() -> None:
    """Run the flow with a worker a core."""
    runner = ThreadPoolTaskRunner(max_workers=workers(pick_device(read_params().rerank.device)))
    rerank.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
