"""Shards: the items that one task run works on."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shard:
    """Some items (IDs) under a name such as "3/12"."""

    name: str
    items: tuple[str, ...]


def shards(items: Sequence[str], *, size: int) -> list[Shard]:
    """Items in order, ``size`` to a shard; none for no items."""
    groups = [tuple(items[start : start + size]) for start in range(0, len(items), size)]
    return [Shard(f"{number}/{len(groups)}", group) for number, group in enumerate(groups, start=1)]
