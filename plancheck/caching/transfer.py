"""Replies as JSON Lines, from one machine's generation cache to another's.

The first line says what the file is, the last how many replies stand between them. A reply's line holds ``key``,
``reply``, ``checksum``, ``stage``, ``model``, ``made`` and ``used``, as the cache does; keys ascend, so that a key that
comes twice is told by the line before.
"""

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from plancheck.backends.cache import sound
from plancheck.backends.cache_file import checksum
from plancheck.caching.replies import reply_problem
from plancheck.plumbing.errors import SHOWN_PROBLEMS, StudyError, all_problems
from plancheck.plumbing.strict_json import json_value

FIRST: Final = {"format": "plancheck generations", "version": 1}
MAX_LINE_BYTES: Final = 16 * 2**20
MAX_SECONDS: Final = 2**40
AT_ONCE: Final = 1_000  # replies of one transaction, so that a study beside it waits for a moment only
NAMES: Final = frozenset({"key", "reply", "checksum", "stage", "model", "made", "used"})
KEY: Final = re.compile(r"[0-9a-f]{64}")

Row = tuple[str, str, str, str, str, int, int]


@dataclass(frozen=True, slots=True)
class Imported:
    """How many replies of a file were not here before, and how many were."""

    added: int
    known: int


@dataclass(slots=True)
class Problems:
    """What is wrong with a file: the first 20, and how many there are."""

    shown: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, text: str) -> None:
        self.count += 1
        if len(self.shown) < SHOWN_PROBLEMS:
            self.shown.append(text)


def exported_lines(connection: sqlite3.Connection, *, stage: str | None, model: str | None) -> Iterator[str]:
    """The file's lines. Damaged replies are left out: they are asked again anyway."""
    yield json.dumps(FIRST)
    rows = connection.execute(
        "SELECT key, reply, checksum, stage, model, made, used FROM replies "
        "WHERE (:stage IS NULL OR stage = :stage) AND (:model IS NULL OR instr(model, :model) > 0) ORDER BY key",
        {"stage": stage, "model": model},
    )
    count = 0
    for key, reply, mark, *rest in rows:
        value = sound(key, reply, mark)
        if value is not None:
            count += 1
            own = {"key": key, "reply": value, "checksum": mark}
            yield json.dumps(own | dict(zip(("stage", "model", "made", "used"), rest, strict=True)))
    yield json.dumps({"replies": count})


def checked(path: Path, connection: sqlite3.Connection, *, refuse_conflicts: bool) -> int:
    """Read a whole exported file, a line at a time; how many replies the cache has otherwise.

    Raises:
        StudyError: the file is none that was exported, or is damaged; or a reply here is another, and
            ``refuse_conflicts`` is true. All that is wrong is told.
    """
    problems, conflicts = Problems(), Problems()
    for row in rows_of(path, problems):
        here = connection.execute("SELECT reply, checksum FROM replies WHERE key = ?", row[:1]).fetchone()
        if here is not None and here[0] != row[1] and sound(row[0], *here) is not None:
            conflicts.add(f"{row[0]} ({row[3]}, {row[4]}): {shortened(here[0])} here, {shortened(row[1])} there")
    if problems.count:
        raise all_problems(
            f"{path}: is not as `plancheck cache export` writes it:",
            problems.shown,
            count=problems.count,
            remedy="Nothing was imported. Export it again.",
        )
    if conflicts.count and refuse_conflicts:
        raise all_problems(
            f"{path}: {conflicts.count:,} replies are other than those here:",
            conflicts.shown,
            count=conflicts.count,
            remedy="Nothing was imported. --on-conflict keep keeps those here, --on-conflict replace takes the file's.",
        )
    return conflicts.count


