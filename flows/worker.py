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
from plancheck.plumbing.errors import REASON

TOLD = Path(".plancheck/reason.txt")
SECONDS_TO_END = 3.0


class Worker(AbstractContextManager["Worker"]):
    """Runs stages in the working directory, one at a time; their output passes through. It ends with the block."""

    def __init__(self, *, force: bool = False) -> None:
        self.force = force
        self.process: subprocess.Popen[bytes] | None = None

    def reproduce(self, stage: str) -> int:
        """Run one stage if it changed, or in any case with ``force``.

        A process that has ended is replaced, so that another try can be made.

        Returns:
            As ``flows.graph.reproduce``; the status of the process, or minus the signal that ended it, when it ended
            before the stage did.
        """
        process = self.process
        if process is None or process.poll() is not None:
            self.process = process = self.started()
        TOLD.unlink(missing_ok=True)
        try:
            self.connection.send_bytes(stage.encode())
            return self.connection.recv_bytes()[0]
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return process.wait() or Status.FAULT

    def reason(self) -> str | None:
        """What the last stage told the user, if it told anything."""
        try:
            return TOLD.read_text(encoding="utf-8")
        except OSError:
            return None

    def started(self) -> "subprocess.Popen[bytes]":
        here = str(Path(sys.executable).parent)  # `python` in dvc.yaml is this interpreter
        # Prefect's own variables of a run that a server started are of this process, and not of a stage's flow.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT__")}
        path = os.pathsep.join([here, os.environ.get("PATH", os.defpath)])
        TOLD.parent.mkdir(exist_ok=True)
        environment = kept | {"PATH": path, REASON: str(TOLD.resolve())}
        self.connection, theirs = Pipe()
        with theirs:
            command = [
                sys.executable,
                "-m",
                "flows.repro",
                str(os.getpid()),
                str(theirs.fileno()),
                str(int(self.force)),
            ]
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
