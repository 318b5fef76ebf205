"""Rows of a JSON Lines file that a user gives, every fault of it told at once."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.strict_json import json_value

ABOUT = "about"


@dataclass(slots=True)
class Faults:
    """What is wrong with a file, by place; ``raise_any`` tells it all."""

    path: Path
    found: list[str] = field(default_factory=list)

    def add(self, place: str, fault: str) -> None:
        self.found.append(f"{place}: {fault}")

    def raise_any(self, *, remedy: str) -> None:
        """Raise a StudyError that lists the faults, if there are any."""
        if self.found:
            raise all_problems(f"{self.path}: {len(self.found)} fault(s):", self.found, remedy=remedy)


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of the system that made it; all may be unknown.

    ``trained_on`` holds the IDs of questions that it learned from.
    """

    name: str | None = None
    model: str | None = None
    revision: str | None = None
    trained_on: tuple[str, ...] = ()


def rows(path: Path, faults: Faults) -> Iterator[tuple[str, dict[str, Any]]]:
    """Place ("line 3") and object of every line but blank ones; a first line {"about": ...} is left out.

    A line that is no JSON object is a fault, and left out.

    Raises:
        StudyError: the file cannot be read, is no UTF-8 text or has no row.
    """
    number = 0
    empty = True
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    value = json_value(line)
                    if "\\ud" in line.lower():
                        json.dumps(value, ensure_ascii=False).encode()  # half a pair of surrogates is no text
                except ValueError as error:
                    faults.add(f"line {number}", f"not JSON ({error})")
                    empty = False
                    continue
                if empty and is_header(value):
                    continue
                empty = False
                if isinstance(value, dict):
                    yield f"line {number}", value
                else:
                    faults.add(f"line {number}", "must be an object in braces")
    except FileNotFoundError as error:
        raise StudyError(f"{path}: no such file.") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: is no UTF-8 text (after line {number}). Write it as JSON Lines in UTF-8.") from error
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}).") from error
    if empty:
        raise StudyError(f"{path}: holds no row. It must be JSON Lines, an object a line.")


def is_header(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {ABOUT}


def read_about(path: Path) -> About:
    """What the file's first line {"about": {...}} says; nothing where there is none.

    Raises:
        StudyError: it says something else than name, model, revision (texts) and trained_on (a list of IDs).
    """
    try:
        with path.open(encoding="utf-8-sig") as lines:
            value = json_value(next((line for line in lines if line.strip()), ""))
    except (ValueError, OSError):
        return About()  # a table, a packed file, or what the rows' own reader refuses
    if not is_header(value):
        return About()
    said = value[ABOUT]
    texts = ("name", "model", "revision")
    if not isinstance(said, Mapping) or set(said) - {*texts, "trained_on"}:
        raise StudyError(f"{path}: line 1: about may hold name, model, revision and trained_on alone.")
    ids = said.get("trained_on", [])
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise StudyError(f"{path}: line 1: about.trained_on must be a list of question IDs.")
    if wrong := [name for name in texts if not isinstance(said.get(name, ""), str)]:
        raise StudyError(f"{path}: line 1: about.{wrong[0]} must be a text.")
    return About(said.get("name"), said.get("model"), said.get("revision"), tuple(ids))


def text_of(row: Mapping[str, Any], name: str, place: str, faults: Faults) -> str | None:
    """The row's text under a name; None, and a fault, where it is missing or no text."""
    value = row.get(name)
    if isinstance(value, str) and value:
        return value
    faults.add(place, f"{name} is missing" if name not in row else f"{name} must be a text, is {value!r:.40}")
    return None
