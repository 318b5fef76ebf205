import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from dvc.repo import Repo

from flows.graph import agenda, reproduce, stages_in_order
from flows.statuses import Status
from plancheck.plumbing.errors import StudyError

DIAMOND = """
stages:
  report: {cmd: cat left right > report, deps: [left, right], outs: [report]}
  right: {cmd: cp root right, deps: [root], outs: [right]}
  left: {cmd: python -c "import sys; print(sys.executable)" > left, deps: [root], outs: [left]}
  root: {cmd: echo root says hello && touch root, outs: [root]}
"""


def run_study(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.study", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def outcomes(ended: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    words = ("ran", "unchanged", "failed", "stopped")
    lines = [line.split() for line in ended.stdout.splitlines()]
    return [(line[0], line[1]) for line in lines if len(line) == 4 and line[1] in words and line[3] == "s"]


@pytest.fixture
def served(server: str, clean_environment: dict[str, str]) -> dict[str, str]:
    return clean_environment | {"PREFECT_API_URL": server}


def last_study(server: str) -> dict[str, str]:
    question = {"sort": "START_TIME_DESC", "limit": 1, "flows": {"name": {"any_": ["study"]}}}
    return httpx.post(f"{server}/flow_runs/filter", json=question).json()[0]


def test_stages_run_in_the_graphs_order_and_the_second_run_needs_no_server(
    project: Path, server: str, served: dict[str, str], clean_environment: dict[str, str]
) -> None:
    (project / "dvc.yaml").write_text(DIAMOND)
    order = ["root", "right", "left", "report"]
    assert stages_in_order() == order
    assert stages_in_order(["left"]) == ["root", "left"]
    first = run_study(env=served)
    assert (first.returncode, first.stderr) == (0, "")
    assert outcomes(first) == [(stage, "ran") for stage in order]
    said = [line for line in first.stdout.splitlines() if line.startswith("Stage ")]
    assert said == [f"Stage {number} of 4: {stage}" for number, stage in enumerate(order, start=1)]
    assert f"Prefect shows its runs at {server.removesuffix('/api')}\n" in first.stdout
    assert "root says hello" in first.stdout
    assert "dvc push" not in first.stdout
    assert "git" not in first.stdout
    assert (project / "left").read_text().strip() == sys.executable
    assert last_study(server)["state_name"] == "Completed"

    second = run_study(env=clean_environment | {"PREFECT_HOME": str(project / "unused")})
    assert (second.returncode, second.stdout) == (0, "Nothing to do: all 4 stages are up to date.\n")
    assert not (project / "unused" / "server.log").exists()


def test_order_agrees_with_dvcs_graph(project: Path) -> None:
    (project / "dvc.yaml").write_text(DIAMOND)
    place = {stage: position for position, stage in enumerate(stages_in_order())}
    with Repo() as repo:
        edges = list(repo.index.graph.edges)
    assert len(edges) == 4
    assert all(place[stage.addressing] > place[needed.addressing] for stage, needed in edges)


def test_a_user_error_stands_alone_and_is_not_retried(project: Path, server: str, served: dict[str, str]) -> None:
    command = "echo 'file x is bad, mend it' >&2; exit 1"
    (project / "dvc.yaml").write_text(f"stages:\n  bad:\n    cmd: {command}\n    outs: [bad]\n")
    ended = run_study(env=served)
    assert ended.returncode == 1
    assert outcomes(ended) == [("bad", "failed")]
    assert ended.stderr == (
        "file x is bad, mend it\nerror: Stage bad failed, for the reason above. Finished stages are kept.\n"
    )
    assert last_study(server)["state_name"] == "Failed"


def test_a_damaged_output_is_restored_and_nothing_is_made_again(project: Path, served: dict[str, str]) -> None:
    command = (
        "echo ran >> log; mkdir -p models/planner; echo weights > models/planner/adapter; echo rows > table.parquet"
    )
    (project / "dvc.yaml").write_text(
        f"stages:\n  train: {{cmd: {command}, deps: [rows], outs: [models/planner, table.parquet]}}\n"
        "  plan: {cmd: cat models/planner/adapter table.parquet > plans, deps: [models/planner, table.parquet], "
        "outs: [plans]}\n"
    )
    (project / "rows").touch()
    assert run_study(env=served).returncode == 0
    for name in ("models/planner/adapter", "table.parquet", "plans"):
        whole = (project / name).read_bytes()
        (project / name).unlink()
        (project / name).write_bytes(whole[:2])
        again = run_study(env=served)
        assert (again.returncode, (project / name).read_bytes()) == (0, whole), again.stderr
    assert (project / "log").read_text() == "ran\n"


def test_a_fault_is_tried_again(project: Path, served: dict[str, str]) -> None:
    command = "test -e tried || { touch tried; exit 70; }; touch flaky"
    (project / "dvc.yaml").write_text(f"stages:\n  flaky:\n    cmd: {command}\n    outs: [flaky]\n")
    ended = run_study(env=served)
    assert (ended.returncode, outcomes(ended)) == (0, [("flaky", "ran")])
    assert "flaky failed and is tried again: its process ended with status 70" in ended.stderr


def test_a_run_elsewhere_is_named_and_its_violent_end_blocks_nothing(
    project: Path, served: dict[str, str], clean_environment: dict[str, str]
) -> None:
    command = "test -e go || { echo up; sleep 60; }; touch slow"
    (project / "dvc.yaml").write_text(f"stages:\n  slow:\n    cmd: {command}\n    outs: [slow]\n")
    dvc = [sys.executable, "-m", "dvc", "repro", "-q"]
    with subprocess.Popen(
        dvc, env=clean_environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == "up\n"
            held = run_study(env=served)
        finally:
            os.killpg(other.pid, 9)
    assert held.returncode == 1
    assert held.stderr.startswith(f"error: Another run holds this project: process {other.pid} (")
    assert "Wait for it or stop it" in held.stderr
    assert len(held.stderr.splitlines()) == 1
    (project / "go").touch()
    after = run_study(env=served)
    assert (after.returncode, after.stderr, outcomes(after)) == (0, "", [("slow", "ran")])


def test_a_watched_file_that_is_gone_is_named_with_the_remedy(project: Path, capsys) -> None:
    (project / "dvc.yaml").write_text("stages:\n  first: {cmd: touch out, deps: [in], outs: [out]}\n")
    assert reproduce("first") == Status.REFUSED
    said = capsys.readouterr().err
    assert said.startswith("error: failed to reproduce 'first': ")
    assert f"{project / 'in'} is not there. Put it back" in said
    assert "benchmark.path" in said


def test_a_folder_without_a_study_is_the_users_to_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StudyError, match=r"holds no dvc\.yaml"):
        stages_in_order()


def test_an_unknown_stage_and_a_broken_dvc_yaml_are_the_users_to_mend(project: Path) -> None:
    (project / "dvc.yaml").write_text(DIAMOND)
    with pytest.raises(StudyError, match=r"No stage middle in dvc\.yaml\. Its stages are report, right"):
        stages_in_order(["middle"])
    (project / "dvc.yaml").write_text("stages:\n  root: {cdm: ls}\n")
    with pytest.raises(StudyError, match="cdm"):
        stages_in_order()


@pytest.mark.parametrize(
    ("ending", "status"),
    [("exit 1", Status.REFUSED), ("exit 2", Status.FAULT), ("kill -9 $$", Status.FAULT), ("echo fine", Status.REFUSED)],
)
def test_a_stages_status_says_whether_another_try_may_do(
    project: Path, ending: str, status: Status, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "dvc.yaml").write_text(f"stages:\n  bad:\n    cmd: {ending}\n    outs: [bad]\n")
    assert reproduce("bad") == status
    # DVC's own refusal is shown; a command has shown its reason itself.
    assert ("does not exist" in capsys.readouterr().err) == (ending == "echo fine")


def test_a_folder_of_dvc_that_cannot_be_written_is_the_users_to_mend(project: Path) -> None:
    (project / "dvc.yaml").write_text(DIAMOND)
    (project / ".dvc" / "tmp" / "lock").mkdir(parents=True)  # a folder where DVC writes a file
    with pytest.raises(StudyError, match=r"\.dvc/tmp/lock: cannot be written"):
        agenda(["root"])
