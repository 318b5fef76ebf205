"""The one error a user can mend; every other exception is a fault of the program."""

import sys
from collections import Counter
from collections.abc import Sequence

SHOWN_PROBLEMS = 20


class StudyError(Exception):
    """Something the user can mend. Its text names what is wrong and the remedy.

    Entry points print it with ``say``, without a traceback, and exit with status 1.
    """


def say(error: StudyError) -> None:
    """Tell the user on stderr: every program of this project begins such a message with "error: "."""
    print(f"error: {error}", file=sys.stderr, flush=True)


def doubled(names: Sequence[str]) -> list[str]:
    """Names that come more than once, each once, in the order of their first place."""
    return [name for name, count in Counter(names).items() if count > 1]


def all_problems(heading: str, problems: Sequence[str], *, remedy: str) -> StudyError:
    """One error for many bad items: the heading, the first 20 items, how many more there are, the remedy."""
    shown = [f"  - {problem}" for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"  ... and {len(problems) - SHOWN_PROBLEMS} more ({len(problems)} in all)")
    return StudyError("\n".join([heading, *shown, remedy]))
