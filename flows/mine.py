"""Stage mine as a Prefect flow: data/traces.parquet."""

import logging
import time
from collections import Counter
from typing import Any

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from flows.entry import main
from flows.progress import results
from plancheck.answering.usage import write_usage
from plancheck.backends.device import pick_device
from plancheck.backends.models import locked
from plancheck.params.study import read_params
from plancheck.plumbing.files import DATA, write_table
from plancheck.records import TRACES
from plancheck.tables import read_splits
from tasks.mine import Mined, Settings, mine_shard
from tasks.shards import shards, workers

LOG = logging.getLogger("plancheck.mine")

QUESTIONS_A_SHARD = 4


@flow(name="mine")
def mine() -> None:
    """Sample plans for the train and dev questions, and execute each of them alone."""
    params = read_params()
    settings = Settings(planner=params.planner, mine=params.mine, pack=params.pack, answer=params.answer)
    planner = locked("planner", served=params.models["planner"])
    answerer = locked("answer", served=params.models["answer"])
    splits = read_splits()
    # A test question's reward must never be computed, let alone learned from; read_splits refuses an ID in two splits.
    questions = shards(sorted([*splits["train"], *splits["dev"]]), size=QUESTIONS_A_SHARD)
    started = time.monotonic()
    futures = [mine_shard.submit(shard, planner, answerer, settings) for shard in questions]
    mined = results(futures, questions, what="mine: questions")
    rows = [row for part in mined for row in part.rows]
    write_table(DATA / "traces.parquet", rows, TRACES)
    usage = {role: sum((part.usage[role] for part in mined), Counter[str]()) for role in ("planner", "answer")}
    write_usage("mine", usage, params.models)
    report(mined, rows, seconds=time.monotonic() - started)


def report(mined: list[Mined], rows: list[dict[str, Any]], *, seconds: float) -> None:
    unique = [row for row in rows if row["parsed"] and row["duplicate_of"] is None]
    plan_calls, answer_calls = sum(part.plan_calls for part in mined), sum(part.answer_calls for part in mined)
    LOG.info(
        "%d plans sampled (%d asked, the others remembered or too long), %.1f %% parsed, %d numbers that are no "
        "candidate's left out; %d distinct executed "
        "(%d answers asked), %d rewarded, for %d of %d questions; in %.0f s",
        len(rows), plan_calls, 100 * sum(row["parsed"] for row in rows) / len(rows),
        sum(part.unknown for part in mined), len(unique), answer_calls,
        sum(row["reward"] for row in unique), len({row["question_id"] for row in rows if row["reward"]}),
        len({row["question_id"] for row in rows}), seconds,
    )  # fmt: skip


def run() -> None:
    """Run the flow with a worker a core."""
    params = read_params()
    devices = {pick_device(params.planner.device), pick_device(params.answer.device)}
    runner = ThreadPoolTaskRunner(max_workers=min(workers(device) for device in devices))
    mine.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
