"""Whether the generation cache holds what was written into it."""

import sqlite3
from pathlib import Path

from plancheck.backends.cache import sound
from plancheck.caching.contents import UNKNOWN
from plancheck.caching.opening import damaged
from plancheck.plumbing.errors import SHOWN_PROBLEMS, all_problems


def verified(path: Path, connection: sqlite3.Connection) -> int:
    """How many replies there are, every one of them sound.

    Raises:
        StudyError: the file, or some replies, are damaged; nothing is changed.
    """
    found = [row[0] for row in connection.execute("PRAGMA integrity_check(1)")]
    if found != ["ok"]:
        raise damaged(path, " ".join(found[0].split()))
    problems: list[str] = []
    total = bad = 0
    for key, reply, mark, stage, model in connection.execute("SELECT key, reply, checksum, stage, model FROM replies"):
        total += 1
        if sound(key, reply, mark) is None:
            bad += 1
            if len(problems) < SHOWN_PROBLEMS:
                problems.append(f"{key} (stage {stage or UNKNOWN}, model {model or UNKNOWN})")
    if bad:
        raise all_problems(
            f"{path}: {bad:,} of {total:,} replies are not what was written:",
            problems,
            count=bad,
            remedy="The next run asks them again; nothing need be done.",
        )
    return total
