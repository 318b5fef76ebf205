import os
import subprocess
import sys

import pytest

from plancheck.plumbing.lifeline import DVC_PID, STATUS_WHEN_ORPHANED, dvc_ancestor

CHILD = """
import time
from plancheck.plumbing.lifeline import dvc_ancestor, exit_with_dvc
exit_with_dvc()
print(dvc_ancestor().pid, flush=True)
time.sleep(30)
"""
PROGRAMS = {
    "plancheck": """
import time
from plancheck import cli
cli.app = lambda: (print("runs", flush=True), time.sleep(30))
cli.main()
""",
    "validation.gate": """
import time
from validation import gate
gate.check = lambda name: (print("runs", flush=True), time.sleep(30))
gate.main(["split"])
""",
}
# What DVC does: a shell, which may stay, gets DVC_STAGE.
PARENT = """
import os, subprocess, sys
subprocess.run(["sh", "-c", '"$0" -c "$1"; :', sys.executable, sys.argv[1]], env=os.environ | {"DVC_STAGE": "answer"})
"""


def test_a_stage_ends_soon_after_its_dvc_was_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, text=True) as dvc:
        assert dvc.stdout is not None
        assert int(dvc.stdout.readline()) == dvc.pid
        dvc.kill()
        # The pipe closes when shell and stage are gone too; 30 seconds later without a lifeline.
        dvc.communicate(timeout=20)


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_that_dvc_runs_ends_with_it(program: str) -> None:
    started = [sys.executable, "-c", PARENT, PROGRAMS[program]]
    with subprocess.Popen(started, stdout=subprocess.PIPE, text=True) as dvc:
        assert dvc.stdout is not None
        assert dvc.stdout.readline() == "runs\n"
        dvc.kill()
        dvc.communicate(timeout=20)


def test_a_process_ends_at_once_when_the_other_has_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    code = f"from plancheck.plumbing.lifeline import exit_with; exit_with({gone.pid}); print('went on')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (STATUS_WHEN_ORPHANED, "")


def test_a_stage_ends_at_once_when_its_dvc_has_gone_before_it_looked() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    code = "from plancheck.plumbing.lifeline import exit_with_dvc; exit_with_dvc(); print('went on')"
    environment = os.environ | {"DVC_STAGE": "answer", DVC_PID: str(gone.pid)}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (STATUS_WHEN_ORPHANED, "")


def test_a_process_goes_on_while_the_other_lives() -> None:
    code = (
        f"import time; from plancheck.plumbing.lifeline import exit_with; exit_with({os.getpid()}); "
        "time.sleep(1.2); print('on')"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "on\n")


def test_without_dvc_there_is_no_ancestor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DVC_STAGE", raising=False)
    assert dvc_ancestor() is None
