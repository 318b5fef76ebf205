"""Paths as they may be shown to others: nothing of whose machine they lie on."""

from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any


def without_places(value: Any) -> Any:
    """``value`` with each path that leads outside the project's folder cut to its last part.

    Such a path (absolute, from a home folder, or upwards) says whose machine it was. Strings in lists are left as
    they are: none of them is a path.
    """
    if isinstance(value, Mapping):
        return {key: without_places(item) for key, item in value.items()}
    return portable(value) if isinstance(value, str) else value


def portable(text: str) -> str:
    posix, windows = PurePosixPath(text), PureWindowsPath(text)
    outside = posix.is_absolute() or windows.is_absolute() or text.startswith("~") or ".." in windows.parts
    return f"…/{windows.name}" if outside else text
