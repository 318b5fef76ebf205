"""Stage tune as a Prefect flow: models/reranker_tuned, data/rerank_tuned.parquet."""

import logging
import shutil
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
from plancheck.plumbing.files import DATA, replacing, write_table
from plancheck.records import RERANK
from tasks.rerank import rerank_shard
from tasks.shards import shards, workers
from tasks.tune import tune_on_plans

LOG = logging.getLogger("plancheck.tune")

MODEL = Path("models/reranker_tuned")
QUESTIONS_A_SHARD = 4


@flow(name="tune")
def tune() -> None:
    """Tune the cross-encoder on the planner's own supervision and rank every pool with it; nothing when it is off."""
    params = read_params()
    if not params.tune.enabled:
        with replacing(MODEL) as temporary:
            temporary.mkdir()
        write_table(DATA / "rerank_tuned.parquet", [], RERANK)
        LOG.info("switched off (tune.enabled)")
        return
    started = time.monotonic()
    settings, shown = params.rerank, params.planner.snippet_chars
    made = tune_on_plans(locked("reranker"), params.tune, settings, shown)
    with replacing(MODEL) as temporary:
        shutil.copytree(made, temporary)
    questions = shards(sorted(question.question_id for question in read_questions()), size=QUESTIONS_A_SHARD)
    futures = [rerank_shard.submit(shard, MODEL.resolve(), settings, shown) for shard in questions]
    rows = [row for part in results(futures, questions, what="tune: questions") for row in part]
    write_table(DATA / "rerank_tuned.parquet", rows, RERANK)
    LOG.info("%s candidates reranked in %.0f s", f"{len(rows):,}", time.monotonic() - started)


def run() -> None:
    """Run the flow with a worker a core."""
    runner = ThreadPoolTaskRunner(max_workers=workers(pick_device(read_params().rerank.device)))
    tune.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
