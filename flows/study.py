"""The whole DVC graph as one Prefect flow: ``python -m flows.study``, in the project's folder; ``--help`` says more."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from flows.announcement import announcement
from flows.composing import compose
from flows.entry import exit_status
from flows.graph import agenda
from flows.holding import held
from plancheck.params.study import PARAMS, read_params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.logs import set_up_logging

LAST_OF_TABLES = "analyze"


@dataclass(frozen=True, slots=True)
class Request:
    """The parameters of the flow, as ``flows.stages.study`` explains them."""

    profile: str | None = None
    overrides: tuple[str, ...] = ()
    until: str | None = None
    force: bool = False


def bring_up_to_date(request: Request) -> None:
    """Say what will be done, run what changed, then show the results and where the report lies.

    A server is started only when there is something to run. Results are shown only where the stages that make them are
    up to date.
    """
    with held():
        compose(request.profile, request.overrides)
        found = agenda([request.until] if request.until else ())
        # Read before DVC removes what a stage made, which may then refuse its parameters.
        params = read_params() if PARAMS.exists() else None
        if due := found.due or request.force:
            if params:
                print(announcement(params, found.stages), flush=True)
            run(request)
        if params and LAST_OF_TABLES in found.stages:
            from flows import results

            results.show(params)
        if not due:
            print(f"Nothing to do: all {len(found.stages)} stages are up to date.")


def run(request: Request) -> None:
    # Importing Prefect takes longer than finding out that there is nothing to run.
    from prefect.settings import PREFECT_API_URL, PREFECT_UI_URL

    from flows.server import api_server
    from flows.stages import StageRefused, study

    named = PREFECT_API_URL.value() is not None
    with api_server():
        if named:
            print(f"Prefect shows its runs at {PREFECT_UI_URL.value()}", flush=True)
        try:
            study(request.profile, list(request.overrides), request.until, request.force)
        except StageRefused as refused:
            raise StudyError(refused.brief) from refused


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m flows.study", description="Bring the study up to date.")
    parser.add_argument("--profile", metavar="NAME", help="compose params.yaml from this profile of conf/profile first")
    parser.add_argument(
        "-S", "--override", action="append", default=[], metavar="SECTION.NAME=VALUE",
        help="change the profile so; repeatable",
    )  # fmt: skip
    parser.add_argument("--until", metavar="STAGE", help="only this stage and what it needs")
    parser.add_argument("--force", action="store_true", help="run the stages even if nothing changed")
    serving = parser.add_argument_group("serving", "Wait for runs that a lasting Prefect server starts.")
    serving.add_argument("--serve", action="store_true", help="serve a deployment with these parameters; run nothing")
    serving.add_argument("--cron", metavar="'0 3 * * *'", help="start a run by this schedule (minute hour ...; UTC)")
    serving.add_argument("--paused", action="store_true", help="the schedule is off until it is switched on in the UI")
    serving.add_argument(
        "--ui", action="store_true", help="start the server too, with its UI, for as long as it serves"
    )
    serving.add_argument("--port", type=int, help="of the UI; any free one when it is not given")
    given = parser.parse_args(arguments)
    if (given.cron or given.paused or given.ui) and not given.serve:
        parser.error("--cron, --paused and --ui go with --serve")
    request = Request(given.profile, tuple(given.override), given.until, given.force)
    set_up_logging()
    if not given.serve:
        return exit_status(lambda: bring_up_to_date(request))

    def serve() -> None:
        from flows.serving import serve, serve_with_ui

        if given.ui:
            serve_with_ui(request, port=given.port, cron=given.cron, active=not given.paused)
        else:
            serve(request, cron=given.cron, active=not given.paused)

    return exit_status(serve)


if __name__ == "__main__":
    sys.exit(main())
