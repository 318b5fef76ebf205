"""How the programs of this package start and end: ``sys.exit(main(flow))`` under ``if __name__ == "__main__"``."""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from types import FrameType

from flows.server import api_server
from flows.statuses import Status
from plancheck.errors import StudyError
from plancheck.lifeline import exit_with_dvc
from plancheck.logs import set_up_logging

SECONDS_TO_END = 5.0
GO_ON = "Interrupted. Run it again to go on: finished work is kept."


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
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, end_soon)
    try:
        work()
    except StudyError as error:
        print(error, file=sys.stderr)
        return Status.REFUSED
    except KeyboardInterrupt:
        say_interrupted()
        return Status.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return Status.FAULT
    return Status.DONE


def end_soon(_signal: int, _frame: FrameType | None) -> None:
    """Ctrl-C: worker threads may be deep in model calls that no exception reaches, so they get a few seconds only."""
    timer = threading.Timer(SECONDS_TO_END, give_up)
    timer.daemon = True
    timer.start()
    raise KeyboardInterrupt


def give_up() -> None:
    say_interrupted()
    os._exit(Status.INTERRUPTED)


def say_interrupted() -> None:
    if "DVC_STAGE" not in os.environ:  # the program that runs DVC says it
        print(GO_ON, file=sys.stderr, flush=True)
