"""Stage tune as a Prefect flow: models/reranker_tuned, data/rerank_tuned.parquet."""

import logging
import shutil
from pathlib import Path

from prefect import flow

from flows.entry import main
from flows.reranking import pools_ranked, told
from flows.runners import task_runner
from plancheck.backends.device import pick_device
from plancheck.backends.models import locked
from plancheck.params.rankings import cross_encoders
from plancheck.params.study import read_params
from plancheck.plumbing.files import DATA, replacing, write_table
from plancheck.records import RANKINGS
from tasks.tune import tune_on_plans

LOG = logging.getLogger("plancheck.tune")

MODEL = Path("models/reranker_tuned")


@flow(name="tune")
def tune() -> None:
    """Tune a cross-encoder on the planner's own supervision and rank every pool with it; nothing without a ranking."""
    params = read_params()
    rankings = cross_encoders(params.rankings, params.tune.role, tuned=True)
    if not rankings:
        with replacing(MODEL) as temporary:
            temporary.mkdir()
        write_table(DATA / "rerank_tuned.parquet", [], RANKINGS)
        LOG.info("nothing to do: no ranking has model %s", params.tune.role)
        return
    settings, shown = params.rerank, params.planner.snippet_chars
    reading = next(iter(rankings.values()))  # they read alike
    made = tune_on_plans(locked(params.tune.base), params.tune, reading, settings, shown)
    with replacing(MODEL) as temporary:
        shutil.copytree(made, temporary)
    ranked = pools_ranked(rankings, {params.tune.role: MODEL.resolve()}, settings, shown)
    write_table(DATA / "rerank_tuned.parquet", ranked, RANKINGS)
    told(rankings, ranked)


def run() -> None:
    """Run the flow as section runtime says."""
    runner = task_runner(pick_device(read_params().rerank.device))
    tune.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
