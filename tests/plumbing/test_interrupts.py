"""Ctrl-C in the seconds that libraries take to load."""

import os
import signal
import subprocess
import sys

import pytest

from plancheck.plumbing.interrupts import GO_ON

LOADING = """
import time
from plancheck.plumbing.interrupts import end_quietly_while_loading, loaded
end_quietly_while_loading()
{loaded}
print("up", flush=True)
time.sleep(60)
"""


def interrupted(tmp_path, environment, *, loaded):
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "__init__.py").write_text(LOADING.format(loaded="loaded()" if loaded else ""))
    (tmp_path / "program" / "__main__.py").write_text("")
    command = [sys.executable, "-m", "program"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {name: value for name, value in os.environ.items() if name != "DVC_STAGE"} | environment
    with subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes) as running:
        assert running.stdout.readline() == "up\n"
        running.send_signal(signal.SIGINT)
        _, stderr = running.communicate(timeout=40)
    return running.returncode, stderr


@pytest.mark.parametrize(("environment", "said"), [({}, f"{GO_ON}\n"), ({"DVC_STAGE": "pack"}, "")])
def test_a_program_that_loads_ends_with_one_line_and_under_dvc_with_none(tmp_path, environment, said):
    assert interrupted(tmp_path, environment, loaded=False) == (130, said)


def test_a_loaded_program_can_clean_up(tmp_path):
    returncode, stderr = interrupted(tmp_path, {}, loaded=True)
    assert returncode == -signal.SIGINT
    assert stderr.endswith("KeyboardInterrupt\n")


# What `python -m` does, but for the program itself, in whose place stands an empty one.
FIRST_IMPORT = """
import runpy, signal, sys, types
package, module = {names!r}
sys.argv = ["-m"]
if module == "cli":
    sys.modules["plancheck.cli"] = types.SimpleNamespace(main=lambda: None)
    runpy.run_module("plancheck", run_name="__main__", alter_sys=True)
else:
    __import__(package)
import plancheck.plumbing.interrupts
print(signal.getsignal(signal.SIGINT) is plancheck.plumbing.interrupts.end)
"""


@pytest.mark.parametrize("names", [("flows", "study"), ("validation", "gate"), ("plancheck", "cli")])
def test_every_program_is_quiet_from_its_first_import(names):
    program = FIRST_IMPORT.format(names=names)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "True\n"
