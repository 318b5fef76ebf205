"""Shards in threads and in the processes of Dask and Ray: the same results, also after a worker is lost."""

import os
import signal
from pathlib import Path

import pytest
from prefect import flow
from prefect.cache_policies import NO_CACHE
from prefect.tasks import task

from flows.progress import results
from flows.runners import task_runner
from plancheck.backends.cache import GenerationCache
from plancheck.params.runtime import Runtime
from plancheck.plumbing.errors import StudyError
from tasks.retries import worth_retrying
from tasks.shards import Shard, shards

ITEMS = ["a", "b", "c", "d", "e"]


@task(cache_policy=NO_CACHE, retries=1, retry_condition_fn=worth_retrying)
def remembered(shard: Shard) -> tuple[str, list[str], str]:
    """What a model said of the shard's items, which is read from the folder's cache, and where that was."""
    shard.enter()
    with GenerationCache() as cache:
        known = cache.get(shard.items)
        cache.put({item: {"text": item.upper()} for item in shard.items if item not in known})
        said = [cache.get([item])[item]["text"] for item in shard.items]
    lost = Path("lost")
    if "c" in shard.items and lost.exists():
        lost.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return shard.name, said, str(Path.cwd())


@flow(name="runners")
def remembering() -> list[tuple[str, list[str], str]]:
    parts = shards(ITEMS, size=2)
    return results([remembered.submit(part) for part in parts], parts, what="items")


def settings(name):
    return Runtime.model_validate({"task_runner": name})


@pytest.fixture
def two_workers(tmp_path, monkeypatch):
    monkeypatch.setenv("PLANCHECK_WORKERS", "2")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Ray alone takes a quarter of a minute to start: benchmarks/shards.py and docs/scaling.md say what was seen with it.
@pytest.mark.parametrize(("name", "lost"), [("threads", False), ("dask", False), ("dask", True)])
def test_every_runner_gives_the_same_results_in_order(name, lost, server, two_workers):
    if name != "threads":
        pytest.importorskip(f"prefect_{name}")
    if lost:
        (two_workers / "lost").touch()
    found = remembering.with_options(task_runner=task_runner("cpu", settings(name)))()
    here = str(two_workers)
    assert found == [("1/3", ["A", "B"], here), ("2/3", ["C", "D"], here), ("3/3", ["E"], here)]
    assert not (two_workers / "lost").exists()


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_runner_that_is_not_installed_is_refused(name, monkeypatch):
    monkeypatch.setattr("flows.runners.find_spec", lambda _: None)
    with pytest.raises(StudyError, match=f"pip install 'prefect-{name}'"):
        task_runner("cpu", settings(name))


def test_a_worker_enters_the_folder_of_the_study(two_workers, monkeypatch):
    shard = Shard("1/1", ("a",))
    elsewhere = two_workers / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    shard.enter()
    assert Path.cwd() == two_workers
    with pytest.raises(StudyError, match="at the same path"):
        Shard("1/1", ("a",), two_workers / "nowhere").enter()
