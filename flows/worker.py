"""The process that runs the stages of a study, seen from the study; started once, for importing DVC takes a second.

Of its own, because Prefect keeps threads and DVC changes the signal handlers while a command runs.
"""

import os
import subprocess
import sys
from contextlib import AbstractContextManager, suppress
from multiprocessing import Pipe
from pathlib import Path

from flows.statuses import Status

SECONDS_TO_END = 3.0


class Worker(AbstractContextManager["Worker"]):
    """Runs stages in the working directory, one at a time; their output passes through. It ends with the block."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def reproduce(self, stage: str) -> int:
        """Run one stage if it changed.

        A process that has ended is replaced, so that another try can be made.

        Returns:
            As ``flows.graph.reproduce``; the status of the process, or minus the signal that ended it, when it ended
            before the stage did.
        """
        process = self.process
        if process is None or process.poll() is not None:
            self.process = process = self.started()
        try:
            self.connection.send_bytes(stage.encode())
            return self.connection.recv_bytes()[0]
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return process.wait() or Status.FAULT

    def started(self) -> "subprocess.Popen[bytes]":
        here = str(Path(sys.executable).parent)  # `python` in dvc.yaml is this interpreter
        environment = os.environ | {"PATH": os.pathsep.join([here, os.environ.get("PATH", os.defpath)])}
        self.connection, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-m", "flows.repro", str(os.getpid()), str(theirs.fileno())]
            return subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()])

    def __exit__(self, *_: object) -> None:
        if self.process is None:
            return
        self.connection.close()
        # Ctrl-C in a terminal reaches the stage as well, and it may end by itself.
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(SECONDS_TO_END)
            return
        self.process.terminate()
        self.process.wait()
