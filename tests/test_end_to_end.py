"""The real pipeline in a fresh checkout: real models from wheels, DVC, Prefect, Great Expectations; a small study."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest
import yaml
from dvc.utils.hydra import compose_and_dump
from filelock import FileLock
from prefect.settings import PREFECT_HOME, temporary_settings

from flows.server import temporary_server

ROOT = Path(__file__).parents[1]
QUESTIONS = 8
SMALL = [
    f"benchmark.controlled.questions={QUESTIONS}",
    "benchmark.controlled.context_chars=4000",
    "benchmark.controlled.near_misses=2",
    "benchmark.controlled.lexical_gap=0.3",
    "split.sizes={train: 4, dev: 1, test: 3}",
    "atoms.other={window_chars: 800, overlap_chars: 100}",
    "planner.snippet_chars=150",
    "mine.budget_chars=1800",  # more than the demo's: of so few questions some plan must be rewarded
    "pack.budgets_chars=[600,300]",
    "models.reranker.questions=20",
    "policies=[controls,matched,planner]",
    "mine.samples=2",
    "train.early_step=1",
    "train.epochs=1",
]

# Stages whose model calls, or optimiser steps, outlive a kill. Mining plans and answers, as stages plan and answer do;
# these are killed, with a model that is served, in tests/flows/test_faults.py.
KILLED = ("mine", "train")
# What each says of its calls: the numbers are those that this run made.
SAID = {
    "mine": r"plans sampled \((\d+) asked|\((\d+) answers asked\)",
    "train": r"steps, (\d+) of them now",
    "answer": r"distinct prompts: ([\d,]+) asked",
}


def made_small(folder):
    """What git holds or would take, with the demo made small."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / "dvc.lock").unlink(missing_ok=True)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    conf = str(folder / "conf")
    compose_and_dump(folder / "params.yaml", conf, None, "config", conf, SMALL)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The folder of the study that one worker makes for all, and nobody works in afterwards; and what its run said."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "study"
    folder, said = place / "plancheck", place / "said.json"
    with FileLock(f"{place}.lock"):
        if not said.exists():
            made_small(folder)
            run = study(folder)
            said.write_text(json.dumps([run.args, run.returncode, run.stdout, run.stderr]))
    return folder, subprocess.CompletedProcess(*json.loads(said.read_text()))


@pytest.fixture(scope="module")
def first(made):
    return made[1]


@pytest.fixture(scope="module")
def checkout(made, tmp_path_factory):
    """The study made, in a folder of its own; what DVC keeps is never written twice, so it is linked."""
    folder = tmp_path_factory.mktemp("study") / "plancheck"
    kept = made[0] / ".dvc" / "cache"

    def linked_or_copied(source, target):
        return (os.link if Path(source).is_relative_to(kept) else shutil.copy2)(source, target)

    shutil.copytree(made[0], folder, symlinks=True, copy_function=linked_or_copied)
    return folder


def environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return kept | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}", "NO_COLOR": "1"}


def command(checkout, *arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=checkout,
        env=environment() | variables,
        capture_output=True,
        text=True,
        timeout=3600,
    )


def study(checkout):
    return command(checkout, "flows.study")


def replies(checkout):
    path = checkout / ".plancheck" / "generations.sqlite"
    if not path.exists():
        return 0
    with sqlite3.connect(path) as connection:
        try:
            return connection.execute("SELECT count(*) FROM replies").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def asked(stage, run):
    """Model calls, or optimiser steps, that a run says it made for a stage."""
    found = [number for groups in re.finditer(SAID[stage], run.stderr) for number in groups.groups() if number]
    assert found, run.stderr
    return sum(int(number.replace(",", "")) for number in found)


def done(stage, checkout):
    """Model calls, or optimiser steps, that are kept for the next run."""
    if stage != "train":
        return replies(checkout)
    states = (checkout / ".plancheck" / "train").glob("*/checkpoint-*/trainer_state.json")
    return max((int(state.parent.name.rpartition("-")[2]) for state in states), default=0)


def forget_replies(checkout):
    for path in (checkout / ".plancheck").glob("generations.sqlite*"):
        path.unlink()


def processes(checkout):
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()) == checkout and process.pid != os.getpid():
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def gone(checkout, seconds=30):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if not processes(checkout):
            return True
        time.sleep(0.2)
    return False


