"""What a file says of the system that made it: in a first line {"about": {...}}, or in a file beside it.

JSON Lines may begin with the line; a file of any kind may have NAME.about.json beside it, which holds the object alone.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from plancheck.comparison.json_records import ABOUT, is_header
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.strict_json import json_value

BESIDE: Final = ".about.json"
TEXTS: Final = ("name", "model", "revision")
HASHED: Final = "sha256:"


@dataclass(frozen=True, slots=True)
class About:
    """What a file says of the system that made it; all may be unknown.

    ``trained_on`` holds the IDs of questions that it learned from, or "sha256:" and the hexadecimal SHA-256 of an ID's
    UTF-8.
    """

    name: str | None = None
    model: str | None = None
    revision: str | None = None
    trained_on: tuple[str, ...] = ()

    def learned_from(self, question_ids: Collection[str]) -> list[str]:
        """Those of the questions that the system learned from, in ascending order."""
        named = set(self.trained_on)
        return sorted(name for name in question_ids if name in named or hashed(name) in named)


def hashed(question_id: str) -> str:
    return HASHED + sha256(question_id.encode()).hexdigest()


def beside(path: Path) -> Path:
    """Where a file's about lies that is not in the file."""
    return path.with_name(path.name + BESIDE)


def read_about(path: Path) -> About:
    """What is said of the file ``path``; nothing where neither it nor the file beside it says anything.

    Raises:
        StudyError: both do; or it is something else than name, model, revision (texts) and trained_on (a list of IDs).
    """
    found = list(_said(path))
    if len(found) > 1:
        raise StudyError(f"{path}: begins with {ABOUT}, and {beside(path).name} lies beside it. Keep one of them.")
    return _about(*found[0]) if found else About()


def _said(path: Path) -> Iterator[tuple[str, Any]]:
    """Place and value of each about of a file."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            first = json_value(next((line for line in lines if line.strip()), ""))
        if is_header(first):
            yield f"{path}: line 1: {ABOUT}", first[ABOUT]
    except (ValueError, OSError):
        pass  # a table, a run, a packed file, or what the rows' own reader refuses
    other = beside(path)
    if other.exists():
        try:
            yield str(other), json_value(other.read_text(encoding="utf-8-sig"))
        except (ValueError, OSError) as error:
            raise StudyError(f"{other}: cannot be read as a JSON object ({error}). Mend or remove it.") from error


def _about(place: str, said: Any) -> About:
    if not isinstance(said, Mapping) or set(said) - {*TEXTS, "trained_on"}:
        raise StudyError(f"{place} may hold name, model, revision and trained_on alone.")
    ids = said.get("trained_on", [])
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise StudyError(f"{place}: trained_on must be a list of question IDs.")
    if wrong := [name for name in TEXTS if not isinstance(said.get(name, ""), str)]:
        raise StudyError(f"{place}: {wrong[0]} must be a text.")
    return About(said.get("name"), said.get("model"), said.get("revision"), tuple(ids))
