"""What works on the shards of a flow: threads of this process, or the workers of a Dask or Ray cluster."""

import logging
import os
from importlib.util import find_spec
from typing import Any

from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from plancheck.params.runtime import Runtime
from plancheck.params.study import read_params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.workers import workers

LOOPBACK = "127.0.0.1"


def task_runner(device: str, settings: Runtime | None = None) -> TaskRunner[Any]:
    """The runner that section runtime asks for.

    A local cluster has `workers` processes of one thread, each of which loads a model once; it listens on the loopback
    interface and ends with the flow. One that runs already has the workers that it has.

    Args:
        device: that the models run on.
        settings: None for those of params.yaml.

    Raises:
        StudyError: the library is not installed.
    """
    settings = settings or read_params().runtime
    refuse_missing(settings)
    count = workers(device)
    if settings.task_runner == "dask":
        from prefect_dask import DaskTaskRunner

        logging.getLogger("distributed").setLevel(logging.WARNING)  # it tells of every connection
        if settings.address:
            return DaskTaskRunner(address=settings.address)
        cluster = {"n_workers": count, "threads_per_worker": 1, "host": LOOPBACK, "dashboard_address": None}
        return DaskTaskRunner(cluster_kwargs=cluster)
    if settings.task_runner == "ray":
        # Both are read when Ray is imported.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        from prefect_ray import RayTaskRunner

        if settings.address:
            return RayTaskRunner(address=settings.address)
        return RayTaskRunner(init_kwargs={"num_cpus": count, "include_dashboard": False, "_node_ip_address": LOOPBACK})
    return ThreadPoolTaskRunner(max_workers=count)


def refuse_missing(settings: Runtime) -> None:
    """Raise a StudyError where the library of the task runner is not installed."""
    name = settings.task_runner
    if name != "threads" and find_spec(f"prefect_{name}") is None:
        raise StudyError(
            f"runtime.task_runner: {name} needs prefect-{name}. Run `pip install 'prefect-{name}'` beside the locked "
            "versions (docs/scaling.md), or use threads."
        )
