"""Stage rerank as a Prefect flow: data/rerank.parquet, reports/rerank.json."""

from pathlib import Path

from prefect import flow

from flows.entry import main
from flows.reranking import pools_ranked, told
from flows.runners import task_runner
from plancheck.backends.device import pick_device
from plancheck.backends.models import locked
from plancheck.params.rankings import cross_encoders
from plancheck.params.study import read_params
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import RANKINGS

REPORT = Path("reports/rerank.json")


@flow(name="rerank")
def rerank() -> None:
    """Rank every question's candidate pool with each cross-encoder but the one that stage tune makes."""
    params = read_params()
    rankings = cross_encoders(params.rankings, params.tune.role, tuned=False)
    models = {role: locked(role).path for role in dict.fromkeys(reading.model for reading in rankings.values())}
    ranked = pools_ranked(rankings, models, params.rerank, params.planner.snippet_chars)
    write_table(DATA / "rerank.parquet", ranked, RANKINGS)
    write_json(REPORT, told(rankings, ranked))


def run() -> None:
    """Run the flow as section runtime says."""
    runner = task_runner(pick_device(read_params().rerank.device))
    rerank.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
