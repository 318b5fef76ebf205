"""What a run says before it begins."""

import copy
from pathlib import Path

import pytest
import yaml

from flows.announcement import TOOK, announcement, run_name
from plancheck.params.study import parse_params

ROOT = Path(__file__).parents[2]
VALUES = yaml.safe_load((ROOT / "params.yaml").read_text())


@pytest.fixture
def said():
    def say(stages=("a", "b", "c"), **changes):
        values = copy.deepcopy(VALUES)
        for path, value in changes.items():
            *sections, last = path.split("/")
            place = values
            for section in sections:
                place = place[section]
            place[last] = value
        return announcement(parse_params(values, name="params.yaml"), stages)

    return say


def test_the_demo_says_its_size_its_stages_and_how_long_it_took(said):
    policies = len(parse_params(VALUES, name="params.yaml").pack.policies)
    assert said().splitlines() == [
        f"Profile demo: {policies} policies show an answer model contexts of 900, 450, 300 characters, for "
        "120 generated questions.",
        "3 stages, a to c; what is up to date is not run again. It can be stopped (Ctrl-C) and goes on when it is run "
        "again.",
        f"With the profile's own parameters, a first run took {TOOK['demo']}.",
    ]


def test_every_time_is_of_a_profile_that_there_is():
    assert all((ROOT / "conf/profile" / f"{profile}.yaml").is_file() for profile in TOOK)


def test_another_profile_says_its_file_and_promises_no_time(said):
    text = said(**{"profile": "mine", "benchmark/source": "file", "benchmark/path": "/far/away/some.jsonl",
                   "benchmark/limit": 1200})  # fmt: skip
    assert "the questions of some.jsonl (at most 1,200 of them)" in text
    assert "away" not in text
    assert "was not measured" in text


def test_one_stage_is_named(said):
    assert "One stage, split; what is up" in said(["split"])


def test_a_run_is_called_by_profile_and_questions():
    def name(**changes):
        values = copy.deepcopy(VALUES)
        values["benchmark"] |= changes
        return run_name(parse_params(values, name="params.yaml"))

    assert name() == "demo-120-questions"
    assert name(source="file", path="/far/some.jsonl") == "demo-questions-of-some.jsonl"
    assert name(source="file", path="some.jsonl", limit=50) == "demo-questions-of-some.jsonl-at-most-50"
