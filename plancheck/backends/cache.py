"""The generation cache: what a model already said, kept across runs so that it is not asked again.

One SQLite file of JSON replies (no pickle), safe for several threads and processes and for kill -9: a reply is
either there whole or not at all. It is no output of any stage and may be deleted at any time.
"""

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from filelock import Timeout

from plancheck.backends.cache_file import ADD, cache_path, checksum, connect, is_damage, renewed, unusable

LOG = logging.getLogger("plancheck.cache")

T = TypeVar("T")


class GenerationCache:
    """Replies by key. Use as a context manager, or call `close`.

    A damaged reply counts as unknown, so that it is asked again. A file that SQLite can no longer read is replaced by
    what is readable of it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = cache_path() if path is None else path
        self._lock = threading.Lock()
        try:
            self._connection = connect(self._path)
        except (OSError, Timeout, sqlite3.Error) as error:
            raise unusable(self._path, error) from error

    def of(self, stage: str, model: str) -> "Remembered":
        """The replies as one model's in a stage: both are noted beside those that are put there."""
        return Remembered(self, stage, model)

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The replies that are known, by key; they count as used now."""
        now = int(time.time())

        def read(connection: sqlite3.Connection) -> dict[str, dict[str, Any]]:
            found: dict[str, dict[str, Any]] = {}
            damaged: list[str] = []
            for key in keys:
                row = connection.execute("SELECT reply, checksum FROM replies WHERE key = ?", (key,)).fetchone()
                if row is None:
                    continue
                value = sound(key, *row)
                if value is None:
                    damaged.append(key)
                else:
                    found[key] = value
            with connection:
                connection.executemany(
                    "UPDATE replies SET used = ? WHERE key = ? AND used < ?", ((now, key, now) for key in found)
                )
                connection.executemany("DELETE FROM replies WHERE key = ?", ((key,) for key in damaged))
            if damaged:
                LOG.warning("%s: %d replies are damaged and are asked again", self._path, len(damaged))
            return found

        return self._with_connection(read)

    def put(self, replies: Mapping[str, Mapping[str, Any]], *, stage: str = "", model: str = "") -> None:
        """Keep replies, all or none; a key that is already there keeps its first reply."""
        now = int(time.time())
        texts = {key: json.dumps(reply, sort_keys=True) for key, reply in replies.items()}
        rows = [(key, text, checksum(key, text), stage, model, now, now) for key, text in texts.items()]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany(ADD, rows)

        self._with_connection(write)

    def made(self, keys: Sequence[str]) -> dict[str, int]:
        """When each known reply was first given, in seconds since 1970 by the clock of the machine that was told it.

        0 where it is not known: of a reply without a stage, which a file of an older version held, ``made`` is no more
        than the latest that it can be.
        """
        query = "SELECT key, CASE stage WHEN '' THEN 0 ELSE made END FROM replies WHERE key = ?"

        def read(connection: sqlite3.Connection) -> dict[str, int]:
            rows = (connection.execute(query, (key,)).fetchone() for key in keys)
            return dict(row for row in rows if row)

        return self._with_connection(read)

    def __len__(self) -> int:
        return self._with_connection(lambda own: int(own.execute("SELECT count(*) FROM replies").fetchone()[0]))

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _with_connection(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._lock:
                try:
                    return work(self._connection)
                except sqlite3.DatabaseError as error:
                    if not is_damage(error):
                        raise
                    self._connection.close()
                    self._connection = renewed(self._path)
                    return work(self._connection)
        except (OSError, Timeout, sqlite3.Error) as error:
            raise unusable(self._path, error) from error


@dataclass(frozen=True, slots=True)
class Remembered:
    """The replies of a cache, as `plancheck.answering.ports.Replies`."""

    cache: GenerationCache
    stage: str
    model: str

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """See `GenerationCache.get`."""
        return self.cache.get(keys)

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        """See `GenerationCache.put`."""
        self.cache.put(replies, stage=self.stage, model=self.model)


def sound(key: str, reply: object, mark: object) -> dict[str, Any] | None:
    """The reply that a row holds; None when the row is damaged."""
    if not isinstance(reply, str) or not mark or mark != checksum(key, reply):
        return None
    try:
        value = json.loads(reply)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
