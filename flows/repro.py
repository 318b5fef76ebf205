"""The process that runs stages one after another: ``python -m flows.repro PARENT_PID FILE_DESCRIPTOR FORCE``.

It reads the name of a stage from the connection, runs it alone as `dvc repro --single-item` does if it changed, and
writes its status, until the connection is closed. With FORCE 1 a stage runs even if it did not change, with 0 not.
``flows.worker`` is its other side.
"""

import os
import sys
from multiprocessing.connection import Connection

from flows.statuses import Status
from plancheck.plumbing.interrupts import loaded
from plancheck.plumbing.lifeline import DVC_PID, exit_with


def main(parent: int, descriptor: int, force: int) -> int:
    loaded()
    exit_with(parent)
    os.environ[DVC_PID] = str(os.getpid())
    try:
        with Connection(descriptor) as connection:
            # Imported here, for Ctrl-C may come in the second that importing DVC takes.
            from flows.graph import reproduce

            while True:
                connection.send_bytes(bytes([reproduce(connection.recv_bytes().decode(), force=bool(force))]))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return Status.DONE
    except KeyboardInterrupt:
        return Status.INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
