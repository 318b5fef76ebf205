"""The one error a user can mend; every other exception is a fault of the program."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

REASON = "PLANCHECK_REASON"  # names the file in which a run looks for why a stage ended

SHOWN_PROBLEMS = 20


class StudyError(Exception):
    """Something the user can mend. Its text names what is wrong and the remedy.

    Entry points print it with ``say``, without a traceback, and exit with status 1.
    """


def say(error: StudyError) -> None:
    """Tell the user on stderr: every program of this project begins such a message with "error: "."""
    print(f"error: {error}", file=sys.stderr, flush=True)
    if place := os.environ.get(REASON):
        with suppress(OSError):  # the user has been told
            Path(place).write_text(str(error), encoding="utf-8")


def doubled(names: Sequence[str]) -> list[str]:
    """Names that come more than once, each once, in the order of their first place."""
    return [name for name, count in Counter(names).items() if count > 1]


def all_problems(heading: str, problems: Sequence[str], *, remedy: str, count: int | None = None) -> StudyError:
    """One error for many bad items: the heading, the first 20 items, how many more there are, the remedy.

    ``count`` is how many there are, where ``problems`` holds only the first of them.
    """
    total = len(problems) if count is None else count
    shown = [f"  - {problem}" for problem in problems[:SHOWN_PROBLEMS]]
    if total > len(shown):
        shown.append(f"  ... and {total - len(shown)} more ({total} in all)")
    return StudyError("\n".join([heading, *shown, remedy]))


@dataclass(slots=True)
class Refusals:
    """What the files of one input refuse, each told whole; ``raise_any`` tells them together."""

    told: list[str] = field(default_factory=list)

    @contextmanager
    def of(self, path: Path) -> Iterator[None]:
        """Note what reading ``path`` refuses, in place of raising it; also that it does not fit into memory."""
        try:
            yield
        except StudyError as error:
            self.told.append(str(error))
        except MemoryError:
            self.told.append(f"{path}: does not fit into memory. Leave out what is of other questions, or add memory.")

    def raise_any(self) -> None:
        if self.told:
            raise StudyError("\n".join(self.told))
