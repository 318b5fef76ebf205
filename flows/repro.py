"""One stage as `dvc repro --single-item` runs it: ``python -m flows.repro STAGE PARENT_PID``."""

import sys

from flows.statuses import Status
from plancheck.interrupts import loaded
from plancheck.lifeline import exit_with


def main(stage: str, parent: int) -> int:
    loaded()
    exit_with(parent)
    try:
        # Imported here, for Ctrl-C may come in the second that importing DVC takes.
        from flows.graph import reproduce

        return reproduce(stage)
    except KeyboardInterrupt:
        return Status.INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
