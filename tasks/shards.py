"""Shards: the items that one task run works on."""

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plancheck.plumbing.errors import StudyError


@dataclass(frozen=True, slots=True)
class Shard:
    """Some items (IDs) under a name such as "3/12", and the study's folder, in which their tables and models are."""

    name: str
    items: tuple[str, ...]
    folder: Path = field(default_factory=Path.cwd)

    def enter(self) -> None:
        """Work in the study's folder: a worker of a cluster was perhaps started in another.

        Raises:
            StudyError: this machine does not have it.
        """
        if Path.cwd() == self.folder:
            return
        try:
            os.chdir(self.folder)
        except OSError as error:
            raise StudyError(
                f"{self.folder}: not on {socket.gethostname()} ({error.strerror}). Every machine of the cluster needs "
                "the study's folder at the same path, such as a shared one."
            ) from error


def shards(items: Sequence[str], *, size: int) -> list[Shard]:
    """Items in order, ``size`` to a shard; none for no items."""
    groups = [tuple(items[start : start + size]) for start in range(0, len(items), size)]
    return [Shard(f"{number}/{len(groups)}", group) for number, group in enumerate(groups, start=1)]
