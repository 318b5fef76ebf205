"""What the generation cache holds, by stage and model."""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from plancheck.backends.cache_file import size_bytes

UNKNOWN: Final = "unknown"  # replies of a cache that an older version made


@dataclass(frozen=True, slots=True)
class Part:
    """Replies that one stage asked one model for.

    ``size_bytes`` is of the keys and replies; ``oldest`` and ``newest`` are the days on which replies were made and
    ``last_used`` the last on which a run read one, all in UTC.
    """

    stage: str
    model: str
    replies: int
    size_bytes: int
    oldest: date
    newest: date
    last_used: date


@dataclass(frozen=True, slots=True)
class Contents:
    """A cache: ``size_bytes`` of its file, and its parts by stage, then model."""

    path: str
    replies: int
    size_bytes: int
    parts: tuple[Part, ...]


def contents(path: Path, connection: sqlite3.Connection) -> Contents:
    """What the cache holds now."""
    rows = connection.execute(
        "SELECT stage, model, count(*), sum(length(key) + length(CAST(reply AS BLOB))), min(made), max(made), "
        "max(used) FROM replies GROUP BY stage, model ORDER BY stage, model"
    )
    parts = tuple(
        Part(stage or UNKNOWN, model or UNKNOWN, n, size, *map(_day, times)) for stage, model, n, size, *times in rows
    )
    return Contents(str(path), sum(part.replies for part in parts), size_bytes(path.resolve()), parts)


def as_text(found: Contents) -> str:
    """The contents as a table of text."""
    rows = [("stage", "model", "replies", "bytes", "made from", "to", "last used")]
    rows += [
        (
            part.stage, part.model, f"{part.replies:,}", f"{part.size_bytes:,}", f"{part.oldest}", f"{part.newest}",
            f"{part.last_used}",
        )
        for part in found.parts
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = {2, 3}
    lines = [
        "  ".join(
            cell.rjust(w) if n in right else cell.ljust(w) for n, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    head = f"{found.path}: {found.replies:,} replies, {found.size_bytes:,} bytes"
    return "\n".join([head, *(line.rstrip() for line in lines)] if found.parts else [head])


def _day(seconds: int) -> date:
    return datetime.fromtimestamp(seconds, UTC).date()
