"""Task of stage route: the routers of one fold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.params.answer import RouterName
from plancheck.plumbing.files import DATA, read_table
from plancheck.routing.evaluation import Cases, Pair, routed
from plancheck.routing.features import answer_features
from plancheck.routing.folds import Fold
from plancheck.routing.inputs import read_answers, read_right
from tasks.retries import worth_retrying


@dataclass(frozen=True, slots=True)
class RouteSettings:
    """What is routed: the pair, the controls by tier, the policies that a single best one is chosen among, and how."""

    pair: Pair
    tiers: Mapping[str, Sequence[str]]
    policies: tuple[str, ...]
    budget_chars: int
    routers: tuple[RouterName, ...]
    seed: int


@task(
    retries=2,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="route {fold.scheme} {fold.number}",
)
def route_fold(fold: Fold, settings: RouteSettings) -> list[dict[str, Any]]:
    """Rows of data/routing.parquet for the questions that the fold tests."""
    cases = read_cases((*fold.train, *fold.test), settings)
    return routed(cases, fold, settings.pair, settings.tiers, routers=settings.routers, seed=settings.seed)


def read_cases(question_ids: Sequence[str], settings: RouteSettings) -> Cases:
    """The questions asked for, from data/router_features.parquet and data/predictions.parquet."""
    features: pd.DataFrame = read_table(DATA / "router_features.parquet").to_pandas().set_index("question_id")
    asked = sorted(question_ids)
    controls = [policy for policies in settings.tiers.values() for policy in policies]
    policies = list(dict.fromkeys((*settings.policies, *settings.pair.policies, *controls)))
    right = read_right(asked, policies, budget_chars=settings.budget_chars)
    answers = answer_features(read_answers(asked, controls, budget_chars=settings.budget_chars))
    return Cases(features.loc[asked], right, answers.loc[asked], settings.policies)
