"""The process that runs a study's stages: one for all of them, and another after its end."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from flows.statuses import Status
from flows.worker import Worker

# The shell that DVC runs a command in is the worker's child.
TELLING = "stages:\n" + "".join(
    f"  {name}: {{cmd: ps -o ppid= -p $$ > {name}, outs: [{name}]}}\n" for name in ("first", "second")
)


def test_one_process_runs_every_stage_and_ends_with_the_block(project: Path) -> None:
    (project / "dvc.yaml").write_text(TELLING)
    with Worker() as worker:
        statuses = [worker.reproduce(name) for name in ("first", "second", "first")]
        assert worker.process is not None
        pid = worker.process.pid
    assert statuses == [Status.DONE, Status.DONE, Status.UNCHANGED]
    assert {int((project / name).read_text()) for name in ("first", "second")} == {pid}
    assert worker.process.returncode == Status.DONE
    assert not psutil.pid_exists(pid)


def test_a_refusal_and_a_fault_end_no_process(project: Path) -> None:
    (project / "dvc.yaml").write_text(
        "stages:\n  bad: {cmd: exit 1, outs: [bad]}\n  worse: {cmd: exit 2, outs: [worse]}\n"
        "  good: {cmd: touch good, outs: [good]}\n"
    )
    with Worker() as worker:
        statuses = [worker.reproduce(name) for name in ("bad", "worse", "unknown", "good")]
    assert statuses == [Status.REFUSED, Status.FAULT, Status.REFUSED, Status.DONE]


def test_a_file_that_was_changed_between_two_tries_is_seen(project: Path) -> None:
    (project / "dvc.yaml").write_text("stages:\n  copy: {cmd: cp from to, deps: [from], outs: [to]}\n")
    with Worker() as worker:
        for text in ("one", "two"):
            (project / "from").write_text(text)
            assert worker.reproduce("copy") == Status.DONE
            assert (project / "to").read_text() == text
        (project / "dvc.yaml").write_text("stages:\n  copy: {cmd: cp from other, deps: [from], outs: [other]}\n")
        assert worker.reproduce("copy") == Status.DONE
    assert (project / "other").read_text() == "two"


def test_a_process_that_was_killed_is_told_by_its_signal_and_replaced(project: Path) -> None:
    command = "test -e tried || { touch tried; kill -9 $PPID; }"
    (project / "dvc.yaml").write_text(f"stages:\n  once:\n    cmd: {command}\n")
    with Worker() as worker:
        assert worker.reproduce("once") == -signal.SIGKILL
        assert worker.reproduce("once") == Status.DONE


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C as in a terminal: a shell's background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_the_process_of_a_stage_that_goes_on(project: Path) -> None:
    (project / "dvc.yaml").write_text("stages:\n  slow: {cmd: touch begun; exec sleep 30}\n")

    def interrupt() -> None:
        while not (project / "begun").exists():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt), Worker() as worker:
        thread.start()
        worker.reproduce("slow")
    thread.join()
    assert worker.process is not None
    assert worker.process.returncode == -signal.SIGTERM
