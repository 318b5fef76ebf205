"""Rows of a JSON Lines file that a user gives, every fault of it told at once."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plancheck.comparison.json_records import is_header
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.strict_json import json_value


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


def text_of(row: Mapping[str, Any], name: str, place: str, faults: Faults) -> str | None:
    """The row's text under a name; None, and a fault, where it is missing or no text."""
    value = row.get(name)
    if isinstance(value, str) and value:
        return value
    faults.add(place, f"{name} is missing" if name not in row else f"{name} must be a text, is {value!r:.40}")
    return None
