"""What does starting cost? CPU seconds of the programs with nothing to do, and of what a whole demo imports.

Run it in the project's folder once the study is up to date (`make demo`); writes benchmarks/startup.csv. Every round
runs all commands in turn, and the ratios are to `import torch` of the same round, the median of all rounds.

    python benchmarks/startup.py --rounds 3
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import pandas as pd
import yaml
from measuring import Cost, cost_of

OUTPUT = Path(__file__).with_name("startup.csv")
UNIT = "import torch"
STAGE = "imports of stage "
SERVER = (
    "import flows.temporary_server, uvicorn; from prefect.server.api.server import create_app; "
    "create_app(ephemeral=True, final=True)"
)
# What a study imports besides its stages.
AROUND = {
    "imports of the study": "import flows.study, flows.stages, flows.server",
    "imports of its worker": "import flows.repro, flows.graph",
    "imports of its Prefect server": SERVER,
}
WHOLE = "imports of a whole demo"


def imports(command: str) -> str:
    """The code that loads what a stage's program loads before its work begins.

    Raises:
        ValueError: the command of dvc.yaml is of no known kind.
    """
    match command.removeprefix("python -m ").split():
        case ["plancheck", stage]:
            return f"import plancheck.cli, plancheck.params.study, plancheck.stages.{stage}"
        case ["validation.gate", _]:
            return "import validation.gate"
        case [flow] if flow.startswith("flows."):
            return f"import {flow}, flows.server"
    raise ValueError(f"no stage of dvc.yaml begins like {command!r}")


def stage_imports(project: Path) -> dict[str, str]:
    """By stage of dvc.yaml, in its order, the code that loads what it loads."""
    stages = yaml.safe_load((project / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    return {f"{STAGE}{name}": imports(stage["cmd"]) for name, stage in stages.items()}


def commands(project: Path, results: Path) -> dict[str, list[str]]:
    """All that is measured, by name; ``results`` is a file of results, which is compared with itself."""
    python = sys.executable
    plancheck = [python, "-m", "plancheck"]
    return {
        "python -c pass": [python, "-c", "pass"],
        UNIT: [python, "-c", UNIT],
        "plancheck --help": [*plancheck, "--help"],
        "plancheck compare": [*plancheck, "compare", str(results), str(results)],
        "dvc repro with nothing to do": [python, "-m", "dvc", "repro"],
        "study with nothing to do": [python, "-m", "flows.study"],
        **{name: [python, "-c", code] for name, code in (stage_imports(project) | AROUND).items()},
    }


def table(rounds: Sequence[Mapping[str, Cost]]) -> pd.DataFrame:
    """A row a command, and one of all imports together: medians over rounds, the ratio's of each round's own ratio."""
    rows = [
        {
            "command": name,
            "cpu_seconds": median(costs[name].cpu_seconds for costs in rounds),
            "seconds": median(costs[name].seconds for costs in rounds),
            "ratio": median(costs[name].cpu_seconds / costs[UNIT].cpu_seconds for costs in rounds),
        }
        for name in rounds[0]
    ]
    parts = [row for row in rows if row["command"] in AROUND or str(row["command"]).startswith(STAGE)]
    measures = ("cpu_seconds", "seconds", "ratio")
    rows.append({"command": WHOLE, **{measure: sum(float(row[measure]) for row in parts) for measure in measures}})
    return pd.DataFrame(rows).round(2)


def measured(project: Path) -> dict[str, Cost]:
    """One round.

    Raises:
        SystemExit: a command failed; no cost of it can be trusted.
    """
    with tempfile.TemporaryDirectory() as scratch:
        results = Path(scratch) / "results.csv"
        results.write_text("id,score\n" + "".join(f"q{number},{number % 2}\n" for number in range(40)))
        found = {}
        for name, command in commands(project, results).items():
            found[name] = cost_of(command, project, {"PYTHONPATH": str(project)})
            print(f"{name:<40} {found[name].cpu_seconds:8.2f} CPU s", flush=True)
            if found[name].outcome != "done":
                raise SystemExit(f"{name}: {found[name].outcome}")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often every command is run")
    rounds = [measured(Path.cwd()) for _ in range(parser.parse_args(arguments).rounds)]
    found = table(rounds)
    found.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(found.to_string(index=False))


if __name__ == "__main__":
    main()
