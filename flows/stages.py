"""The flow that brings the stages of DVC's graph up to date, one after the other."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.runtime import flow_run
from prefect.tasks import exponential_backoff
from rich.console import Console

from flows import artifacts
from flows.announcement import run_name
from flows.composing import compose, profiles
from flows.graph import declared_stages, stages_in_order
from flows.holding import held, say_who
from flows.runners import refuse_missing
from flows.stage_runs import STUDY_RUN, end_left
from flows.statuses import Status
from flows.worker import Worker
from plancheck.locking.guard import refuse_changed
from plancheck.params.study import PARAMS, read_params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.lifeline import exit_with
from plancheck.plumbing.logs import set_up_logging
from tasks.retries import worth_retrying

RETRIES = 2
SERVED_BY = "PLANCHECK_SERVED_BY"  # the process that serves the deployment and starts its runs


class StageRefused(StudyError):
    """A stage that needs the user's hand.

    Its text, which Prefect shows as the run's state, holds the reason; ``brief`` is for where the reason stands above.
    """

    def __init__(self, stage: str, reason: str | None) -> None:
        self.brief = f"Stage {stage} failed, for the reason above. Finished stages are kept."
        super().__init__(f"Stage {stage} failed: {reason} Finished stages are kept." if reason else self.brief)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Offers the names that the working directory has when a deployment is made, as a list to choose from."""

    names: Callable[[], Sequence[str]]

    def __get_pydantic_json_schema__(self, core: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        names = list(self.names())
        return handler(core) | ({"enum": names} if names else {})


Profile = Annotated[str, OneOf(profiles)]
Stage = Annotated[str, OneOf(declared_stages)]


@flow(name="study")
def study(
    profile: Profile | None = None,
    overrides: Sequence[str] = (),
    until: Stage | None = None,
    force: bool = False,
) -> None:
    """Bring the study up to date: each stage whose parameters, code or inputs changed is run, in the graph's order.

    Args:
        profile: Compose params.yaml from this profile of conf/profile first; left empty, params.yaml stays as it is.
        overrides: Changes of the profile, such as benchmark.controlled.questions=12.
        until: Only this stage and what it needs; left empty, every stage.
        force: Run the stages even if nothing changed; what models said is remembered and not asked again.
    """
    if served_by := os.environ.get(SERVED_BY):
        exit_with(int(served_by))
        set_up_logging()
    with held():
        compose(profile, overrides)
        params = read_params() if PARAMS.exists() else None
        if params:
            refuse_missing(params.runtime)  # before DVC removes what a stage made
            call_this_run(run_name(params))
            refuse_changed(params)  # before DVC removes what the first stage made
        names = stages_in_order([until] if until else ())
        done: list[str] = []
        try:
            with stages_known_as_this_runs(), Worker(force=force) as worker:
                for number, stage in enumerate(names, start=1):
                    print(f"Stage {number} of {len(names)}: {stage}", flush=True)
                    bring_up_to_date(stage, worker)
                    done.append(stage)
        except StageRefused as refused:
            artifacts.publish(done, failed=(names[len(done)], str(refused)))
            raise
        artifacts.publish(done)


@contextmanager
def stages_known_as_this_runs() -> Iterator[None]:
    """Stages started inside the block belong to this run in Prefect, and none is left running there when it ends."""
    if not flow_run.id:
        yield
        return
    os.environ[STUDY_RUN] = flow_run.id
    try:
        yield
    except BaseException:  # also a cancelled run's, which is no Exception
        with get_client(sync_client=True) as client:
            end_left(client, UUID(flow_run.id))
        raise
    finally:
        del os.environ[STUDY_RUN]


def call_this_run(name: str) -> None:
    """The run's name in Prefect, and who holds the project; known only when params.yaml is composed."""
    say_who(f"run {name}")
    if flow_run.id:
        with get_client(sync_client=True) as client:
            client.update_flow_run(flow_run.id, name=name)


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
        StageRefused: it needs the user's hand; its own message has been shown.
        RuntimeError: it failed in another way, so another try may do.
    """
    match worker.reproduce(stage):
        case Status.DONE:
            return True
        case Status.UNCHANGED:
            return False
        case Status.REFUSED:
            raise StageRefused(stage, worker.reason())
        case Status.INTERRUPTED:
            raise KeyboardInterrupt
        case status:
            raise RuntimeError(f"its process ended with status {status}")


def print_line(stage: str, outcome: str, seconds: float) -> None:
    colour = {"ran": "green", "failed": "red"}.get(outcome, "dim")
    Console(highlight=False).print(f"{stage:<16} [{colour}]{outcome:<10}[/] {seconds:8.1f} s")
