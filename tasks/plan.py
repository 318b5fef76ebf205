"""Task of stage plan: the greedy plans of some questions."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from prefect import runtime, task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.adapters import load_planner
from plancheck.backends.cache import GenerationCache
from plancheck.backends.device import one_thread
from plancheck.backends.identity import identity
from plancheck.backends.models import LockedModel
from plancheck.backends.serving import open_server
from plancheck.params.planning import Planner
from plancheck.planning import replies
from plancheck.planning.mining import Planned, greedy_plans
from plancheck.planning.served import ServedPlanner
from plancheck.plumbing.errors import StudyError
from plancheck.pools import read_pools
from tasks.retries import worth_retrying
from tasks.shards import Shard

RETRIES = 2


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter's folder and the digest of its files."""

    path: Path
    digest: str


@dataclass(frozen=True, slots=True)
class PlannedShard:
    """Plans by question ID, and what replies of a server cost: see `plancheck.answering.serving.total`."""

    plans: dict[str, Planned]
    usage: Counter[str] = field(default_factory=Counter)


@task(
    retries=RETRIES,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="plan {selector} {shard.name}",
)
def plan_shard(
    shard: Shard, selector: str, model: LockedModel, adapter: Adapter | None, settings: Planner
) -> PlannedShard:
    """A plan of each of the shard's questions; on the last try a plan that fails is a failed plan."""
    one_thread()
    if model.server is not None:
        return served_plans(shard, model, adapter, settings)
    causal = load_planner(model.path, adapter.path if adapter else None, device=settings.device, dtype=settings.dtype)
    with GenerationCache() as cache:
        planner = replies.Planner(
            causal,
            cache,
            identity(
                model.digest,
                dtype=settings.dtype,
                device=causal.device,
                adapter=adapter.digest if adapter else None,
            ),
            "",
            settings.max_new_tokens,
            errors_are_rows=(runtime.task_run.run_count or 1) > RETRIES,
        )
        return PlannedShard(greedy_plans(read_pools(shard.items), planner, settings))


def served_plans(shard: Shard, model: LockedModel, adapter: Adapter | None, settings: Planner) -> PlannedShard:
    """The plans of a served model; an adapter of it is a model of its own there, under a name of its own."""
    if adapter is not None:
        raise StudyError(
            f"models.{model.role}: is served, so the adapter in {adapter.path} cannot be laid on it here. Let "
            "the server load the adapter, and name what it calls it as model of a served role."
        )
    with GenerationCache() as cache:
        planner = ServedPlanner(open_server(model), cache, "", settings.max_new_tokens)
        return PlannedShard(greedy_plans(read_pools(shard.items), planner, settings), planner.usage)
