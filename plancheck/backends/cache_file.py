"""The file of the generation cache: its table, where it may lie, and what is saved of it when it is damaged.

An SQLite file in WAL mode. A table `replies` holds a row a reply: the key, the reply as JSON text with sorted keys, a
checksum of both, the stage and the model that were asked first ("" where that is not known), and when the reply was
made and last used, in seconds since 1970 by this machine's clock. `plancheck cache`
reads the times, and stage answer does, for reports/asked.json.
"""

import hashlib
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.file_systems import network_file_system

LOG = logging.getLogger("plancheck.cache")

VARIABLE: Final = "PLANCHECK_CACHE"  # names another file, such as one on a local disk
USUAL: Final = Path(".plancheck/generations.sqlite")
BUSY_SECONDS: Final = 60.0
VERSION: Final = 2
DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
COLUMNS: Final = ("key", "reply", "checksum", "stage", "model", "made", "used")
CREATE: Final = (
    "CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL, checksum TEXT NOT NULL, stage TEXT NOT NULL, "
    "model TEXT NOT NULL, made INTEGER NOT NULL, used INTEGER NOT NULL)"
)
ADD: Final = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?)"


def cache_path() -> Path:
    """Where the generation cache of the study in the working directory is, whether it exists or not."""
    return Path(os.environ.get(VARIABLE) or USUAL)


def checksum(key: str, reply: object) -> str:
    """16 hex digits that differ when a bit of either differs; "" for a reply that is no text."""
    if not isinstance(reply, str):
        return ""
    return hashlib.blake2b(f"{key}\n{reply}".encode(errors="surrogatepass"), digest_size=8).hexdigest()


def connect(path: Path) -> sqlite3.Connection:
    """The cache, made where there is none. A file that is no database is set aside, see `renewed`.

    Any thread may use the connection, one at a time.

    Raises:
        StudyError: it lies on a network file system, or was made by a newer version.
        OSError, sqlite3.Error: it cannot be opened.
    """
    refuse_network(path)
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    # SQLite does not wait its turn to make a new file a WAL one: "database is locked" at once.
    with FileLock(f"{path}.lock", timeout=BUSY_SECONDS):
        try:
            return _opened(path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
            return _saved(path)


def renewed(path: Path) -> sqlite3.Connection:
    """The cache in a sound file, after reading or writing it met damage.

    Replies that can be read, and are what was written, go into a new file; the damaged one stays beside it. What
    another process has mended in the meantime is left as it is.
    """
    path = path.resolve()
    with FileLock(f"{path}.lock", timeout=BUSY_SECONDS):
        with suppress(sqlite3.DatabaseError):
            connection = _opened(path)
            if connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return connection
            connection.close()
        return _saved(path)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether an error says that the file is not what SQLite wrote."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in DAMAGED


def refuse_network(path: Path) -> None:
    """Raise a StudyError if the cache lies on a network file system, where two machines' writes damage it."""
    if kind := network_file_system(path):
        raise StudyError(
            f"{path}: lies on a network file system ({kind}), where SQLite's locks do not hold. Name a file on a "
            f"local disk: `export {VARIABLE}=/scratch/generations.sqlite`. Each machine has its own; `plancheck cache "
            "export` and `import` bring them together."
        )


def unusable(path: Path, error: Exception) -> StudyError:
    return StudyError(
        f"{path}: the generation cache cannot be used ({error}). Free space or fix its permissions, then run it again: "
        "what it holds is kept."
    )


def size_bytes(path: Path) -> int:
    """Of the file, and of what SQLite has not yet moved into it."""
    files = (Path(f"{path}{end}") for end in ("", "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise StudyError(f"{path}: was made by a newer plancheck. Use that one, or name another file ({VARIABLE}).")
        if version < VERSION:
            _brought_up_to_date(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _brought_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    """Give an older file's replies a checksum.

    Who was asked is not known; they were made when the file was last written, at the latest.
    """
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if _columns(connection):
            connection.execute("ALTER TABLE replies RENAME TO older")
            connection.execute(CREATE)
            connection.create_function("checksum_of", 2, checksum, deterministic=True)
            written = int(path.stat().st_mtime)
            connection.execute(
                "INSERT INTO replies SELECT key, reply, checksum_of(key, reply), '', '', ?, ? FROM older "
                "ORDER BY rowid",
                (written, written),
            )
            connection.execute("DROP TABLE older")
        else:
            connection.execute(CREATE)
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _saved(path: Path) -> sqlite3.Connection:
    """A new file with what can be read of the damaged one, which is renamed."""
    aside = path.with_name(f"{path.name}.damaged")
    for end in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{aside}{end}").unlink()
        with suppress(FileNotFoundError):
            Path(f"{path}{end}").rename(f"{aside}{end}")
    connection = _opened(path)
    with connection:
        connection.executemany(ADD, _readable(aside))
    (kept,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    LOG.warning(
        "%s is damaged: %s replies of it could be read and are kept, the others are asked again. The damaged file is "
        "now %s; delete it when you like.",
        path, f"{kept:,}", aside,
    )  # fmt: skip
    return connection


def _readable(path: Path) -> Iterator[tuple[Any, ...]]:
    """Sound rows of a damaged file: from its beginning to the first damaged page, and from its end to the last."""
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA writable_schema=ON")  # else a file that was cut off is not read at all
            own = _columns(connection)
            if not {"key", "reply"} <= own:
                return
            now = int(time.time())
            instead = {"checksum": "NULL", "stage": "''", "model": "''", "made": str(now), "used": str(now)}
            named = ", ".join(name if name in own else instead[name] for name in COLUMNS)
            for key, reply, mark, *rest in connection.execute(f"SELECT {named} FROM replies ORDER BY rowid {order}"):
                found = checksum(key, reply)
                if found and mark in (found, None):
                    yield key, reply, found, *rest


def _columns(connection: sqlite3.Connection) -> set[str]:
    return {row[1] for row in connection.execute("PRAGMA table_info(replies)")}
