"""The simulation of the ladder draws what it says, gives the same shares again, and its file is of its cases."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from plancheck.reporting.ladder import VERDICTS
from plancheck.reporting.results import ALL, SEEN, TEST

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
simulation = SimpleNamespace(**runpy.run_path(str(BENCHMARKS / "ladder.py")))
SEED = 20261201
MADE = simulation.Made("controls", ("domain_rule", "train_default"))


def share(frame, **where):
    rows = frame[(frame[list(where)] == pd.Series(where)).all(axis=1)]
    assert len(rows) == 1
    return rows.iloc[0]


def test_policies_have_their_accuracies_and_differ_as_often_as_stated():
    accuracies = {"a": simulation.ACCURACY, "b": simulation.ACCURACY, "better": simulation.ACCURACY + 0.1}
    results = simulation.study(accuracies, np.random.default_rng(1), questions=40_000)
    right = {name: results.right(name, simulation.BUDGET) for name in accuracies}
    assert {name: row.mean() for name, row in right.items()} == pytest.approx(accuracies, abs=0.01)
    assert (right["a"] != right["b"]).mean() == pytest.approx(simulation.DISCORDANCE, abs=0.01)
    assert right["better"].mean() - right["b"].mean() == pytest.approx(0.1, abs=0.01)


def test_a_study_has_the_published_sizes_and_no_shared_context():
    results = simulation.study({"a": 0.3}, np.random.default_rng(1))
    assert {name: len(results.splits[name]) for name in (ALL, SEEN, TEST)} == {ALL: 503, SEEN: 351, TEST: 152}
    assert len(set(results.contexts.values())) == 503


def test_a_gain_that_nothing_could_miss_is_supported_at_every_tier_and_its_lack_nowhere():
    case = simulation.Case("huge", 0.5, 0.02, equal=simulation.TIERS[2:])
    frame = pd.DataFrame(simulation.simulated(case, SEED, MADE, runs=1))
    for split in (ALL, TEST):
        assert share(frame, split=split, tier="every different tier")["supported"] == 1
        assert share(frame, split=split, tier="any equal tier")["supported"] == 0


def test_the_same_seed_gives_the_same_row_and_another_seed_another():
    case = simulation.Case("no gain", 0.0, 0.05, equal=simulation.TIERS)
    frame = pd.DataFrame(simulation.simulated(case, SEED, MADE, runs=3))
    found = share(frame, split=ALL, tier="router")
    assert found[list(VERDICTS)].tolist() == pytest.approx([0, 1 / 3, 0, 2 / 3])
    first, again, other = (simulation.one_run(case, seed, MADE) for seed in (1, 1, 2))
    assert first == again != other


def test_a_large_gain_passes_routers_among_controls_and_none_passes_those_that_may_choose_the_planner():
    case = simulation.Case("huge", 0.5, 0.02)
    for among, supported in (("controls", 1), ("pair", 0)):
        made = simulation.Made(among, simulation.FAST)
        frame = pd.DataFrame(simulation.simulated(case, SEED, made, runs=1))
        assert share(frame, split=ALL, tier="router")["supported"] == supported
        assert share(frame, split=ALL, tier="every different tier")["supported"] == supported


def test_the_file_is_of_the_cases_and_of_runs_that_have_one_verdict_a_tier():
    table = pd.read_csv(BENCHMARKS / "ladder.csv")
    known = ["case", "gain", "margin"]
    cases = [(case.name, case.gain, case.margin) for case in simulation.CASES]
    assert table[known].drop_duplicates().apply(tuple, axis=1).tolist() == cases
    assert set(table["runs"]) == {simulation.RUNS}
    single = table[table["tier"].isin(simulation.TIERS)]
    assert len(single) == 2 * len(cases) * len(simulation.TIERS)
    assert single[list(VERDICTS)].sum(axis=1).to_numpy() == pytest.approx(1, abs=2e-4)
