"""Progress over shards: a bar in a terminal, a line a minute elsewhere, and an artifact in Prefect."""

import logging
import re
import sys
import time
from collections.abc import Sequence
from typing import TypeVar

from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.futures import PrefectFuture, as_completed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tasks.shards import Shard

LOG = logging.getLogger("plancheck.progress")

SECONDS_A_LINE = 60.0
SECONDS_A_REPORT = 5.0  # to the server

T = TypeVar("T")


def results(futures: Sequence[PrefectFuture[T]], shards: Sequence[Shard], *, what: str) -> list[T]:
    """The futures' results in order; a task's own exception is raised when it failed for good."""
    sizes = {id(future): len(shard.items) for future, shard in zip(futures, shards, strict=True)}
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    terminal, total, done, said = sys.stderr.isatty(), sum(sizes.values()), 0, time.monotonic()
    reported = said
    artifact = create_progress_artifact(0.0, key=key(what), description=what) if total else None
    with Progress(*columns, console=Console(stderr=True), disable=not terminal, transient=True) as bar:
        task = bar.add_task(what, total=total)
        for future in as_completed(list(futures)):
            if not future.state.is_completed():
                continue  # what failed is not done; it is raised below
            bar.advance(task, sizes[id(future)])
            done += sizes[id(future)]
            if artifact and (done == total or time.monotonic() - reported >= SECONDS_A_REPORT):
                reported = time.monotonic()
                update_progress_artifact(artifact, 100 * done / total, description=f"{what} {done} of {total}")
            if not terminal and time.monotonic() - said >= SECONDS_A_LINE:
                said = time.monotonic()
                LOG.info("%s %d of %d", what, done, total)
    return [future.result() for future in futures]


def key(what: str) -> str:
    """The key of an artifact: "plan sft: questions" is ``plan-sft-questions``."""
    return re.sub("[^a-z0-9]+", "-", what.lower()).strip("-")
