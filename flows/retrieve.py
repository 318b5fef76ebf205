"""Stage retrieve as a Prefect flow: data/retrieval.parquet, reports/retrieve.json."""

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
from plancheck.records import RETRIEVAL
from plancheck.retrieval.coverage import coverage
from plancheck.retrieval.silence import silence
from plancheck.retrieval.weights import counted
from tasks.retrieve import retrieve_shard
from tasks.shards import shards, workers

LOG = logging.getLogger("plancheck.retrieve")

REPORT = Path("reports/retrieve.json")
CONTEXTS_A_SHARD = 4


@flow(name="retrieve")
def retrieve() -> None:
    """Rank every atom for every question."""
    settings = read_params().retrieve
    encoder = locked("encoder")
    contexts = shards(sorted({question.context_id for question in read_questions()}), size=CONTEXTS_A_SHARD)
    started = time.monotonic()
    futures = [retrieve_shard.submit(shard, encoder.path, settings) for shard in contexts]
    parts = results(futures, contexts, what="retrieve: contexts")
    rows = [row for part in parts for row in part.rows]
    rows.sort(key=lambda row: (row["question_id"], row["position"]))
    write_table(DATA / "retrieval.parquet", rows, RETRIEVAL)
    bm25 = counted(settings.bm25.variant, [change for part in parts for change in part.changes])
    atoms = {row["atom_id"]: row["truncated"] for row in rows}
    dense = coverage(settings.dense_coverage, atoms.values())
    write_json(REPORT, {"bm25": bm25, "dense": dense})
    LOG.info(silence("BM25", rows, "bm25_score"))
    LOG.info(silence("dense", rows, "dense_score"))
    LOG.info(
        "%s atoms ranked in %.0f s (%.1f atoms/s); the encoder reads only the beginning of %.1f %% of them",
        f"{len(atoms):,}", seconds := time.monotonic() - started, len(atoms) / seconds,
        100 * float(dense["truncated_share"]),
    )  # fmt: skip


def run() -> None:
    """Run the flow with a worker a core."""
    runner = ThreadPoolTaskRunner(max_workers=workers(pick_device(read_params().retrieve.device)))
    retrieve.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
