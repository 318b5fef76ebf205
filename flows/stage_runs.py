"""The runs of stages in Prefect: flows of processes of their own, tagged with the study's run that they belong to."""

import os
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import FlowRunFilter
from prefect.states import Crashed

STUDY_RUN = "PLANCHECK_STUDY_RUN"  # which run of the study a stage belongs to, where Prefect knows of one


def study_run_tags() -> list[str]:
    """The tags of this process's runs: which run of the study, if one started it."""
    return [run] if (run := os.environ.get(STUDY_RUN)) else []


def end_left(client: SyncPrefectClient, study_run: UUID) -> None:
    """Close the runs of stages that were ended with their study: Prefect would show them as running for ever."""
    left = FlowRunFilter(tags={"all_": [str(study_run)]}, state={"type": {"any_": ["PENDING", "RUNNING"]}})
    for run in client.read_flow_runs(flow_run_filter=left):
        client.set_flow_run_state(run.id, Crashed(message="The study's run ended before this stage did."), force=True)
