"""The whole DVC graph as one Prefect flow: ``python -m flows.study [--stage NAME ...]``, in the project's folder."""

import argparse
import sys
import time
from collections.abc import Sequence

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.settings import PREFECT_API_URL, PREFECT_UI_URL
from prefect.tasks import exponential_backoff
from rich.console import Console

from flows.announcement import announcement
from flows.entry import exit_status
from flows.graph import changed, reproduce_apart, stages_in_order
from flows.server import api_server
from flows.statuses import Status
from plancheck.errors import StudyError
from plancheck.logs import set_up_logging
from plancheck.params.study import PARAMS, read_params
from tasks.retries import worth_retrying

RETRIES = 2
LAST_OF_TABLES = "analyze"


@flow(name="study")
def study(stages: list[str] | None = None) -> None:
    """Bring the named stages, and all that they depend on, up to date; every stage when none is named."""
    names = stages_in_order(stages or ())
    for number, stage in enumerate(names, start=1):
        print(f"Stage {number} of {len(names)}: {stage}", flush=True)
        started = time.monotonic()
        outcome = "stopped"
        try:
            outcome = "ran" if reproduce(stage) else "unchanged"
        except StudyError:
            outcome = "failed"
            raise
        except RuntimeError as fault:
            outcome = "failed"
            raise StudyError(f"Stage {stage} failed {RETRIES + 1} times: {fault}. Finished stages are kept.") from fault
        finally:
            print_line(stage, outcome, time.monotonic() - started)


@task(
    task_run_name="{stage}",
    retries=RETRIES,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def reproduce(stage: str) -> bool:
    """Run one stage if it changed, and return whether it did.

    Raises:
        StudyError: it needs the user's hand; its own message has been shown.
        RuntimeError: it failed in another way, so another try may do.
    """
    match reproduce_apart(stage):
        case Status.DONE:
            return True
        case Status.UNCHANGED:
            return False
        case Status.REFUSED:
            raise StudyError(f"Stage {stage} failed, for the reason above. Finished stages are kept.")
        case Status.INTERRUPTED:
            raise KeyboardInterrupt
        case status:
            raise RuntimeError(f"its process ended with status {status}")


def print_line(stage: str, outcome: str, seconds: float) -> None:
    colour = {"ran": "green", "failed": "red"}.get(outcome, "dim")
    Console(highlight=False).print(f"{stage:<16} [{colour}]{outcome:<10}[/] {seconds:8.1f} s")


def bring_up_to_date(targets: Sequence[str]) -> None:
    """Say what will be done, run what changed, then show the results and where the report lies.

    A server is started only when there is something to run. Results are shown only where the stages that make them are
    up to date.
    """
    stages = stages_in_order(targets)
    # Read before DVC removes what a stage made, which may then refuse its parameters.
    params = read_params() if PARAMS.exists() else None
    if running := changed(stages):
        if params:
            print(announcement(params, stages), flush=True)
        named = PREFECT_API_URL.value() is not None
        with api_server():
            if named:
                print(f"Prefect shows its runs at {PREFECT_UI_URL.value()}", flush=True)
            study(list(targets))
    if params and LAST_OF_TABLES in stages:
        from flows import results

        results.show(params)
    if not running:
        print(f"Nothing to do: all {len(stages)} stages are up to date.")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m flows.study", description="Bring the study up to date.")
    parser.add_argument("--stage", action="append", default=[], help="only this stage and what it needs; repeatable")
    targets = parser.parse_args(arguments).stage
    set_up_logging()
    return exit_status(lambda: bring_up_to_date(targets))


if __name__ == "__main__":
    sys.exit(main())