def test_a_fresh_checkout_runs_to_table_1_and_leaves_no_process_and_no_traceback(made, checkout, first):
    assert first.returncode == 0, first.stdout + first.stderr
    assert "Traceback" not in first.stdout + first.stderr
    assert first.stdout.startswith("Profile demo: ")
    names = re.findall(r"^Stage \d+ of (\d+): (\S+)$", first.stdout, re.MULTILINE)
    assert (names[0], names[-1]) == (("27", "parameters"), ("27", "release"))
    assert first.stdout.index("tiers of controls") < first.stdout.index("Table 1")
    assert first.stdout.splitlines()[-1].startswith("The report: reports/index.html.")
    assert gone(made[0])
    table = pd.read_csv(checkout / "reports" / "tables" / "main.csv")
    assert list(table.columns)[:10] == [
        "policy",
        "budget_chars",
        "split",
        "questions",
        "correct",
        "accuracy",
        "wilson_low",
        "wilson_high",
        "chance",
        "evidence_recall",
    ]
    assert set(table["split"]) == {"all", "test"}
    assert (table["wilson_low"] <= table["accuracy"]).all()
    assert (table["accuracy"] <= table["wilson_high"]).all()


def test_every_question_has_a_row_in_every_condition_and_equal_prompts_are_asked_once(checkout, first):
    predictions = pd.read_parquet(checkout / "data" / "predictions.parquet")
    conditions = predictions.groupby(["policy", "budget_chars"])["question_id"].nunique()
    assert (conditions == QUESTIONS).all()
    assert len(predictions) == QUESTIONS * len(conditions)
    # Some plans were already answered alone when they were mined.
    assert asked("answer", first) <= predictions["packed_id"].nunique() <= replies(checkout)


def test_no_question_of_the_test_split_is_mined_or_trained_on(checkout, first):
    test = set(json.loads((checkout / "data" / "splits.json").read_text())["test"])
    traces = pd.read_parquet(checkout / "data" / "traces.parquet")
    rows = (checkout / "data" / "sft" / "train.jsonl").read_text() + (
        checkout / "data" / "sft" / "dev.jsonl"
    ).read_text()

    assert len(traces) == 5 * 2
    assert not test & set(traces["question_id"])
    assert rows
    assert not any(f'"{question_id}"' in rows for question_id in test)


def test_every_selector_has_a_plan_for_every_question(checkout, first):
    plans = pd.read_parquet(checkout / "data" / "plans.parquet")
    assert plans.groupby("selector")["question_id"].nunique().to_dict() == dict.fromkeys(
        ("prompted", "sft", "sft_early"), QUESTIONS
    )
    table = pd.read_csv(checkout / "reports" / "tables" / "main.csv")
    assert {"sft+hybrid_anchor", "prompted+nothing", "sft_early+rerank", "rerank_tuned"} <= set(table["policy"])


def test_every_router_routes_every_question(checkout, first):
    routing = pd.read_parquet(checkout / "data" / "routing.parquet")
    counts = routing.groupby(["scheme", "among", "router"])["question_id"].agg(["size", "nunique"])
    assert len(counts) == 2 + 2 * (2 * 5 + 1) + 2
    assert (counts == QUESTIONS).all(axis=None)
    assert len(pd.read_parquet(checkout / "data" / "router_features.parquet")) == QUESTIONS


def test_data_docs_are_written_and_are_no_output_of_dvc(checkout, first):
    assert (checkout / "reports" / "data_docs" / "index.html").exists()
    assert "data_docs" not in (checkout / "dvc.lock").read_text()


# What is done with the study made: a worker takes each on its own.
@pytest.mark.xdist_group("a study again")
def test_a_second_run_has_nothing_to_do(checkout, first):
    again = study(checkout)
    assert again.returncode == 0
    assert "Nothing to do" in again.stdout
    assert "Table 1" in again.stdout


@pytest.mark.xdist_group("a study again")
def test_a_clone_with_the_lock_alone_pulls_everything_and_has_nothing_to_run(checkout, first, tmp_path):
    remote, clone = str(tmp_path / "store"), tmp_path / "clone"
    author = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    subprocess.run(["git", "add", "--all"], cwd=checkout, check=True)
    subprocess.run(["git", *author, "commit", "--quiet", "--message", "study"], cwd=checkout, check=True)
    subprocess.run(["git", "clone", "--quiet", str(checkout), str(clone)], check=True)
    assert not (clone / "data" / "splits.json").exists()
    for folder in (checkout, clone):
        assert command(folder, "dvc", "remote", "add", "--local", "--default", "store", remote).returncode == 0
    pushed, pulled = command(checkout, "dvc", "push"), command(clone, "dvc", "pull")
    assert (pushed.returncode, pulled.returncode) == (0, 0), pushed.stderr + pulled.stderr

    again = command(clone, "dvc", "repro")

    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[-1] == "Data and pipelines are up to date."
    assert "Running stage" not in again.stdout
    status = subprocess.run(["git", "status", "--short"], cwd=clone, capture_output=True, text=True, check=True)
    assert status.stdout == ""


