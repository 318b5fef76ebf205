"""What differs between two versions of settings, or of a folder's digests."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """A value of a row, or of settings, that differs: its place, and what it is in A and in B."""

    place: str
    a: str
    b: str


def value_changes(a: Any, b: Any) -> list[Change]:
    """Values of settings that differ, by dotted name, in the order of A and then of B's own."""
    before, after = flat(a), flat(b)
    return [
        Change(name, before.get(name, "absent"), after.get(name, "absent"))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """Each value that is no mapping, as text, by its dotted name; an empty mapping is a value."""
    if not isinstance(value, Mapping) or not value:
        return {prefix: repr(value)}
    found: dict[str, str] = {}
    for name, inner in value.items():
        found |= flat(inner, f"{prefix}.{name}" if prefix else str(name))
    return found
