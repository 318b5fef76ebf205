"""Exponents of known curves, costs of known commands, and files that have a row for every stage and size."""

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
SIZES = [1, 2, 4, 8]


def script(name):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))  # as when it is run: they import measuring
        return SimpleNamespace(**runpy.run_path(str(BENCHMARKS / f"{name}.py")))


measuring, growing, sample = script("measuring"), script("growth"), script("sample")


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("constant", [0.0, 5.0, 50.0])
def test_the_exponent_of_a_known_curve_is_found_whatever_its_constant(exponent, constant):
    found = measuring.growth(SIZES, [constant + 10 * size**exponent for size in SIZES])
    assert found["exponent"] == pytest.approx(exponent, abs=0.02)
    assert found["constant"] == pytest.approx(constant, abs=1)
    assert found["grows"] == ("at most linear" if exponent <= 1 else "worse than linear")


def test_costs_that_hardly_grow_have_no_exponent():
    assert measuring.growth(SIZES, [10, 10.5, 9.9, 11.4]) == {"constant": 10.45, "exponent": None, "grows": "flat"}


def test_two_sizes_say_nothing_of_a_curve_with_a_constant():
    assert measuring.growth([1, 2], [1, 2]) == {"constant": None, "exponent": None, "grows": "unknown"}


@pytest.mark.parametrize(("sizes", "costs"), [([1, 1, 2], [1, 1, 1]), ([2, 1, 4], [1, 1, 1]), ([1, 2, 4], [0, 1, 2])])
def test_sizes_that_do_not_rise_and_costs_of_nothing_are_refused(sizes, costs):
    with pytest.raises(ValueError, match="must rise"):
        measuring.growth(sizes, costs)


def test_peak_memory_is_of_the_command_and_its_children_and_not_of_who_starts_it(tmp_path):
    own = bytearray(b"x" * 300_000_000)
    empty = measuring.cost_of([sys.executable, "-c", "pass"], tmp_path, {})
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'bytearray(200_000_000)'])"
    large = measuring.cost_of([sys.executable, "-c", child], tmp_path, {})
    assert len(own) == 300_000_000
    assert empty.outcome == large.outcome == "done"
    assert empty.peak_mb < 100 < 190 < large.peak_mb < 290


def test_a_command_that_fails_says_how(tmp_path):
    cost = measuring.cost_of([sys.executable, "-c", "raise SystemExit('too few questions')"], tmp_path, {})
    assert cost.outcome == "status 1: too few questions"


def test_size_1_is_run_once_and_every_other_size_on_each_axis():
    assert growing.runs(["questions", "context"], [4, 1, 2]) == [
        ("questions", 1), ("questions", 2), ("context", 2), ("questions", 4), ("context", 4),
    ]  # fmt: skip


def test_an_axis_changes_its_own_size_alone(composed):
    base, more, longer = (
        composed("demo", *growing.overrides(axis, size))
        for axis, size in (("context", 1), ("questions", 8), ("context", 8))
    )
    assert more["benchmark"]["controlled"]["questions"] == 8 * base["benchmark"]["controlled"]["questions"]
    assert sum(more["split"]["sizes"].values()) == more["benchmark"]["controlled"]["questions"]
    assert longer["benchmark"]["controlled"]["context_chars"] == 8 * base["benchmark"]["controlled"]["context_chars"]
    del more["benchmark"]["controlled"]["questions"], base["benchmark"]["controlled"]["questions"]
    assert more["benchmark"] == base["benchmark"]
    assert longer["split"] == base["split"]


def test_stages_are_those_of_the_graph_in_its_order_but_for_the_models():
    names = list(yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"])
    assert [name for name, _ in growing.stages(ROOT)] == [name for name in names if name != "models"]
    assert growing.stages(ROOT, "split")[-1] == ("split", "python -m plancheck split")


def test_a_size_that_failed_is_left_out_of_the_fit():
    rows = [
        {"axis": "context", "size": size, "stage": "atoms", "cpu_seconds": 1 + size, "seconds": 1 + size,
         "peak_mb": 100, "outcome": outcome}
        for size, outcome in ((1, "done"), (2, "done"), (4, "done"), (8, "status 2: no"))
    ]  # fmt: skip
    found = growing.exponents(pd.DataFrame(rows)).set_index("measure")
    assert found["sizes"].tolist() == [3, 3, 3]
    assert found.loc["seconds", "exponent"] == pytest.approx(1, abs=0.02)
    assert found["grows"].tolist() == ["at most linear", "at most linear", "flat"]


def test_the_sample_s_texts_have_the_lengths_asked_for_and_are_the_records_own():
    lengths = sample.lengths_of(480, sample.CHARACTERS)
    assert sum(lengths) == pytest.approx(sample.CHARACTERS, rel=1e-4)
    assert pd.Series(lengths).median() == pytest.approx(sample.MEDIAN, rel=0.02)
    records = [{"_id": "a", "context": "abc"}, {"_id": "b", "context": "def"}]
    made = list(sample.extended(records, [4, 20, 1]))
    assert [len(record["context"]) for record in made] == [4, 20, 1]
    whole = "abc\n\ndef"
    assert "".join(record["context"] for record in made) == (whole * 4)[:25]
    assert [record["_id"] for record in made] == ["0000", "0001", "0002"]


def test_the_sample_s_file_has_every_stage_at_every_share():
    table = pd.read_csv(BENCHMARKS / "sample.csv")
    cells = table[["eighths", "stage"]].apply(tuple, axis=1).tolist()
    assert cells == [(eighths, stage) for eighths in sample.EIGHTHS for stage in sample.STAGES]
    assert table["characters"].max() == pytest.approx(sample.CHARACTERS, rel=1e-4)
    fits = pd.read_csv(BENCHMARKS / "sample_exponents.csv")
    assert len(fits) == len(sample.STAGES) * len(sample.MEASURES)


def test_the_file_has_every_stage_at_every_size_of_both_axes():
    table = pd.read_csv(BENCHMARKS / "growth.csv")
    cells = table[["axis", "size", "stage"]].apply(tuple, axis=1)
    names = list(dict.fromkeys(table["stage"]))
    assert set(names) <= {name for name, _ in growing.stages(ROOT)}  # a stage may have come since
    assert set(cells) == {(axis, size, name) for axis in growing.AXES for size in growing.SIZES for name in names}
    assert cells.is_unique
    fits = pd.read_csv(BENCHMARKS / "growth_exponents.csv")
    assert len(fits) == len(growing.AXES) * len(names) * len(growing.MEASURES)
