"""Exit statuses of this package's programs."""

from enum import IntEnum

from plancheck.plumbing.interrupts import STATUS_WHEN_INTERRUPTED


class Status(IntEnum):
    """REFUSED: the user must mend something first. FAULT: anything else failed, so another try may do."""

    DONE = 0
    REFUSED = 1
    UNCHANGED = 3
    FAULT = 70
    INTERRUPTED = STATUS_WHEN_INTERRUPTED
