"""A full disk or too little memory, told to the user as such, whatever library met it and however it says so.

Apart from `files`, whose libraries every program would load before it can say how it is used.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from plancheck.plumbing.errors import StudyError

FULL = (errno.ENOSPC, errno.EDQUOT)
# Of safetensors, SQLite, and PyTorch, which does not say why a write failed.
FULL_SIGNS = (os.strerror(errno.ENOSPC), "database or disk is full", "PytorchStreamWriter failed writing")


def disk_full(error: BaseException) -> StudyError | None:
    """What to tell the user if ``error``, or what caused it, is a full disk; None if it is not.

    Libraries wrap the system's error in their own, of which only the text says so.
    """
    link: BaseException | None = error
    while link is not None:
        if (isinstance(link, OSError) and link.errno in FULL) or any(sign in str(link) for sign in FULL_SIGNS):
            return StudyError(f"The disk is full ({link}). Free space, then run it again: finished work is kept.")
        link = link.__cause__ or link.__context__
    return None


def out_of_memory(error: BaseException) -> StudyError | None:
    """What to tell the user if ``error``, or what caused it, is a lack of memory; None if it is not."""
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, MemoryError):
            held = psutil.Process().memory_info().rss
            return StudyError(
                f"There is too little memory: more than the {held // 2**20:,} MiB that this process holds is needed. "
                "Free memory or run it where there is more; benchmark.limit and smaller batches need less."
            )
        link = link.__cause__ or link.__context__
    return None


@contextmanager
def shortage_told() -> Iterator[None]:
    """Raise a StudyError in place of an error that is a full disk or a lack of memory; every other one passes."""
    try:
        yield
    except StudyError:
        raise
    except Exception as error:
        if told := disk_full(error) or out_of_memory(error):
            raise told from error
        raise
