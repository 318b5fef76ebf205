"""benchmarks/computing.py: both sides of each ratio do the same, and the file has every row."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(BENCHMARKS))  # as when it is run: it imports measuring
    computing = SimpleNamespace(**runpy.run_path(str(BENCHMARKS / "computing.py")))


def test_the_bootstraps_of_the_same_differences_agree():
    ours, theirs = computing.resampled(1)
    assert (ours["way"], theirs["way"]) == ("plancheck", "scipy.stats.bootstrap")
    assert theirs["ratio"] == 1 and ours["apart"] <= 2.5


def test_two_files_hold_the_same_questions_in_other_orders(tmp_path):
    a, b = (pd.read_csv(computing.written(tmp_path / str(seed), 100, seed)) for seed in (0, 1))
    assert a["question_id"].tolist() != b["question_id"].tolist()
    assert sorted(a["question_id"]) == sorted(b["question_id"]) == [f"q{n:07}" for n in range(100)]
    assert set(a["correct"]) == set(b["correct"]) == {0, 1}


def test_a_row_states_its_cost_by_the_plainest_way():
    assert computing.row("task", "way", 3.0, 2.0)["ratio"] == 1.5


@pytest.mark.skipif(not (BENCHMARKS / "computing.csv").exists(), reason="the full run was not made")
def test_the_file_has_both_ways_of_every_task():
    table = pd.read_csv(BENCHMARKS / "computing.csv")
    assert table["task"].nunique() == 3 and (table.groupby("task")["ratio"].count() == 2).all()
    assert (table.groupby("task")["ratio"].min() <= 1).all()
    assert table["apart"].max() <= 2.5
