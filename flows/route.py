"""Stage route as a Prefect flow: data/router_features.parquet and data/routing.parquet."""

import logging
import time

from prefect import flow
from prefect.task_runners import ThreadPoolTaskRunner

from flows.entry import main
from flows.progress import results
from plancheck import records
from plancheck.params.pack import deployable, packed_tiers
from plancheck.params.rankings import CrossEncoder, scorers
from plancheck.params.study import Params, read_params
from plancheck.plumbing.files import DATA, write_table
from plancheck.plumbing.workers import workers
from plancheck.routing.evaluation import Pair, in_order, unfolded
from plancheck.routing.features import router_features
from plancheck.routing.folds import leave_one_domain_out, stratified
from plancheck.routing.inputs import read_inputs
from tasks.route import RouteSettings, read_cases, route_fold
from tasks.shards import Shard

LOG = logging.getLogger("plancheck.route")


@flow(name="route")
def route() -> None:
    """Write what is known of each question before its gold letter is, and how well routers do with it."""
    started = time.monotonic()
    params = read_params()
    settings = settings_of(params)
    selector = params.pack.policies[settings.pair.planner].selector
    scoring = scorers(params.rankings, params.tune.role)
    rerankers = [name for name, spec in scoring.items() if isinstance(spec, CrossEncoder)]
    inputs = read_inputs(settings.pair, scoring, selector=selector, budget_chars=settings.budget_chars)
    write_table(
        DATA / "router_features.parquet",
        router_features(inputs, settings.pair, list(scoring), rerankers),
        records.router_features(list(scoring), rerankers),
    )

    by_context = params.split.group_by == "context"
    folds = [
        *stratified(inputs.questions, folds=params.route.folds, by_context=by_context, seed=settings.seed),
        *leave_one_domain_out(inputs.questions, by_context=by_context),
    ]
    futures = [route_fold.submit(fold, settings) for fold in folds]
    tested = [Shard(f"{fold.scheme} {fold.number}", fold.test) for fold in folds]
    rows = [row for part in results(futures, tested, what="route: questions") for row in part]
    rows += unfolded(read_cases(inputs.questions["question_id"].tolist(), settings), settings.pair)
    write_table(DATA / "routing.parquet", in_order(rows, settings.routers), records.ROUTING)
    LOG.info(
        "%d questions routed by %d routers in %d folds in %.0f s",
        len(inputs.questions), len(settings.routers), len(folds), time.monotonic() - started,
    )  # fmt: skip


def settings_of(params: Params) -> RouteSettings:
    """The section's values; a single best policy is one of those that no known evidence went into."""
    return RouteSettings(
        pair=Pair(params.route.control, params.route.planner),
        tiers=packed_tiers(params.analyze.tiers, [*params.pack.policies, *params.contexts]),
        policies=deployable(params.pack.policies, params.selectors),
        budget_chars=params.route.budget_chars,
        routers=tuple(params.route.routers),
        seed=params.route.seed,
    )


def run() -> None:
    """Run the flow with a worker a core."""
    route.with_options(task_runner=ThreadPoolTaskRunner(max_workers=workers("cpu")))()


if __name__ == "__main__":
    raise SystemExit(main(run))
