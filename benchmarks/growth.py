"""How do seconds and memory of each stage grow with the number of questions and with the length of contexts? Measured.

Runs the demo's stages one by one at 1, 2, 4 and 8 times a small study, each study in a fresh copy of HEAD, and writes
benchmarks/growth.csv (a row a stage, axis and size) and benchmarks/growth_exponents.csv. Models are fetched and tuned
once: run it in the project's folder once stage models has run (`make demo`).

    python benchmarks/growth.py
"""

import argparse
import os
import platform
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import yaml
from dvc.utils.hydra import compose_and_dump
from measuring import cost_of, growth

from flows.server import api_server

ROOT = Path(__file__).parents[1]
OUTPUT = Path(__file__).with_name("growth.csv")
EXPONENTS = Path(__file__).with_name("growth_exponents.csv")
SIZES = (1, 2, 4, 8)
AXES = ("questions", "context")
TRAIN, DEV, TESTED = 3, 1, 2  # questions at size 1
CONTEXT_CHARS = 3000  # at size 1
SMALL = [  # 6 candidates are in any context of size 1, so that models read as much of a question in longer ones
    "benchmark.controlled.near_misses=2",
    "retrieve.pool.size=6",
    "mine.samples=2",
    "train.early_step=1",
    "policies=[controls,matched,planner]",
    "pack.budgets_chars=[300,150]",
    "mine.budget_chars=300",
    "planner.snippet_chars=80",
]
# Its cost is of the models, and of no question.
LEFT_OUT = "models"
MEASURES = ("cpu_seconds", "seconds", "peak_mb")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=ROOT / "models", help="with lock.json and weights")
    parser.add_argument("--axis", choices=AXES, nargs="+", default=list(AXES))
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="(default: %(default)s)")
    parser.add_argument("--until", help="the last stage to run")
    options = parser.parse_args()
    if not (options.models / "lock.json").exists():
        sys.exit(f"{options.models} has no lock.json. Run `dvc repro models`, or name a folder with --models.")
    rows: list[dict[str, object]] = []
    with api_server():
        for axis, size in runs(options.axis, options.sizes):
            # Size 1 is one study of both axes.
            known = [(axis, size)] if size > 1 else [(each, size) for each in options.axis]
            for cost in studied(axis, size, options.models, options.until):
                rows += [{"axis": of, "size": times, **cost} for of, times in known]
            table = pd.DataFrame(rows)
            table["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
            table.to_csv(OUTPUT, index=False, lineterminator="\n")  # after every study: it takes long
    exponents(table).to_csv(EXPONENTS, index=False, lineterminator="\n")
    print(exponents(table).to_string(index=False))


def runs(axes: Sequence[str], sizes: Sequence[int]) -> list[tuple[str, int]]:
    """The studies to make, small ones first, size 1 once."""
    return [(axis, size) for size in sorted(sizes) for axis in (axes[:1] if size == 1 else axes)]


def studied(axis: str, size: int, models: Path, until: str | None) -> Iterator[dict[str, object]]:
    """A row of what each stage cost, in order. A stage that failed has one that says so, and what needs it fails."""
    with tempfile.TemporaryDirectory(prefix="growth-") as scratch:
        folder = Path(scratch) / "plancheck"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        for name in ("lock.json", "weights"):
            (folder / "models" / name).symlink_to((models / name).resolve())
        conf = str(folder / "conf")
        compose_and_dump(folder / "params.yaml", conf, None, "config", conf, ["profile=demo", *overrides(axis, size)])
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(folder),
        }
        for stage, command in stages(folder, until):
            cost = cost_of(shlex.split(command), folder, environment)
            print(f"{axis} {size}x {stage}: {cost}", flush=True)
            yield {"stage": stage, **asdict(cost)}


def overrides(axis: str, size: int) -> list[str]:
    """The demo's parameters that make it the small study, ``size`` times on one axis."""
    times = size if axis == "questions" else 1
    splits = {"train": TRAIN * times, "dev": DEV * times, "test": TESTED * times}
    return [
        *SMALL,
        f"benchmark.controlled.questions={sum(splits.values())}",
        f"benchmark.controlled.context_chars={CONTEXT_CHARS * (size if axis == 'context' else 1)}",
        "split.sizes={" + ", ".join(f"{name}: {count}" for name, count in splits.items()) + "}",
    ]


def stages(folder: Path, until: str | None = None) -> list[tuple[str, str]]:
    """Names and commands in dvc.yaml's order, which is the order they run in, to stage ``until`` or all."""
    graph = yaml.safe_load((folder / "dvc.yaml").read_text())["stages"]
    names = list(graph)[: list(graph).index(until) + 1 if until else None]
    return [(name, graph[name]["cmd"]) for name in names if name != LEFT_OUT]


def exponents(table: pd.DataFrame) -> pd.DataFrame:
    """A row an axis, stage and measure: how it grows, see ``measuring.growth``; sizes that failed are left out."""
    rows = []
    for (axis, stage), own in table.groupby(["axis", "stage"], sort=False):
        done = own[own["outcome"] == "done"].sort_values("size")
        for measure in MEASURES:
            found = growth(done["size"].tolist(), done[measure].tolist())
            ends = [None, None] if done.empty else done[measure].iloc[[0, -1]].tolist()
            known = {"axis": axis, "stage": stage, "measure": measure, "sizes": len(done)}
            rows.append({**known, "smallest": ends[0], "largest": ends[1], **found})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    main()
