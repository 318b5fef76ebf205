"""What a shard costs beside its work, by task runner: `python benchmarks/shards.py [threads|dask|ray ...]`.

Runs a flow of 200 shards that do nothing, in two workers, with a Prefect server of its own: shards.csv.
"""

import csv
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from prefect import flow
from prefect.cache_policies import NO_CACHE
from prefect.tasks import task

from flows.progress import results
from flows.runners import task_runner
from flows.server import api_server
from plancheck.params.runtime import Runtime
from tasks.shards import Shard, shards

SHARDS, WORKERS = 200, 2
TABLE = Path(__file__).with_suffix(".csv")


@task(cache_policy=NO_CACHE, task_run_name="nothing {shard.name}")
def nothing(shard: Shard) -> str:
    """Enter the study's folder, as every shard does."""
    shard.enter()
    return shard.name


@flow(name="shards")
def measured() -> tuple[float, float]:
    """Seconds until the first two shards are done, and seconds a shard after that."""
    started = time.perf_counter()
    first = shards(["a", "b"], size=1)
    results([nothing.submit(shard) for shard in first], first, what="first")
    ready = time.perf_counter()
    rest = shards([str(number) for number in range(SHARDS)], size=1)
    results([nothing.submit(shard) for shard in rest], rest, what="rest")
    return ready - started, (time.perf_counter() - ready) / SHARDS


def main(runners: Sequence[str]) -> None:
    """Measure each runner and write the table."""
    rows = []
    for name in runners:
        with api_server():
            began = time.perf_counter()
            runner = task_runner("cpu", Runtime.model_validate({"task_runner": name}))
            first, each = measured.with_options(task_runner=runner)()
            total = time.perf_counter() - began
        around = total - first - each * SHARDS
        rows.append([name, WORKERS, SHARDS, round(around + first, 2), round(1000 * each, 1)])
        print(*rows[-1], flush=True)
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["task_runner", "workers", "shards", "start_and_end_seconds", "milliseconds_a_shard"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:] or ("threads", "dask", "ray"))
