"""The study as a deployment: its runs are started from Prefect's UI, by a schedule or by `prefect deployment run`."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.exceptions import ObjectNotFound
from prefect.schedules import Cron, Schedule
from prefect.settings import PREFECT_API_URL, PREFECT_UI_URL, temporary_settings
from prefect.types.entrypoint import EntrypointType

from flows.artifacts import REPORTS_URL
from flows.composing import compose
from flows.graph import stages_in_order
from flows.server import check_answers, exported, lasting_server
from flows.stages import SERVED_BY, study
from plancheck.plumbing.errors import StudyError

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
        serve(request, cron=cron, active=active)


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
    print(
        f"Prefect: {PREFECT_UI_URL.value()}/deployments\nRuns of study/{name} start there, by its schedule, or with\n"
        f"  PREFECT_API_URL={url} prefect deployment run study/{name}\nCtrl-C ends all of it.",
        flush=True,
    )
    os.environ[SERVED_BY] = str(os.getpid())
    with exported(url):
        study.serve(
            name=name,
            # Prefect would put it in the place of schedules that were added in the UI.
            schedule=schedule(cron, active=active) if active or not has_schedules(name) else None,
            parameters={key: value for key, value in asdict(request).items() if value},
            global_limit=ONE_AT_A_TIME,
            entrypoint_type=EntrypointType.MODULE_PATH,
            print_starting_message=False,
        )


def has_schedules(name: str) -> bool:
    """Whether the server knows a deployment of this name, with a schedule."""
    with get_client(sync_client=True) as client:
        try:
            return bool(client.read_deployment_by_name(f"{study.name}/{name}").schedules)
        except ObjectNotFound:
            return False


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
