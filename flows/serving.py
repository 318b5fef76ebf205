"""The study as a deployment: its runs are started from Prefect's UI, by a schedule or by `prefect deployment run`."""

import logging
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate, GlobalConcurrencyLimitUpdate
from prefect.client.schemas.filters import FlowRunFilter
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.client.schemas.responses import DeploymentResponse
from prefect.exceptions import ObjectNotFound
from prefect.schedules import Cron, Schedule
from prefect.settings import PREFECT_API_URL, PREFECT_UI_URL, temporary_settings
from prefect.states import Crashed
from prefect.types.entrypoint import EntrypointType

from flows.artifacts import REPORTS_URL
from flows.composing import compose
from flows.graph import stages_in_order
from flows.server import check_answers, exported, lasting_server, send_what_is_left
from flows.stage_runs import end_left
from flows.stages import SERVED_BY, study
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.interrupts import loaded

if TYPE_CHECKING:
    from flows.study import Request

# A second run of a working copy waits for the first.
ONE_AT_A_TIME = ConcurrencyLimitConfig(limit=1, collision_strategy=ConcurrencyLimitStrategy.ENQUEUE)


def serve_with_ui(request: "Request", *, port: int | None, cron: str | None, active: bool) -> None:
    """``serve`` on a server of its own, which ends with it and keeps its runs for the next time."""
    with lasting_server(port) as address, temporary_settings(
        {PREFECT_API_URL: f"{address}/api", PREFECT_UI_URL: address}
    ):  # fmt: skip
        os.environ[REPORTS_URL] = f"{address}/reports"
        with get_client(sync_client=True) as client:
            if deployment := known(client):
                end_what_was_left(client, deployment)
        try:
            serve(request, cron=cron, active=active)
        finally:
            send_what_is_left()
            # Threads of Prefect find the server gone in the last moment.
            logging.disable()


def serve(request: "Request", *, cron: str | None, active: bool) -> None:
    """Wait, until Ctrl-C, for runs of this working copy.

    Raises:
        StudyError: no lasting server is named or answers, or the parameters or the schedule are none.
    """
    url = PREFECT_API_URL.value()
    if url is None:
        raise StudyError(
            "Schedules and forms need a lasting Prefect server: run `make ui`, or start one (`prefect server start`) "
            "and set PREFECT_API_URL."
        )
    check_answers(url)
    refuse_wrong(request)
    name = Path.cwd().name
    found = schedule(cron, active=active)
    given = [found] if found else None
    # A schedule that is off is for the first time; what was set in the UI since stays.
    with get_client(sync_client=True) as client:
        before = known(client) if not (given and active) else None
    kept = kept_schedules(before) if before else None
    print(
        f"Prefect: {PREFECT_UI_URL.value()}/deployments\nRuns of study/{name} start there, by its schedule, or with\n"
        f"  PREFECT_API_URL={url} prefect deployment run study/{name}\nCtrl-C ends all of it.",
        flush=True,
    )
    os.environ[SERVED_BY] = str(os.getpid())
    # Prefect's loop then ends by itself at Ctrl-C, and after the run that it started.
    loaded()
    with exported(url):
        study.serve(
            name=name,
            schedules=kept or given,
            parameters={key: value for key, value in asdict(request).items() if value},
            global_limit=ONE_AT_A_TIME,
            entrypoint_type=EntrypointType.MODULE_PATH,
            print_starting_message=False,
        )


def kept_schedules(deployment: DeploymentResponse) -> list[DeploymentScheduleCreate]:
    """Its schedules as they are, for Prefect drops what is not named again; each with a slug, as it then asks for."""
    return [
        DeploymentScheduleCreate(
            schedule=known.schedule, active=known.active, parameters=known.parameters, slug=known.slug or str(known.id)
        )
        for known in deployment.schedules
    ]


def end_what_was_left(client: SyncPrefectClient, deployment: DeploymentResponse) -> None:
    """Close the runs whose process ended with an earlier server, and free their place, which would stay taken."""
    left = client.read_flow_runs(
        flow_run_filter=FlowRunFilter(
            deployment_id={"any_": [deployment.id]}, state={"type": {"any_": ["PENDING", "RUNNING", "CANCELLING"]}}
        )
    )
    for run in left:
        client.set_flow_run_state(run.id, Crashed(message="The server ended before this run did."))
        end_left(client, run.id)
    limit = GlobalConcurrencyLimitUpdate(active_slots=0)
    client.update_global_concurrency_limit(f"deployment:{deployment.id}", limit)


def known(client: SyncPrefectClient) -> DeploymentResponse | None:
    """The deployment of this working copy, where the server has one."""
    try:
        return client.read_deployment_by_name(f"{study.name}/{Path.cwd().name}")
    except ObjectNotFound:
        return None


def schedule(cron: str | None, *, active: bool) -> Schedule | None:
    """A schedule in UTC, or none.

    Raises:
        StudyError: ``cron`` is no cron line.
    """
    if cron is None:
        return None
    try:
        return Cron(cron, timezone="UTC", active=active, slug="cron")
    except ValueError as error:
        raise StudyError(f"--cron {cron!r} is no schedule ({error}). Write minute hour day month weekday.") from error


def refuse_wrong(request: "Request") -> None:
    """Tell what is wrong with the deployment's own parameters now, and not in the night."""
    compose(request.profile, request.overrides, keep=True)
    stages_in_order([request.until] if request.until else ())
