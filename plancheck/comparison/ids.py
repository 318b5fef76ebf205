"""Question IDs that two files write in other ways, as when a spreadsheet or a table library took them for numbers."""

import re
from collections.abc import Iterable, Sequence

from plancheck.matching import fold

SHOWN_PAIRS = 3
_LEADING_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_NO_DECIMALS = re.compile(r"(?<=\d)\.0+$")


def look_alikes(only_a: Iterable[str], only_b: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of IDs, one of each file, that differ only by leading zeros, a final ".0", blanks or case; by IDs of A.

    An ID is in at most one pair; of several that look alike the first is taken.
    """
    theirs: dict[str, str] = {}
    for key in only_b:
        theirs.setdefault(_plain(key), key)
    return [(key, theirs.pop(_plain(key))) for key in only_a if _plain(key) in theirs]


def told(pairs: Sequence[tuple[str, str]]) -> str:
    """What to say of look-alikes; nothing without any."""
    if not pairs:
        return ""
    shown = ", ".join(f"{a!r} in A and {b!r} in B" for a, b in pairs[:SHOWN_PAIRS])
    more = f", and {len(pairs) - SHOWN_PAIRS} more" if len(pairs) > SHOWN_PAIRS else ""
    return (
        f"IDs differ only by leading zeros, a final .0, blanks or case: {shown}{more}. If they are the same "
        "questions, write their IDs alike in both files; as text, where a program takes them for numbers."
    )


def _plain(key: str) -> str:
    bare = "".join(fold(key).split())
    return _LEADING_ZEROS.sub("", _NO_DECIMALS.sub("", bare))
