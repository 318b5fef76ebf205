"""The `plancheck` program: the stages that need no Prefect."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Final

import typer

from plancheck.errors import StudyError
from plancheck.logs import set_up_logging
from plancheck.params import read_params
from plancheck.privacy import switch_off_telemetry

STAGES: Final[Mapping[str, str]] = {
    "models": "Resolve, fetch and pin every model: models/lock.json.",
    "benchmark": "Read or generate the questions and their contexts.",
    "split": "Split the questions into train, dev and test.",
    "atoms": "Cut the contexts into windows.",
    "rows": "Write the planner's training rows: one rewarded plan a question.",
    "pack": "Pack what each policy shows at each budget.",
    "analyze": "Make Table 1 and the table of selections.",
}

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def program() -> None:
    """Run one stage on params.yaml, as `dvc repro` does."""


def runner(name: str) -> Callable[[], None]:
    def run() -> None:
        importlib.import_module(f"plancheck.stages.{name}").run(read_params())

    return run


for _name, _help in STAGES.items():
    app.command(_name, help=_help)(runner(_name))


def main() -> None:
    """Run the program; what the user can mend is printed without a traceback, exit status 1."""
    switch_off_telemetry()
    set_up_logging()
    try:
        app()
    except StudyError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
