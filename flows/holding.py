"""A working copy is held by one study at a time, for a second one would change params.yaml under the first."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import unwritable

LOCK = Path(".plancheck/study.lock")
# Of its own: to try the lock empties the lock's file.
HOLDER = Path(".plancheck/study.holder")


@contextmanager
def held() -> Iterator[None]:
    """Hold the working directory for this process, which may do so again inside the block.

    Raises:
        StudyError: another process holds it, or the lock cannot be written.
    """
    try:
        LOCK.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(LOCK.resolve(), timeout=0, is_singleton=True, thread_local=False)
        lock.acquire()
    except Timeout as error:
        raise StudyError(
            f"Another run holds this project: {holder()}. Wait for it or stop it, then run it again."
        ) from error
    except OSError as error:
        raise unwritable(LOCK, error) from error
    try:
        if lock.lock_counter == 1:
            say_who(" ".join(["python", "-m", "flows.study", *sys.argv[1:]]))
        yield
    finally:
        lock.release()


def say_who(name: str) -> None:
    """Tell others what this process, which holds the working directory, is."""
    try:
        HOLDER.write_text(f"process {os.getpid()} ({name})", encoding="utf-8")
    except OSError as error:
        raise unwritable(HOLDER, error) from error


def holder() -> str:
    try:
        return HOLDER.read_text(encoding="utf-8") or "a process that has just begun"
    except OSError:
        return "a process that has just begun"
