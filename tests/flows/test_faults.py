"""Stages that ask models meet faults. Run once more, each ends in the bytes of a clean run, and asks nothing twice.

A served model answers, so that what is asked is counted where it is answered.
"""

import errno
import importlib.util
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
import yaml
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.answer import answer
from flows.mine import mine
from flows.plan import plan
from plancheck.backends.cache_file import connect
from plancheck.backends.models import LOCK
from plancheck.backends.served import server as served_server
from plancheck.backends.served.probing import probed
from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.params.models import ServedModel
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import write_json, write_table
from plancheck.plumbing.interrupts import GO_ON
from plancheck.records import ATOMS, CANDIDATES, PACKED, Benchmark, Question
from plancheck.stages.models import put_served

ROOT = Path(__file__).parents[2]
CACHE = Path(".plancheck/generations.sqlite")
MADE = (Path("data/predictions.parquet"), Path("reports/usage_answer.json"), Path("reports/asked.json"))
PROMPTS = 24


@pytest.fixture(scope="module")
def fake(tiny_qwen2):
    spec = importlib.util.spec_from_file_location("fake_server", ROOT / "tests/backends/fake_server.py")
    fake_server = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake_server)
    with fake_server.running(tiny_qwen2) as running:
        yield running


@pytest.fixture
def study(fake, tmp_path, monkeypatch, server):
    """The working directory: 12 questions, two packed contexts each, and a served answer model."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANCHECK_WORKERS", "1")
    served_server._open.cache_clear()
    fake.slow, fake.faults, fake.always = 0.0, [], None
    settings = {"base_url": fake.url, "model": "tiny", "concurrency": 1, "retries": 2, "timeout_seconds": 20.0}
    spec = ServedModel(source="served", **settings)
    params = yaml.safe_load((ROOT / "params.yaml").read_text())
    params["models"] |= {"planner": params["models"]["answer"], "answer": {"source": "served"} | settings}
    params["answer"] |= {"mode": "generate", "max_new_tokens": 1}
    Path("params.yaml").write_text(yaml.safe_dump(params))
    shutil.copy(ROOT / "prefect.toml", tmp_path)
    write_json(LOCK, {"models": {"tiny": put_served(spec, probed(spec))}, "roles": {"answer": "tiny"}})
    names = [f"q{number:02}" for number in range(PROMPTS // 2)]
    choices = ("a mill", "an inn", "a boat", "a barn")
    benchmark = Benchmark(
        tuple(Question(name, "Single", "", "", "", f"What is {name}?", choices, "A", "c") for name in names), {"c": "-"}
    )
    write_questions(benchmark)
    write_contexts(benchmark)
    empty = {"atom_ids": [], "starts": [], "ends": [], "chars": 9, "cut": False, "skipped": 0, "evidence_recall": None}
    write_table(
        Path("data/packed.parquet"),
        [
            empty | {"question_id": name, "policy": policy, "budget_chars": 9, "plan_failed": False}
            | {"packed_id": f"{name} {policy}", "text": f"The {policy} of {name}."}
            for name in names for policy in ("bm25", "random")
        ],
        PACKED,
    )  # fmt: skip
    fake.seen.clear()
    with temporary_settings({PREFECT_API_URL: server}):
        yield fake


@pytest.fixture
def clean(study):
    """The bytes of a clean run, none of which is left, and what is asked in it."""
    answer()
    found = made()
    for path in (*MADE, *CACHE.parent.glob("generations*")):
        path.unlink()
    assert sum(asked(study).values()) == PROMPTS
    study.seen.clear()
    return found


def made():
    return {path: path.read_bytes() for path in MADE}


def asked(fake):
    """How often each prompt of the study was asked; the fingerprint's are none of them."""
    texts = (body["messages"][0]["content"] for body in fake.seen if "messages" in body)
    return Counter(text for text in texts if "What is q" in text)


