"""How the programs of this package start and end: ``sys.exit(main(flow))`` under ``if __name__ == "__main__"``."""

import os
import sys
import traceback
from collections.abc import Callable

from flows.lifeline import exit_with_dvc
from flows.server import api_server
from flows.statuses import Status
from plancheck.errors import StudyError
from plancheck.logs import set_up_logging


def main(stage: Callable[[], object]) -> Status:
    """Run a stage's flow with a server to report to, and end with the DVC process that started it, if one did.

    Returns:
        As ``exit_status``.
    """
    exit_with_dvc()
    set_up_logging()

    def with_server() -> None:
        with api_server():
            stage()

    return exit_status(with_server)


def exit_status(work: Callable[[], object]) -> Status:
    """Do the work and say on stderr how it failed.

    Returns:
        DONE; REFUSED after a StudyError, whose message is shown alone; INTERRUPTED after Ctrl-C; FAULT after anything
        else, shown with its traceback.
    """
    try:
        work()
    except StudyError as error:
        print(error, file=sys.stderr)
        return Status.REFUSED
    except KeyboardInterrupt:
        if "DVC_STAGE" not in os.environ:  # DVC says it for its stages
            print("Interrupted. Run it again to go on: finished work is kept.", file=sys.stderr)
        return Status.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return Status.FAULT
    return Status.DONE
