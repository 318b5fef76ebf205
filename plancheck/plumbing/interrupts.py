"""Ctrl-C while a program is still loading its libraries, which takes seconds."""

import os
import signal
import sys
import threading
from types import FrameType

GO_ON = "Interrupted. Run it again to go on: finished work is kept."
STATUS_WHEN_INTERRUPTED = 130


def end_quietly_while_loading() -> None:
    """From now on Ctrl-C ends a program run as ``python -m PACKAGE.MODULE``, with one line instead of a traceback.

    The package's own first import calls it; a process that imports the package as a library is left as it is.
    """
    if sys.argv[:1] == ["-m"]:  # so it is until the module itself runs
        signal.signal(signal.SIGINT, end)


def loaded() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, so that nothing is left half-written."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def end(_signal: int, _frame: FrameType | None) -> None:
    """The handler of SIGINT until the program is loaded."""
    say_interrupted()
    os._exit(STATUS_WHEN_INTERRUPTED)


def say_interrupted() -> None:
    if "DVC_STAGE" not in os.environ:  # the program that runs DVC says it
        print(GO_ON, file=sys.stderr, flush=True)
