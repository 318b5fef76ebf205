"""Stage retrieve as a Prefect flow: data/rankings.parquet, data/candidates.parquet, reports/retrieve.json."""

import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from prefect import flow
from prefect.utilities.annotations import quote

from flows.entry import main
from flows.progress import results
from flows.runners import task_runner
from plancheck.backends.device import pick_device
from plancheck.backends.models import locked
from plancheck.benchmark.tables import read_questions
from plancheck.params.rankings import Bm25, Dense, Ranking, Run
from plancheck.params.study import read_params
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import CANDIDATES, RANKINGS
from plancheck.retrieval.coverage import coverage
from plancheck.retrieval.runs import lacking, read_known_run
from plancheck.retrieval.silence import silence
from plancheck.retrieval.weights import counted
from plancheck.tables import in_order, read_atoms
from tasks.retrieve import Searched, retrieve_shard
from tasks.shards import shards

LOG = logging.getLogger("plancheck.retrieve")

REPORT = Path("reports/retrieve.json")
CONTEXTS_A_SHARD = 4


@flow(name="retrieve")
def retrieve() -> None:
    """Rank every atom for every question."""
    params = read_params()
    rankings, settings = params.rankings, params.retrieve
    atom_ids = read_atom_ids()
    runs = {name: read_known_run(spec.path, atom_ids) for name, spec in rankings.items() if isinstance(spec, Run)}
    encoders = {spec.model: locked(spec.model).path for spec in rankings.values() if isinstance(spec, Dense)}
    contexts = shards(sorted({question.context_id for question in read_questions()}), size=CONTEXTS_A_SHARD)
    started = time.monotonic()
    futures = [retrieve_shard.submit(shard, rankings, encoders, quote(runs), settings) for shard in contexts]
    parts = results(futures, contexts, what="retrieve: contexts")
    ranked = in_order(pa.concat_tables([part.rankings for part in parts]), "ranking", "rank")
    write_table(DATA / "rankings.parquet", ranked, RANKINGS)
    candidates = in_order(pa.concat_tables([part.candidates for part in parts]), "position")
    write_table(DATA / "candidates.parquet", candidates, CANDIDATES)
    write_json(REPORT, report(rankings, ranked, parts, {name: lacking(run, atom_ids) for name, run in runs.items()}))
    pairs, seconds = sum(map(len, atom_ids.values())), time.monotonic() - started
    LOG.info("%s pairs of question and atom ranked in %.0f s (%.1f/s)", f"{pairs:,}", seconds, pairs / seconds)


def read_atom_ids() -> dict[str, list[str]]:
    """The atom IDs of each question's context, by position."""
    atoms = read_atoms()
    return {
        question.question_id: [atom.atom_id for atom in atoms[question.context_id]] for question in read_questions()
    }


def report(
    rankings: Mapping[str, Ranking], ranked: pa.Table, parts: Sequence[Searched], runs: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """What is known of each ranking that reads something, by name; the log is told what weakens it."""
    found: dict[str, dict[str, Any]] = {}
    for name, spec in rankings.items():
        rows = ranked.filter(pc.field("ranking") == name)
        match spec:
            case Bm25():
                found[name] = counted(spec.variant, [change for part in parts for change in part.changes[name]])
            case Dense():
                truncated = dict(zip(rows["atom_id"].to_pylist(), rows["truncated"].to_pylist(), strict=True))
                found[name] = coverage(spec.coverage, truncated.values())
                share = 100 * found[name]["truncated_share"]
                LOG.info("%s: the encoder reads only the beginning of %.1f %% of the atoms", name, share)
            case Run():
                found[name] = {**runs[name]}
                LOG.info(
                    "%s: %.1f %% of the atoms, and %s questions, are not in the run; they follow by position",
                    name, 100 * found[name]["missing_share"], f"{found[name]['questions_missing']:,}",
                )  # fmt: skip
            case _:
                continue
        found[name]["kind"] = spec.kind
        if not isinstance(spec, Run):
            LOG.info(silence(name, rows))
    return found


def run() -> None:
    """Run the flow as section runtime says."""
    runner = task_runner(pick_device(read_params().retrieve.device))
    retrieve.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
