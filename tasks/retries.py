"""Which failures of a task are worth another try."""

import logging
from typing import Any

from prefect import Task
from prefect.client.schemas.objects import State, TaskRun

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.shortage import disk_full

logger = logging.getLogger("plancheck")


def worth_retrying(task: Task[..., Any], task_run: TaskRun, state: State[Any]) -> bool:
    """For ``retry_condition_fn``: no for what the user must mend first, yes (with a warning) for everything else."""
    if isinstance(state.data, StudyError) or (isinstance(state.data, BaseException) and disk_full(state.data)):
        return False
    logger.warning("%s failed and is tried again: %s", task_run.name, state.data or state.message)
    return True
