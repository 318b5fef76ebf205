"""How much time and memory a verification may take, whatever the bundle makes of it."""

import resource
import signal
from types import FrameType

from plancheck.plumbing.errors import StudyError

MOST_MEMORY = 4 << 30  # bytes
MOST_SECONDS = 900  # of processor time


def bound() -> None:
    """From now on this process may hold 4 GiB of data and take 15 minutes of processor time."""
    for kind, most in ((resource.RLIMIT_DATA, MOST_MEMORY), (resource.RLIMIT_CPU, MOST_SECONDS)):
        _, hard = resource.getrlimit(kind)
        grace = most + 30 if kind == resource.RLIMIT_CPU else most  # then the system ends it
        highest = grace if hard == resource.RLIM_INFINITY else min(grace, hard)
        resource.setrlimit(kind, (min(most, highest), highest))
    signal.signal(signal.SIGXCPU, too_long)


def too_long(_signal: int, _frame: FrameType | None) -> None:
    raise StudyError(f"This bundle takes more than {MOST_SECONDS // 60} minutes of processor time: it is not verified.")
