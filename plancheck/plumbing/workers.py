"""How many pieces of work go on side by side in a process."""

import os

from plancheck.plumbing.errors import StudyError


def workers(device: str) -> int:
    """Shards worked on at once: PLANCHECK_WORKERS, else a core each on a CPU and one on an accelerator.

    Each worker's model calls use one thread: side by side, calls of several threads slow each other down many times.
    """
    asked = os.environ.get("PLANCHECK_WORKERS")
    if asked is None:
        return len(os.sched_getaffinity(0)) if device == "cpu" and hasattr(os, "sched_getaffinity") else 1
    if not asked.isdecimal() or int(asked) == 0:
        raise StudyError(f"PLANCHECK_WORKERS must be a positive whole number, got {asked!r}.")
    return int(asked)
