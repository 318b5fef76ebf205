"""JSON of any program as Python values; what json would take silently or fail on unnamed is refused."""

import json
from typing import Any

from plancheck.plumbing.errors import doubled


def json_value(text: str | bytes) -> Any:
    """The value of a whole JSON text; numbers may be NaN or infinite, as many programs write them.

    Raises:
        ValueError: the text is no JSON, nests deeper than Python's recursion limit, or an object has a name twice
            (json would keep the last).
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"an object has several fields called {', '.join(doubled([name for name, _ in pairs]))}")
    return found
