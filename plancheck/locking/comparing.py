"""What differs between a lock and the study as it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from plancheck.difference.values import value_changes
from plancheck.locking.record import SECTIONS, Lock
from plancheck.visible import in_a_line

SHOWN_CHARS: Final = 160
DIGEST: Final = re.compile(r"\b([0-9a-f]{16})[0-9a-f]{48}\b")
ONE: Final[Mapping[str, str]] = {
    "parameters": "parameter",
    "prompts": "prompt template",
    "files": "file",
    "code": "code",
    "packages": "package",
    "machine": "machine",
    "switches": "environment variable",
    "models": "model",
    "dataset": "dataset",
    "split": "split",
}
REMEDIES: Final[Mapping[str, str]] = {
    "parameters": "compose params.yaml as it was (`git checkout params.yaml`)",
    "prompts": "put the files back (`git checkout FILE`)",
    "files": "put the files back (`git checkout FILE`)",
    "code": "put the files back (`git checkout FILE`)",
    "packages": "install the locked versions (`pip install -r requirements.lock`)",
    "machine": "run it where it was locked",
    "switches": "set the variables as they were",
    "models": "put the models' files back and run `dvc repro models`",
    "dataset": "put the benchmark's file back and run `dvc repro benchmark`",
    "split": "put the split's file back and run `dvc repro split`",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that is not as it was locked: its section and place, and both values as text."""

    section: str
    place: str
    locked: str
    now: str

    def __str__(self) -> str:
        return f"{ONE[self.section]} {in_a_line(self.place)}: locked {short(self.locked)}, now {short(self.now)}"


def differences(lock: Lock, now: Mapping[str, Any]) -> list[Difference]:
    """What differs, section by section in the order in which stages read them, so that causes come first.

    A section that the lock or the study does not know yet is not compared.
    """
    return [
        Difference(section, change.place, change.a, change.b)
        for section in SECTIONS
        if (before := lock.state[section]) is not None and now[section] is not None
        for change in value_changes(before, now[section])
    ]


def unknown(state: Mapping[str, Any]) -> list[str]:
    """The sections that a stage is yet to make."""
    return [section for section in SECTIONS if state[section] is None]


def remedies(found: Sequence[Difference]) -> str:
    """How to get back what was locked, by the sections that differ."""
    ways = list(dict.fromkeys(REMEDIES[one.section] for one in found))
    return "; ".join(ways)


def short(value: str) -> str:
    """A value on one line; of a SHA-256 the first 16 digits."""
    text = DIGEST.sub(r"\1…", in_a_line(value))
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}…"
