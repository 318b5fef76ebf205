"""Task of stage mine: plans sampled for some questions, each set of atoms executed once."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from prefect import runtime, task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.answering.asking import Asked
from plancheck.backends.cache import GenerationCache
from plancheck.backends.device import one_thread
from plancheck.backends.generation import load_causal_model
from plancheck.backends.identity import identity
from plancheck.backends.models import LockedModel
from plancheck.backends.serving import open_server
from plancheck.params.answer import Answer
from plancheck.params.pack import Pack
from plancheck.params.planning import Mine, Planner
from plancheck.planning import replies
from plancheck.planning.mining import Execution, Planned, executions, sample_plans
from plancheck.planning.prompt import reply_start
from plancheck.planning.served import ServedPlanner
from plancheck.planning.traces import Outcome, trace_rows
from plancheck.pools import read_pools
from plancheck.tables import PackedContext
from tasks.answer import ask_model
from tasks.retries import worth_retrying
from tasks.shards import Shard

RETRIES = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """The sections of params.yaml that decide a trace."""

    planner: Planner
    mine: Mine
    pack: Pack
    answer: Answer


@dataclass(frozen=True, slots=True)
class Mined:
    """Rows of data/traces.parquet by question and sample; how many plans and answers the models were asked for.

    ``unknown`` counts the numbers in planner replies that are no candidate's. ``usage`` is what replies of servers
    cost, by role: see `plancheck.answering.serving.total`.
    """

    rows: list[dict[str, Any]]
    plan_calls: int
    unknown: int
    answer_calls: int
    usage: dict[str, Counter[str]]


@task(
    retries=RETRIES,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="mine {shard.name}",
)
def mine_shard(shard: Shard, planner: LockedModel, answerer: LockedModel, settings: Settings) -> Mined:
    """The traces of the shard's questions; on the last try a plan or an answer that fails is a row."""
    one_thread()
    last_try = (runtime.task_run.run_count or 1) > RETRIES
    planned: dict[str, Planned] = {}
    shown: dict[str, list[Execution]] = {}
    questions = {}
    with GenerationCache() as cache:
        asked_planner = base_planner(
            planner, settings.planner, cache, begin_reply=settings.mine.begin_reply, errors_are_rows=last_try
        )
        for pool in read_pools(shard.items):
            name = pool.question.question_id
            questions[name] = pool.question
            planned[name] = sample_plans(pool, asked_planner, settings.planner, settings.mine)
            budget = settings.mine.budget_chars
            shown[name] = executions(pool, planned[name].plans, settings.pack, budget_chars=budget)
        asked = execute(shown, answerer, settings.answer, cache, errors_are_rows=last_try)
    answers = {answered.prompt_id: answered for answered in asked.answers}
    rows: list[dict[str, Any]] = []
    for name in sorted(planned):
        outcomes = {
            plan.sample: Outcome(plan.chars, answers[plan.packed_id].letter, answers[plan.packed_id].failure)
            for plan in shown[name]
        }
        rows += trace_rows(questions[name], planned[name].plans, outcomes)
    parts = planned.values()
    planning = asked_planner.usage if isinstance(asked_planner, ServedPlanner) else Counter[str]()
    return Mined(
        rows,
        sum(part.calls for part in parts),
        sum(part.unknown for part in parts),
        asked.calls,
        {"planner": planning, "answer": asked.usage},
    )


def base_planner(
    model: LockedModel, settings: Planner, cache: GenerationCache, *, begin_reply: bool, errors_are_rows: bool
) -> replies.Planner | ServedPlanner:
    if model.server is not None:
        return ServedPlanner(open_server(model), cache, reply_start(begin_reply=begin_reply), settings.max_new_tokens)
    causal = load_causal_model(model.path, device=settings.device, dtype=settings.dtype)
    return replies.Planner(
        causal,
        cache,
        identity(model.digest, dtype=settings.dtype, device=causal.device),
        reply_start(begin_reply=begin_reply),
        settings.max_new_tokens,
        errors_are_rows,
    )


def execute(
    shown: dict[str, list[Execution]],
    model: LockedModel,
    settings: Answer,
    cache: GenerationCache,
    *,
    errors_are_rows: bool,
) -> Asked:
    """An answer to each distinct packed context, asked exactly as stage answer asks."""
    distinct = {
        plan.packed_id: PackedContext(plan.packed_id, name, plan.pieces)
        for name, plans in shown.items()
        for plan in plans
    }
    return ask_model(list(distinct.values()), model, settings, cache, errors_are_rows=errors_are_rows)
