"""How far a stage's shards are, as an artifact of its flow run."""

import logging

import httpx
import pytest
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.progress import key, results
from tasks.shards import shards


@task(cache_policy=NO_CACHE)
def double(shard):
    return [2 * int(item) for item in shard.items]


@flow
def stage(numbers):
    parts = shards(numbers, size=2)
    return results([double.submit(part) for part in parts], parts, what="double Twice: numbers")


def test_shards_leave_an_artifact_that_ends_at_100_percent_and_no_shard_leaves_none(server: str) -> None:
    def found() -> list[dict]:
        wanted = {"artifacts": {"key": {"any_": ["double-twice-numbers"]}}}
        return httpx.post(f"{server}/artifacts/filter", json=wanted).json()

    with temporary_settings({PREFECT_API_URL: server}):
        assert stage([]) == []
        assert found() == []
        assert stage(["1", "2", "3"]) == [[2, 4], [6]]
    [artifact] = found()
    assert (artifact["type"], float(artifact["data"])) == ("progress", 100.0)
    assert artifact["description"] == "double Twice: numbers 3 of 3"


def test_shards_that_failed_are_not_counted_as_done(server: str, monkeypatch, caplog) -> None:
    monkeypatch.setattr("flows.progress.SECONDS_A_LINE", 0.0)
    with (
        temporary_settings({PREFECT_API_URL: server}),
        caplog.at_level(logging.INFO, "plancheck.progress"),
        pytest.raises(ValueError, match="invalid literal"),
    ):
        stage(["1", "2", "no number"])
    told = [record.getMessage() for record in caplog.records if record.name == "plancheck.progress"]
    assert told == ["double Twice: numbers 2 of 3"]


def test_a_key_holds_small_letters_digits_and_dashes_alone() -> None:
    assert key("plan sft_early: questions") == "plan-sft-early-questions"
