"""Removing replies from the generation cache: the least lately used go first."""

import re
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plancheck.backends.cache_file import size_bytes
from plancheck.plumbing.errors import StudyError

AT_ONCE: Final = 10_000  # replies of one transaction, so that a study beside it waits for a moment only
UNITS: Final = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
SECONDS_A_DAY: Final = 86_400
# What a reply takes in the file: its texts, the key once more for the index, and what SQLite adds.
WEIGHT: Final = "(2 * length(key) + length(CAST(reply AS BLOB)) + length(CAST(stage || model AS BLOB)) + 80)"
EMPTY_BYTES: Final = 20_000  # a file without a reply, at most


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many replies went and stayed, and the size of the file now."""

    removed: int
    kept: int
    size_bytes: int


def bytes_of(text: str) -> int:
    """A size such as ``500MB``; units are B, KB, MB and GB, of 1,000 each.

    Raises:
        StudyError: it is no such size.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMG]?B)?", text.strip().upper(), re.ASCII)
    if not found:
        raise StudyError(f"--size {text}: must be a number and B, KB, MB or GB, such as 500MB.")
    return int(float(found[1]) * UNITS[found[2] or ""])


def pruned(
    path: Path,
    connection: sqlite3.Connection,
    *,
    max_bytes: int | None = None,
    days: int | None = None,
    stage: str | None = None,
    model: str | None = None,
) -> Pruned:
    """Remove the replies that every given condition names.

    Args:
        path: of the file.
        max_bytes: of the file; the replies that were used last stay, those used in the same second by when they were
            made, then by key. Replies that another condition spares count, and stay.
        days: replies used in this many last days stay.
        stage: replies that another stage asked for stay.
        model: replies of models whose name does not hold this stay.

    Raises:
        StudyError: no condition is given.
    """
    if (max_bytes, days, stage, model) == (None, None, None, None):
        raise StudyError("prune: say what is to go: --size, --days, --stage or --model. All replies go with --days 0.")
    unused_since = int(time.time()) - days * SECONDS_A_DAY if days else None
    if days == 0:
        unused_since = 2**62
    connection.execute("DROP TABLE IF EXISTS temp.doomed")
    connection.execute("CREATE TEMP TABLE doomed (number INTEGER PRIMARY KEY, key TEXT NOT NULL)")
    # Heavier than allowed, counted from the reply that was used last, what is spared first of all.
    with connection:
        connection.execute(
            f"""
            INSERT INTO doomed (key)
            SELECT key FROM (
                SELECT *, SUM({WEIGHT}) OVER (ORDER BY named, used DESC, made DESC, key) AS weight
                FROM (
                    SELECT *, (:since IS NULL OR used < :since) AND (:stage IS NULL OR stage = :stage)
                        AND (:model IS NULL OR instr(model, :model) > 0) AS named
                    FROM replies
                )
            )
            WHERE named AND (:bytes IS NULL OR weight > :bytes)
            """,
            {
                "since": unused_since,
                "stage": stage,
                "model": model,
                "bytes": None if max_bytes is None else max(max_bytes - EMPTY_BYTES, 0),
            },
        )
    (removed,) = connection.execute("SELECT count(*) FROM doomed").fetchone()
    for start in range(0, removed, AT_ONCE):
        with connection:
            connection.execute(
                "DELETE FROM replies WHERE key IN (SELECT key FROM doomed WHERE number > ? AND number <= ?)",
                (start, start + AT_ONCE),
            )
    if removed:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (kept,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    return Pruned(removed, kept, size_bytes(path.resolve()))
