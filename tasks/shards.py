"""Shards: the items that one task run works on."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from plancheck.plumbing.errors import StudyError


@dataclass(frozen=True, slots=True)
class Shard:
    """Some items (IDs) under a name such as "3/12"."""

    name: str
    items: tuple[str, ...]


def shards(items: Sequence[str], *, size: int) -> list[Shard]:
    """Items in order, ``size`` to a shard; none for no items."""
    groups = [tuple(items[start : start + size]) for start in range(0, len(items), size)]
    return [Shard(f"{number}/{len(groups)}", group) for number, group in enumerate(groups, start=1)]


def workers(device: str) -> int:
    """Shards worked on at once: PLANCHECK_WORKERS, else a core each on a CPU and one on an accelerator.

    Each worker's model calls use one thread: side by side, calls of several threads slow each other down many times.
    """
    asked = os.environ.get("PLANCHECK_WORKERS")
    if asked is None:
        return len(os.sched_getaffinity(0)) if device == "cpu" and hasattr(os, "sched_getaffinity") else 1
    if not asked.isdecimal() or int(asked) == 0:
        raise StudyError(f"PLANCHECK_WORKERS must be a positive whole number, got {asked!r}.")
    return int(asked)
