"""The first line of JSON Lines that is no row: {"about": ...} says which system made the file."""

from typing import Any, Final

ABOUT: Final = "about"


def is_header(value: Any) -> bool:
    """Whether the value of a file's first line says what made the file."""
    return isinstance(value, dict) and set(value) == {ABOUT}