def imported(path: Path, connection: sqlite3.Connection, *, replace: bool) -> Imported:
    """Add the replies of a checked file. A damaged reply here is replaced; another one only with ``replace``.

    Raises:
        StudyError: the file changed since it was checked.
    """
    problems = Problems()
    before = total = 0
    left = rows_of(path, problems)
    while (rows := list(islice(left, AT_ONCE))) and not problems.count:
        with connection:
            for key, reply, *rest, used in rows:
                here = connection.execute("SELECT reply, checksum FROM replies WHERE key = ?", (key,)).fetchone()
                total += 1
                before += here is not None
                if here is not None and (here[0] == reply or not replace) and sound(key, *here) is not None:
                    connection.execute("UPDATE replies SET used = max(used, ?) WHERE key = ?", (used, key))
                else:
                    connection.execute(
                        "INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?)", (key, reply, *rest, used)
                    )
    if problems.count:
        raise StudyError(f"{path}: changed while it was imported ({problems.shown[0]}). Run it again.")
    return Imported(total - before, before)


def rows_of(path: Path, problems: Problems) -> Iterator[Row]:
    """The sound rows of an exported file; what is wrong goes to ``problems``.

    Raises:
        StudyError: the file cannot be read, or its first line is another.
    """
    if path.exists() and not path.is_file():
        raise StudyError(f"{path}: is no regular file, which is read twice. Export into one.")
    try:
        with path.open("rb") as file:
            yield from _rows(path, file, problems)
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}).") from error


def _rows(path: Path, file: BinaryIO, problems: Problems) -> Iterator[Row]:
    if _value(file.readline(1_000)) != FIRST:
        raise StudyError(f"{path}: is no file of `plancheck cache export`: its first line is not {json.dumps(FIRST)}.")
    number, count, last, ended = 1, 0, "", False
    while line := file.readline(MAX_LINE_BYTES):
        number += 1
        if not line.endswith(b"\n"):
            problems.add(f"line {number}: is cut off, or longer than {MAX_LINE_BYTES:,} bytes")
            return  # where the next line begins is not known
        value = _value(line)
        if ended:
            problems.add(f"line {number}: comes after the last")
            return
        if isinstance(value, dict) and value.keys() == {"replies"}:
            ended = True
            if value["replies"] != count:
                problems.add(f"line {number}: says {value['replies']} replies, and {count:,} came before")
            continue
        count += 1
        row = row_of(value)
        if isinstance(row, str):
            problems.add(f"line {number}: {row}")
        elif row[0] <= last:
            problems.add(f"line {number}: its key does not come after that of the line before")
        else:
            last = row[0]
            yield row
    if not ended:
        problems.add(f"line {number}: is not the last that was written: the file is cut off")


def row_of(value: Any) -> Row | str:
    """The cache's row that a line holds, or what is wrong with it."""
    if not isinstance(value, dict):
        return "is no JSON object"
    if value.keys() != NAMES:
        return f"must hold {', '.join(sorted(NAMES))}"
    key, reply, mark, stage, model = (value[name] for name in ("key", "reply", "checksum", "stage", "model"))
    made, used = value["made"], value["used"]
    if not (isinstance(key, str) and KEY.fullmatch(key)):
        return "key must be 64 hex digits"
    if not all(isinstance(label, str) and len(label) <= 1_000 for label in (stage, model)):
        return "stage and model must be texts"
    if not all(type(seconds) is int and 0 <= seconds <= MAX_SECONDS for seconds in (made, used)):
        return "made and used must be seconds since 1970"
    if not isinstance(reply, dict):
        return "reply must be an object"
    if problem := reply_problem(reply):
        return problem
    text = json.dumps(reply, sort_keys=True)
    if mark != checksum(key, text):
        return "is not what was exported: its checksum is another"
    return key, text, mark, stage, model, made, used


def _value(line: bytes) -> Any:
    try:
        return json_value(line)
    except ValueError:
        return None


def shortened(text: str) -> str:
    """The beginning of a reply, on one line."""
    return text if len(text) <= 60 else f"{text[:57]}..."
