"""The whole DVC graph as one Prefect flow: ``python -m flows.study [--stage NAME ...]``, in the project's folder."""

import argparse
import sys
from collections.abc import Sequence

from flows.announcement import announcement
from flows.entry import exit_status
from flows.graph import agenda
from plancheck.params.study import PARAMS, read_params
from plancheck.plumbing.logs import set_up_logging

LAST_OF_TABLES = "analyze"


def bring_up_to_date(targets: Sequence[str]) -> None:
    """Say what will be done, run what changed, then show the results and where the report lies.

    A server is started only when there is something to run. Results are shown only where the stages that make them are
    up to date.
    """
    found = agenda(targets)
    # Read before DVC removes what a stage made, which may then refuse its parameters.
    params = read_params() if PARAMS.exists() else None
    if found.due:
        if params:
            print(announcement(params, found.stages), flush=True)
        run(targets)
    if params and LAST_OF_TABLES in found.stages:
        from flows import results

        results.show(params)
    if not found.due:
        print(f"Nothing to do: all {len(found.stages)} stages are up to date.")


def run(targets: Sequence[str]) -> None:
    # Importing Prefect takes longer than finding out that there is nothing to run.
    from prefect.settings import PREFECT_API_URL, PREFECT_UI_URL

    from flows.server import api_server
    from flows.stages import study

    named = PREFECT_API_URL.value() is not None
    with api_server():
        if named:
            print(f"Prefect shows its runs at {PREFECT_UI_URL.value()}", flush=True)
        study(list(targets))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m flows.study", description="Bring the study up to date.")
    parser.add_argument("--stage", action="append", default=[], help="only this stage and what it needs; repeatable")
    targets = parser.parse_args(arguments).stage
    set_up_logging()
    return exit_status(lambda: bring_up_to_date(targets))


if __name__ == "__main__":
    sys.exit(main())
