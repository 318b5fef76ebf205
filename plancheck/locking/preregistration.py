"""Whether what a study analysed was declared before its answers were given: reports/preregistration.json."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from plancheck.difference.values import value_changes
from plancheck.locking.asked import ASKED
from plancheck.locking.comparing import Difference
from plancheck.locking.declaration import parameters
from plancheck.locking.made import models, split
from plancheck.locking.record import LOCK, Lock, read_lock
from plancheck.params.study import Params
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.files import read_json

PREREGISTRATION: Final = Path("reports/preregistration.json")
SHOWN: Final = 5


def preregistration(
    params: Params, *, given: Sequence[Mapping[str, Any]], prompts: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """What the page says of the lock; None without one. It holds no time but the lock's own.

    ``declared_before`` is whether the lock was written before the first answer in use was given, and nothing that says
    what is compared and on what is other than it was locked: parameters, prompt templates, given files, models, split.
    ``reasons`` say why it is not. ``elsewhere`` are the finished systems whose answers were made outside the study.

    Args:
        given: rows of the files that were brought, as `plancheck.given.sources.source_rows` makes them.
        prompts: those of the templates, as `prompt_rows` there does.

    Raises:
        StudyError: the lock is none of this version.
    """
    lock = read_lock()
    if lock is None:
        return None
    times = read_json(ASKED) if ASKED.exists() else None
    found = list(changed(lock, params, given=given, prompts=prompts))
    more = [f"{len(found) - SHOWN} more value(s) differ"] if len(found) > SHOWN else []
    reasons = [*too_early(lock, times), *found[:SHOWN], *more]
    return {
        "sha256": file_sha256(LOCK),
        "written": lock.written,
        "commit": lock.git.get("commit"),
        "clean": lock.git.get("clean"),
        "declared_before": not reasons,
        "reasons": reasons,
        "elsewhere": list(params.predictions),
    }


def too_early(lock: Lock, times: Mapping[str, Any] | None) -> Iterator[str]:
    """Why answers cannot be said to be younger than the lock."""
    if times is None or times["lock"] is None:
        yield "there was no lock when the answers were written"
    elif times["lock"] != lock.written:
        yield f"the answers were written when the lock was another one, of {times['lock']}"
    elif times["undated"]:
        yield f"of {times['undated']:,} of {times['replies']:,} replies it is not known when they were given"
    elif times["before_lock"]:
        yield f"{times['before_lock']:,} of {times['replies']:,} replies were given before the lock was written"


def changed(
    lock: Lock, params: Params, *, given: Sequence[Mapping[str, Any]], prompts: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """What was analysed and is not as it was locked."""
    templates = {name: entry["sha256"] for name, entry in lock.prompts.items()}
    now = {
        "parameters": (lock.parameters, parameters(params)),
        "prompts": (templates, {row["section"]: row["sha256"] for row in prompts}),
        "models": (lock.models, models()),
        "split": (lock.split, split()),
    }
    for section, (before, after) in now.items():
        if before is not None and after is not None:
            for change in value_changes(before, after):
                yield str(Difference(section, change.place, change.a, change.b))
    for row in given:
        if row["sha256"] not in lock.files.values():
            yield f"file {row['file']} of {row['section']}.{row['name']} is not one that was locked"