@pytest.mark.xdist_group("stages again")
def test_every_stage_that_asks_no_model_run_again_gives_the_same_bytes(checkout, first, tmp_path):
    before = (checkout / "dvc.lock").read_bytes()
    others = [stage for stage in yaml.safe_load(before)["stages"] if stage not in {"models", *KILLED}]

    # One server for all: alone, each stage that is a flow starts its own, as the killed ones below do.
    with temporary_settings({PREFECT_HOME: tmp_path}), temporary_server() as url:
        again = command(checkout, "dvc", "repro", "--force", "--single-item", *others, PREFECT_API_URL=url)

    assert again.returncode == 0, again.stderr
    assert (checkout / "dvc.lock").read_bytes() == before


@pytest.mark.parametrize("stage", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in KILLED])
def test_kill_9_asks_no_model_call_twice_and_ends_in_the_same_bytes(checkout, first, stage):
    before = (checkout / "dvc.lock").read_bytes()
    prompts = pd.read_parquet(checkout / "data" / "predictions.parquet", columns=["packed_id"])["packed_id"].nunique()
    total = prompts if stage == "answer" else asked(stage, first)
    forget_replies(checkout)
    # Forced, for DVC would fetch the known output of the first run from its cache instead of asking.
    forced = ["dvc", "repro", "--force", "--single-item", stage]
    started = subprocess.Popen(
        [sys.executable, "-m", *forced],
        cwd=checkout,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not done(stage, checkout):
        assert started.poll() is None, f"{stage} ended before it could be killed"
        time.sleep(0.05)
    os.kill(started.pid, signal.SIGKILL)
    started.wait()
    assert gone(checkout), "the flow or its server outlived DVC"
    kept = done(stage, checkout)

    again = command(checkout, *forced)

    assert again.returncode == 0, again.stdout + again.stderr
    assert 0 < kept < total
    assert kept + asked(stage, again) == total
    assert (checkout / "dvc.lock").read_bytes() == before


@pytest.mark.xdist_group("two studies at once")
def test_two_runs_at_once_do_not_harm_each_other(checkout, first):
    before = (checkout / "dvc.lock").read_bytes()
    (checkout / "data" / "packed.parquet").unlink()
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "flows.study"],
            cwd=checkout,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    outputs = [run.communicate(timeout=600)[0] for run in runs]

    assert 0 in [run.returncode for run in runs], outputs
    for run, output in zip(runs, outputs, strict=True):
        assert "Traceback" not in output
        assert run.returncode == 0 or "Another" in output, output
    assert study(checkout).returncode == 0
    assert (checkout / "dvc.lock").read_bytes() == before


@pytest.mark.xdist_group("two studies at once")
def test_a_test_question_planted_in_train_stops_the_study_at_its_gate(checkout, first):
    path = checkout / "data" / "splits.json"
    kept = path.read_bytes()
    splits = json.loads(kept)
    planted = splits["test"][0]
    path.write_text(json.dumps({**splits, "train": sorted([*splits["train"], planted])}))
    try:
        failed = command(checkout, "validation.gate", "split")
    finally:
        path.write_bytes(kept)

    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    assert all(part in failed.stderr for part in ("data/splits.json", "no test question is in train or dev", planted))
    assert command(checkout, "validation.gate", "split").returncode == 0


@pytest.mark.xdist_group("two studies at once")
def test_a_training_row_with_a_test_question_stops_the_study_before_training(checkout, first):
    before = (checkout / "dvc.lock").read_bytes()
    module = checkout / "plancheck" / "stages" / "rows.py"
    kept = module.read_text()
    planted = json.loads((checkout / "data" / "splits.json").read_text())["test"][0]
    leak = f"""

def leaking(traces, params, rows_of=rows_of):
    rows = rows_of(traces, params)
    return [*rows, *(dict(row, question_id="{planted}") for row in rows[:1])]


rows_of = leaking
"""
    module.write_text(kept + leak)
    try:
        stopped = command(checkout, "flows.study", "--until", "train")
    finally:
        module.write_text(kept)

    assert stopped.returncode == 1
    assert "Traceback" not in stopped.stderr
    assert all(part in stopped.stderr for part in ("data/sft/train.jsonl", "test question", planted))
    assert "planner trained" not in stopped.stderr
    assert command(checkout, "flows.study", "--until", "train").returncode == 0
    assert (checkout / "dvc.lock").read_bytes() == before