def kept():
    if not CACHE.exists():
        return 0
    connection = sqlite3.connect(CACHE)
    try:
        return connection.execute("SELECT count(*) FROM replies").fetchone()[0]
    except sqlite3.OperationalError:  # just being made
        return 0
    finally:
        connection.close()


def no_server_of_prefects(process):
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()


ENDS = {
    "kill -9": (lambda process: process.send_signal(signal.SIGKILL), -signal.SIGKILL, ""),
    "SIGTERM": (lambda process: process.send_signal(signal.SIGTERM), -signal.SIGTERM, ""),
    "Ctrl-C": (lambda process: process.send_signal(signal.SIGINT), 130, GO_ON),
    "Prefect's server dies": (no_server_of_prefects, 1, "The Prefect server ended with status -9"),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_run_that_is_ended_goes_on_to_the_same_bytes(clean, study, clean_environment, end, tmp_path):
    before = ended("answer", study, clean_environment | {"HOME": str(tmp_path)}, ENDS[end])
    assert 0 < before < PROMPTS
    answer()
    assert made() == clean
    assert sum(asked(study).values()) == PROMPTS - before


def ended(stage, fake, environment, end):
    """Start a stage and end it in the middle; how many replies are kept."""
    how, status, said = end
    fake.slow = 0.2
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = environment | {"PYTHONPATH": path, "PLANCHECK_WORKERS": "1"}
    command = [sys.executable, "-m", f"flows.{stage}"]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        while kept() < 3:
            assert running.poll() is None, running.stderr.read()
            time.sleep(0.02)
        how(running)
        _, stderr = running.communicate(timeout=60)
    assert running.returncode == status, stderr
    assert said in stderr
    assert "Traceback" not in stderr
    time.sleep(0.5)  # what was under way reaches the server
    fake.slow = 0.0
    fake.seen.clear()
    return kept()


PLANNING = {
    "mine": (mine, (Path("data/traces.parquet"), Path("reports/usage_mine.json"))),
    "plan": (plan, (Path("data/plans.parquet"), Path("reports/usage_plan.json"))),
}


@pytest.fixture
def planned(study, composed):
    """The study with a served planner too, and two candidates a question."""
    served = yaml.safe_load(Path("params.yaml").read_text())["models"]["answer"]
    params = composed("demo", "policies=[controls]")
    del params["analyze"]["mechanisms"]
    params["models"] |= {"planner": served, "answer": served}
    params |= {"selectors": {"first": {"kind": "planner"}, "again": {"kind": "planner", "model": "planner"}}}
    params["answer"] |= {"mode": "generate", "max_new_tokens": 1}
    params["planner"] |= {"max_new_tokens": 2}
    params["mine"] |= {"begin_reply": False}
    params["route"] |= {"planner": "bm25"}  # any that is shown
    Path("params.yaml").write_text(yaml.safe_dump(params))
    lock = json.loads(LOCK.read_text())
    write_json(LOCK, lock | {"roles": {"answer": "tiny", "planner": "tiny"}})
    names = [f"q{number:02}" for number in range(PROMPTS // 2)]
    write_json(Path("data/splits.json"), {"train": names[:7], "dev": names[7:9], "test": names[9:]})
    atoms = [{"atom_id": "a", "context_id": "c", "position": 0, "start": 0, "end": 1, "document": 0}]
    write_table(Path("data/atoms.parquet"), atoms, ATOMS)
    candidates = [{"question_id": name, "atom_id": "a", "position": 0} for name in names]
    write_table(Path("data/candidates.parquet"), candidates, CANDIDATES)
    return study


@pytest.mark.parametrize("stage", PLANNING)
def test_mining_and_planning_that_were_killed_go_on_to_the_same_bytes(planned, clean_environment, stage, tmp_path):
    flow, paths = PLANNING[stage]
    flow()
    clean = [path.read_bytes() for path in paths]
    whole, replies = sum(asked(planned).values()), kept()
    assert whole == replies
    for path in (*paths, *CACHE.parent.glob("generations*")):
        path.unlink()
    before = ended(stage, planned, clean_environment | {"HOME": str(tmp_path)}, ENDS["kill -9"])
    assert 0 < before < whole
    flow()
    assert [path.read_bytes() for path in paths] == clean
    assert sum(asked(planned).values()) == whole - before


def full_cache(patch):
    def small(path):
        connection = connect(path)
        connection.execute("PRAGMA max_page_count = 3")
        return connection

    patch.setattr("plancheck.backends.cache.connect", small)


def unwritable_output(number):
    def apply(patch):
        def refuse(*_, **__):
            raise OSError(number, os.strerror(number))

        patch.setattr("plancheck.plumbing.files.tempfile.mkdtemp", refuse)

    return apply


def cut_table(_):
    path = Path("data/packed.parquet")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return lambda: path.write_bytes(whole)


STOPS = {
    "a full disk under the cache": (full_cache, "database or disk is full"),
    "a full disk under the output": (unwritable_output(errno.ENOSPC), "data/predictions.parquet: cannot be written"),
    "a read-only output": (unwritable_output(errno.EROFS), "data/predictions.parquet: cannot be written"),
    "half a Parquet file": (cut_table, "data/packed.parquet: not a readable Parquet file"),
    "a storm of 429": (lambda _: "429", "takes no more requests for now"),
    "a server that is lost": (lambda _: "lost", "no connection"),
    "half replies": (lambda _: "half", "no connection"),
    "wrong JSON": (lambda _: "not json", "fails at every prompt"),
}


@pytest.mark.parametrize("fault", STOPS)
def test_a_fault_that_stops_the_run_is_one_message_and_the_next_run_ends_in_the_same_bytes(
    clean, study, fault, monkeypatch
):
    apply, message = STOPS[fault]
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)
    with pytest.MonkeyPatch.context() as patch:
        mended = apply(patch)
        if isinstance(mended, str):
            good = iter(range(12))
            study.always = lambda body, name=mended: None if next(good, None) is not None else name
        with pytest.raises(StudyError, match=message):
            answer()
    if callable(mended):
        mended()
    study.always = None
    assert not MADE[0].exists()
    before = kept()
    study.seen.clear()

    answer()

    assert made() == clean
    assert sum(asked(study).values()) == PROMPTS - before


def damaged_replies():
    connection = sqlite3.connect(CACHE)
    connection.execute("UPDATE replies SET reply = replace(reply, '0', '1') WHERE rowid <= 5")
    connection.commit()
    connection.close()
    return 5


def damaged_file():
    connection = sqlite3.connect(CACHE)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    CACHE.write_bytes(b"no database" * 500)
    return PROMPTS


@pytest.mark.parametrize("damage", [damaged_replies, damaged_file], ids=["replies", "the file"])
def test_a_damaged_cache_is_asked_again_for_what_is_damaged_alone(clean, study, damage):
    answer()
    lost = damage()
    study.seen.clear()
    MADE[0].unlink()
    answer()
    assert made() == clean
    assert sum(asked(study).values()) == lost


def test_a_clock_that_is_set_back_changes_no_byte_and_asks_nothing_twice(clean, study, monkeypatch):
    real, calls = time.time, iter(range(10**9))
    monkeypatch.setattr("plancheck.backends.cache.time.time", lambda: real() - 10**7 * (next(calls) % 3))
    answer()
    answer()
    assert made() == clean
    assert set(asked(study).values()) == {1}


def test_passing_faults_of_a_slow_server_change_no_byte(clean, study, monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)
    study.slow = 0.01
    study.faults = [None, None, "429", "429", None, "half", None, "lost", "not json", None, "500"]
    answer()
    assert made() == clean
    assert json.loads(MADE[1].read_text())["answer"]["replies"] == PROMPTS
