"""Processes that end when the process they work for is gone, so that kill -9 leaves nothing running."""

import os
import threading
import time

import psutil

SECONDS_BETWEEN_LOOKS = 0.5
STATUS_WHEN_ORPHANED = 143
DVC_PID = "PLANCHECK_DVC_PID"  # which process runs the stage, where it says so


def exit_with(pid: int) -> None:
    """End this process within about a second after process ``pid`` has ended, at once if it already has.

    A later process that gets the same ID is not mistaken for it.
    """
    try:
        process = psutil.Process(pid)
    except psutil.NoSuchProcess:
        os._exit(STATUS_WHEN_ORPHANED)
    threading.Thread(target=wait_and_exit, args=(process,), name=f"lifeline-{pid}", daemon=True).start()


def exit_with_dvc() -> None:
    """End this process when the DVC process that started it ends; nothing happens when DVC did not start it.

    A DVC process that names itself in DVC_PID is not missed even if it ends before this one looks.
    """
    if pid := os.environ.get(DVC_PID):
        exit_with(int(pid))
    elif (process := dvc_ancestor()) is not None:
        exit_with(process.pid)


def dvc_ancestor() -> psutil.Process | None:
    """The DVC process whose stage this process belongs to, or None.

    DVC gives its commands the variable DVC_STAGE, and a shell, or none, may stand between: so it is the nearest
    ancestor that was itself started without the variable.
    """
    if "DVC_STAGE" not in os.environ:
        return None
    for process in psutil.Process().parents():
        try:
            if "DVC_STAGE" not in process.environ():
                return process
        except psutil.Error:
            return None
    return None


def wait_and_exit(process: psutil.Process) -> None:
    while lives(process):
        time.sleep(SECONDS_BETWEEN_LOOKS)
    # The main thread may be deep in a native call, which no exception reaches.
    os._exit(STATUS_WHEN_ORPHANED)


def lives(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
