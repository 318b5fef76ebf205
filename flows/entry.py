"""How the programs of this package start and end: ``sys.exit(main(flow))`` under ``if __name__ == "__main__"``."""

import os
import signal
import threading
import traceback
from collections.abc import Callable
from types import FrameType

from flows.statuses import Status
from plancheck.locking.guard import refuse_changed
from plancheck.params.study import PARAMS, read_params
from plancheck.plumbing.errors import StudyError, say
from plancheck.plumbing.interrupts import say_interrupted
from plancheck.plumbing.lifeline import exit_with_dvc
from plancheck.plumbing.logs import set_up_logging
from plancheck.plumbing.shortage import shortage_told

SECONDS_TO_END = 5.0


def main(stage: Callable[[], object]) -> Status:
    """Run a stage's flow with a server to report to, and end with the DVC process that started it, if one did.

    Returns:
        As ``exit_status``.
    """
    exit_with_dvc()
    set_up_logging()

    def with_server() -> None:
        if PARAMS.exists():  # without it a stage says so itself
            refuse_changed(read_params())
        # Not with this module: a study with nothing to do, which ends by ``exit_status`` too, needs no Prefect.
        from prefect import tags

        from flows.server import api_server
        from flows.stage_runs import study_run_tags

        with api_server(), tags(*study_run_tags()):
            stage()

    return exit_status(with_server)


def exit_status(work: Callable[[], object]) -> Status:
    """Do the work and say on stderr how it failed.

    Returns:
        DONE; REFUSED after a StudyError or on a full disk, with its message alone; INTERRUPTED after Ctrl-C;
        FAULT after anything else, shown with its traceback.
    """
    interruption = Interruption()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interruption.begin)
    try:
        with shortage_told():
            work()
    except StudyError as error:
        say(error)
        return Status.REFUSED
    except KeyboardInterrupt:
        interruption.say()
        return Status.INTERRUPTED
    except Exception:
        traceback.print_exc()
        return Status.FAULT
    return Status.DONE


class Interruption:
    """What Ctrl-C does: the work may end in order for a few seconds, and the user is told once."""

    def __init__(self) -> None:
        self.begun = False
        self.untold = threading.Lock()

    def begin(self, _signal: int, _frame: FrameType | None) -> None:
        """The handler of SIGINT: the first raises KeyboardInterrupt, any further one ends the process at once."""
        if self.begun:
            self.give_up()
        self.begun = True
        # Worker threads may be deep in model calls that no exception reaches, and the interpreter waits for them.
        timer = threading.Timer(SECONDS_TO_END, self.give_up)
        timer.daemon = True
        timer.start()
        raise KeyboardInterrupt

    def give_up(self) -> None:
        self.say()
        os._exit(Status.INTERRUPTED)

    def say(self) -> None:
        """Both the main thread and the timer come here when the work ends in order and its threads do not."""
        # Not waited for: a second Ctrl-C can find the main thread here.
        if self.untold.acquire(blocking=False):
            say_interrupted()
