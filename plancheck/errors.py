"""The one error a user can mend; every other exception is a fault of the program."""

from collections import Counter
from collections.abc import Sequence

SHOWN_PROBLEMS = 20


class StudyError(Exception):
    """Something the user can mend. Its text names what is wrong and the remedy.

    Entry points print it without a traceback and exit with status 1.
    """


def doubled(names: Sequence[str]) -> list[str]:
    """Names that come more than once, each once, in the order of their first place."""
    return [name for name, count in Counter(names).items() if count > 1]


def all_problems(heading: str, problems: Sequence[str], *, remedy: str) -> StudyError:
    """One error for many bad items: the heading, the first 20 items, how many more there are, the remedy."""
    shown = [f"  - {problem}" for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"  ... and {len(problems) - SHOWN_PROBLEMS} more ({len(problems)} in all)")
    return StudyError("\n".join([heading, *shown, remedy]))
