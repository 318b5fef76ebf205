"""The generation cache as the commands open it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from filelock import Timeout

from plancheck.backends.cache_file import cache_path, connect, is_damage, unusable
from plancheck.plumbing.errors import StudyError


@contextmanager
def opened(*, make: bool = False) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Where the cache is, and a connection to it.

    Raises:
        StudyError: there is none and ``make`` is false, or it cannot be used.
    """
    path = cache_path()
    if not make and not path.exists():
        raise StudyError(f"{path}: no such file. A run makes it, and `plancheck cache import`.")
    try:
        with closing(connect(path)) as connection:
            yield path, connection
    except sqlite3.Error as error:
        if is_damage(error):
            raise damaged(path, error) from error
        raise unusable(path, error) from error
    except Timeout as error:
        raise unusable(path, error) from error


def damaged(path: Path, reason: object) -> StudyError:
    """What to tell of a file that SQLite can no longer read."""
    return StudyError(
        f"{path}: is damaged ({reason}). The next run puts what can be read of it into a new file, and asks the rest "
        "again."
    )
