"""One stage as `dvc repro --single-item` runs it: ``python -m flows.repro STAGE PARENT_PID``.

A process of its own, so that its exit status can say what DVC's own (255 for every failure) does not.
"""

import logging
import re
import sys

from dvc.logger import set_loggers_level
from dvc.stage.exceptions import StageCmdFailedError

from flows.graph import open_project
from flows.lifeline import exit_with
from flows.statuses import Status
from plancheck.errors import StudyError


def reproduce(stage: str) -> Status:
    """Run the stage if it changed.

    Returns:
        DONE or UNCHANGED; REFUSED when its command ended with status 1 (it has said why) or DVC would not run it
        (said here); FAULT when the command ended in any other way; INTERRUPTED after Ctrl-C.
    """
    try:
        # Silences "Running stage" and the advice to `git add` and `dvc push`.
        with open_project() as repo, set_loggers_level(logging.WARNING):
            ran = repo.reproduce(targets=[stage], single_item=True)
            return Status.DONE if ran else Status.UNCHANGED
    except StudyError as error:
        if (status := command_status(error)) is None:
            print(error, file=sys.stderr)
            return Status.REFUSED
        return Status(status) if status in (Status.REFUSED, Status.INTERRUPTED) else Status.FAULT
    except KeyboardInterrupt:
        return Status.INTERRUPTED


def command_status(error: BaseException) -> int | None:
    """The status that the stage's command ended with; None when the error is DVC's own."""
    link: BaseException | None = error
    while link is not None and not isinstance(link, StageCmdFailedError):
        link = link.__cause__
    found = re.search(r"exited with (-?\d+)$", str(link))
    return int(found[1]) if found else None


if __name__ == "__main__":
    exit_with(int(sys.argv[2]))
    sys.exit(reproduce(sys.argv[1]))
