"""Progress over shards: a bar in a terminal, nothing elsewhere."""

import sys
from collections.abc import Sequence
from typing import TypeVar

from prefect.futures import PrefectFuture, as_completed
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tasks.shards import Shard

T = TypeVar("T")


def results(futures: Sequence[PrefectFuture[T]], shards: Sequence[Shard], *, what: str) -> list[T]:
    """The futures' results in order; a task's own exception is raised when it failed for good."""
    sizes = {id(future): len(shard.items) for future, shard in zip(futures, shards, strict=True)}
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True) as bar:
        task = bar.add_task(what, total=sum(sizes.values()))
        for future in as_completed(list(futures)):
            bar.advance(task, sizes[id(future)])
    return [future.result() for future in futures]
