"""Progress over shards: a bar in a terminal, a line a minute elsewhere."""

import logging
import sys
import time
from collections.abc import Sequence
from typing import TypeVar

from prefect.futures import PrefectFuture, as_completed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tasks.shards import Shard

LOG = logging.getLogger("plancheck.progress")

SECONDS_A_LINE = 60.0

T = TypeVar("T")


def results(futures: Sequence[PrefectFuture[T]], shards: Sequence[Shard], *, what: str) -> list[T]:
    """The futures' results in order; a task's own exception is raised when it failed for good."""
    sizes = {id(future): len(shard.items) for future, shard in zip(futures, shards, strict=True)}
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    terminal, total, done, said = sys.stderr.isatty(), sum(sizes.values()), 0, time.monotonic()
    with Progress(*columns, console=Console(stderr=True), disable=not terminal, transient=True) as bar:
        task = bar.add_task(what, total=total)
        for future in as_completed(list(futures)):
            bar.advance(task, sizes[id(future)])
            done += sizes[id(future)]
            if not terminal and time.monotonic() - said >= SECONDS_A_LINE:
                said = time.monotonic()
                LOG.info("%s %d of %d", what, done, total)
    return [future.result() for future in futures]
