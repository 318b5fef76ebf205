import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.stage_runs import STUDY_RUN, end_left
from plancheck.plumbing.interrupts import GO_ON

SAID = GO_ON + "\n"

STAGE = """
import sys, time
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from flows.entry import main
from plancheck.plumbing.errors import StudyError
from tasks.retries import worth_retrying

@task(cache_policy=NO_CACHE, retries=1, retry_condition_fn=worth_retrying)
def shard(number):
    if number and sys.argv[1] == "wait":
        print("up", flush=True)
        time.sleep(60)
    if number and sys.argv[1] != "well":
        raise {"user": StudyError("file x: mend it."), "fault": OSError("disk")}[sys.argv[1]]

@flow
def stage():
    for future in shard.map([0, 1]):
        future.result()

sys.exit(main(stage))
"""


@pytest.fixture
def command(server: str, clean_environment: dict[str, str], tmp_path: Path) -> dict[str, object]:
    (tmp_path / "stage.py").write_text(STAGE)
    return {
        "env": clean_environment | {"PREFECT_API_URL": server, "PREFECT_LOGGING_LEVEL": "WARNING"},
        "cwd": tmp_path,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
    }


def test_a_flow_that_ends_well_is_silent(command) -> None:
    ended = subprocess.run([sys.executable, "stage.py", "well"], **command)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_user_error_of_a_task_is_one_message_and_not_retried(command) -> None:
    ended = subprocess.run([sys.executable, "stage.py", "user"], **command)
    assert (ended.returncode, ended.stderr) == (1, "error: file x: mend it.\n")


def test_a_fault_is_retried_and_then_shown_with_its_traceback_once(command) -> None:
    ended = subprocess.run([sys.executable, "stage.py", "fault"], **command)
    assert ended.returncode == 70
    assert ended.stderr.count("failed and is tried again: disk") == 1
    assert ended.stderr.count("Traceback") == 1


def test_ctrl_c_ends_a_busy_flow_within_seconds(command) -> None:
    with subprocess.Popen([sys.executable, "stage.py", "wait"], **command, start_new_session=True) as running:
        assert running.stdout.readline() == "up\n"
        os.killpg(running.pid, signal.SIGINT)
        _, stderr = running.communicate(timeout=40)
    assert (running.returncode, stderr) == (130, SAID)


def test_the_run_of_a_stage_that_was_killed_with_its_study_does_not_stay_running(command, server: str) -> None:
    study_run = uuid4()
    command["env"] |= {STUDY_RUN: str(study_run)}
    with subprocess.Popen([sys.executable, "stage.py", "wait"], **command) as running:
        assert running.stdout.readline() == "up\n"
        running.kill()
    its = FlowRunFilter(tags={"all_": [str(study_run)]})
    with temporary_settings({PREFECT_API_URL: server}), get_client(sync_client=True) as client:
        [before] = client.read_flow_runs(flow_run_filter=its)
        end_left(client, study_run)
        end_left(client, study_run)
        [after] = client.read_flow_runs(flow_run_filter=its)
    assert (before.state_name, after.state_name) == ("Running", "Crashed")
    assert after.state.message == "The study's run ended before this stage did."


# A thread that no exception reaches keeps the interpreter from ending after the main thread is done.
BUSY = """
import sys, threading, time
import flows.entry
from flows.entry import exit_status

flows.entry.SECONDS_TO_END = float(sys.argv[1])

def work():
    threading.Thread(target=time.sleep, args=(60,)).start()
    print("up", flush=True)
    time.sleep(60)

status = exit_status(work)
print("ended", flush=True)
sys.exit(status)
"""


@pytest.mark.parametrize(("seconds_to_end", "signals"), [("1", 1), ("600", 2)], ids=["once", "twice"])
def test_ctrl_c_is_told_once_though_threads_outlive_the_work(command, seconds_to_end, signals) -> None:
    with subprocess.Popen([sys.executable, "-c", BUSY, seconds_to_end], **command) as running:
        assert running.stdout.readline() == "up\n"
        os.kill(running.pid, signal.SIGINT)
        assert running.stdout.readline() == "ended\n"
        if signals == 2:
            os.kill(running.pid, signal.SIGINT)
        _, stderr = running.communicate(timeout=30)
    assert (running.returncode, stderr) == (130, SAID)
