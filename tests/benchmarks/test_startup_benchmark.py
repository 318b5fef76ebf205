"""What benchmarks/startup.py measures: every stage of the study, and sums and ratios that are those of their parts."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(BENCHMARKS))  # as when it is run: it imports measuring
    startup = SimpleNamespace(**runpy.run_path(str(BENCHMARKS / "startup.py")))
NAMES = list(startup.commands(ROOT, Path("results.csv")))
IMPORTS = [*startup.stage_imports(ROOT), *startup.AROUND]


def costs(cpu_seconds):
    return {
        name: SimpleNamespace(cpu_seconds=cpu, seconds=2 * cpu) for name, cpu in zip(NAMES, cpu_seconds, strict=True)
    }


def test_every_stage_of_the_graph_is_measured_in_its_order():
    names = yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"]
    assert [name.removeprefix(startup.STAGE) for name in startup.stage_imports(ROOT)] == list(names)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("python -m plancheck split", "import plancheck.cli, plancheck.params.study, plancheck.stages.split"),
        ("python -m flows.mine", "import flows.mine, flows.server"),
        ("python -m validation.gate rows", "import validation.gate"),
    ],
)
def test_a_stage_s_program_is_loaded_and_not_run(command, code):
    assert startup.imports(command) == code


def test_a_program_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="begins like 'make demo'"):
        startup.imports("make demo")


@given(st.integers(1, 1000), st.lists(st.integers(1, 1000), min_size=len(NAMES), max_size=len(NAMES)))
def test_a_faster_or_slower_machine_changes_no_ratio(factor, cpu_seconds):
    one = startup.table([costs(cpu_seconds)])
    other = startup.table([costs([factor * cpu for cpu in cpu_seconds])])
    assert one["ratio"].tolist() == other["ratio"].tolist()
    assert one.set_index("command").loc[startup.UNIT, "ratio"] == 1


@given(st.lists(st.lists(st.integers(1, 1000), min_size=len(NAMES), max_size=len(NAMES)), min_size=1, max_size=3))
def test_a_demo_imports_what_its_stages_and_the_processes_around_them_do(rounds):
    found = startup.table([costs(cpu_seconds) for cpu_seconds in rounds]).set_index("command")["cpu_seconds"]
    assert found[startup.WHOLE] == pytest.approx(found[IMPORTS].sum())


@pytest.mark.skipif(not (BENCHMARKS / "startup.csv").exists(), reason="the run was not made")
def test_the_file_has_every_command_once():
    found = pd.read_csv(BENCHMARKS / "startup.csv")
    measured = found["command"].tolist()
    assert measured == [*NAMES, startup.WHOLE]
    whole = found.set_index("command")["cpu_seconds"]
    assert whole[startup.WHOLE] == pytest.approx(whole[IMPORTS].sum(), abs=0.1)
