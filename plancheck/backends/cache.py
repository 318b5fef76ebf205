"""The generation cache: what a model already said, kept across runs so that it is not asked again.

One SQLite file of JSON replies (no pickle), safe for several threads and processes and for kill -9: a reply is
either there whole or not at all. It is no output of any stage and may be deleted at any time.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from filelock import FileLock

from plancheck.plumbing.errors import StudyError

CACHE = Path(".plancheck/generations.sqlite")
BUSY_SECONDS = 60.0
CREATE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, made INTEGER NOT NULL)"
OLDER = "ALTER TABLE replies ADD COLUMN made INTEGER NOT NULL DEFAULT 0"  # 0: not known


class GenerationCache:
    """Replies by key. Use as a context manager, or call `close`."""

    def __init__(self, path: Path = CACHE) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # SQLite does not wait its turn to make a new file a WAL one: "database is locked" at once.
            with FileLock(f"{path}.lock", timeout=BUSY_SECONDS):
                self._connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
                self._connection.execute("PRAGMA journal_mode=WAL")
                self._connection.execute(CREATE)
                if "made" not in {row[1] for row in self._connection.execute("PRAGMA table_info(replies)")}:
                    self._connection.execute(OLDER)
                self._connection.commit()
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The replies that are known, by key."""
        found: dict[str, dict[str, Any]] = {}
        try:
            with self._lock:
                for key in keys:
                    row = self._connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
                    if row:
                        found[key] = json.loads(row[0])
        except (sqlite3.Error, ValueError) as error:
            raise self._unusable(error) from error
        return found

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep replies, all or none; a key that is already there keeps its first reply."""
        now = int(time.time())
        rows = [(key, json.dumps(reply, sort_keys=True), now) for key, reply in replies.items()]
        try:
            with self._lock, self._connection:
                self._connection.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from error

    def made(self, keys: Sequence[str]) -> dict[str, int]:
        """When each known reply was first given, in seconds since 1970 by this machine's clock; 0: not known."""
        found: dict[str, int] = {}
        try:
            with self._lock:
                for key in keys:
                    row = self._connection.execute("SELECT made FROM replies WHERE key = ?", (key,)).fetchone()
                    if row:
                        found[key] = int(row[0])
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return found

    def __len__(self) -> int:
        with self._lock:
            return int(self._connection.execute("SELECT count(*) FROM replies").fetchone()[0])

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _unusable(self, error: Exception) -> StudyError:
        return StudyError(
            f"{self._path}: the generation cache cannot be used ({error}). Free space or fix its permissions; if the "
            "file is damaged, delete it (what the models said is then asked again)."
        )
