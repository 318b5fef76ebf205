"""Which answers in use are older than the lock: reports/asked.json, which `plancheck.locking.preregistration` reads."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from plancheck.locking.record import Lock, moment, read_lock
from plancheck.plumbing.files import write_json

ASKED = Path("reports/asked.json")


def write_asked(made: Collection[int]) -> None:
    """Write reports/asked.json. It holds no time but the lock's own: the same study made again is the same bytes.

    Args:
        made: of each distinct reply in use, when it was first given, in seconds since 1970; 0 where that is not known.

    Raises:
        StudyError: the lock is none of this version.
    """
    write_json(ASKED, asked(made, read_lock()))


def asked(made: Collection[int], lock: Lock | None) -> dict[str, Any]:
    """How many replies are in use, of how many the time is not known, and how many were given before the lock was
    written or in the same second; without a lock, which cannot be said of any, ``lock`` and ``before_lock`` are null.
    """
    written = moment(lock.written).timestamp() if lock else None
    return {
        "lock": lock.written if lock else None,
        "replies": len(made),
        "undated": sum(not seconds for seconds in made),
        "before_lock": None if written is None else sum(0 < seconds <= written for seconds in made),
    }
