"""The flow that brings the stages of DVC's graph up to date, one after the other."""

import time

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff
from rich.console import Console

from flows.graph import stages_in_order
from flows.statuses import Status
from flows.worker import Worker
from plancheck.plumbing.errors import StudyError
from tasks.retries import worth_retrying

RETRIES = 2


@flow(name="study")
def study(stages: list[str] | None = None) -> None:
    """Bring the named stages, and all that they depend on, up to date; every stage when none is named."""
    names = stages_in_order(stages or ())
    with Worker() as worker:
        for number, stage in enumerate(names, start=1):
            print(f"Stage {number} of {len(names)}: {stage}", flush=True)
            bring_up_to_date(stage, worker)


def bring_up_to_date(stage: str, worker: Worker) -> None:
    """One stage, and a line of how that ended and how long it took."""
    started = time.monotonic()
    outcome = "stopped"
    try:
        outcome = "ran" if reproduce(stage, worker) else "unchanged"
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
def reproduce(stage: str, worker: Worker) -> bool:
    """Run one stage if it changed, and return whether it did.

    Raises:
        StudyError: it needs the user's hand; its own message has been shown.
        RuntimeError: it failed in another way, so another try may do.
    """
    match worker.reproduce(stage):
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
