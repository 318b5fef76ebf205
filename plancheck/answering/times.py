"""When the answers in use were first given: reports/asked.json, which `plancheck.locking.preregistration` reads."""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plancheck.plumbing.files import write_json

ASKED = Path("reports/asked.json")


def write_asked(made: Collection[int]) -> None:
    """Write reports/asked.json.

    Args:
        made: of each distinct reply in use, when it was given, in seconds since 1970; 0 where that is not known.
    """
    write_json(ASKED, asked(made))


def asked(made: Collection[int]) -> dict[str, Any]:
    """How many replies are in use, of how many the time is not known, and the first and the last of the known times in
    UTC; null without any. A reply that was remembered has the time when it was first given.
    """
    known = [seconds for seconds in made if seconds]
    return {
        "replies": len(made),
        "undated": len(made) - len(known),
        "first": told(min(known)) if known else None,
        "last": told(max(known)) if known else None,
    }


def told(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
