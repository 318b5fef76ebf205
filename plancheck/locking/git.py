"""The revision of the project that a lock was made of."""

import subprocess
from pathlib import PurePosixPath
from typing import Any, Final

WRITTEN: Final = ("run.lock.json", "dvc.lock")  # by `plancheck lock` and by runs


def revision() -> dict[str, Any]:
    """The commit, whether the tracked and untracked files are those of it, and which are not.

    All are null outside a git repository, or without git.
    """
    commit, status = git("rev-parse", "HEAD"), git("status", "--porcelain", "--untracked-files=normal", "-z")
    if commit is None or status is None:
        return {"commit": None, "clean": None, "changed": None}
    entries = iter(status.split("\0"))
    changed = []
    for entry in entries:
        if entry[3:] and PurePosixPath(entry[3:]).name not in WRITTEN:
            changed.append(entry[3:])
        if entry.startswith("R"):
            next(entries, None)  # the name that it had
    return {"commit": commit.strip(), "clean": not changed, "changed": sorted(changed)}


def git(*arguments: str) -> str | None:
    """What git prints, or None where it fails or there is none."""
    try:
        ended = subprocess.run(["git", *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        return None
    return ended.stdout.decode(errors="replace") if ended.returncode == 0 else None
