"""Task of stage retrieve: every atom of some contexts ranked for their questions."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.device import one_thread
from plancheck.backends.encoding import load_encoder
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.params.rankings import Ranking
from plancheck.params.retrieval import Retrieve
from plancheck.records import CANDIDATES, RANKINGS, Question
from plancheck.retrieval.runs import Hits
from plancheck.retrieval.search import Asked, Found, search_context
from plancheck.retrieval.weights import Change
from plancheck.tables import read_atoms
from tasks.retries import worth_retrying
from tasks.shards import Shard


@dataclass(frozen=True, slots=True)
class Searched:
    """What `Found` holds of a shard, as tables: rows of Python objects take ten times as much memory."""

    rankings: pa.Table
    candidates: pa.Table
    changes: Mapping[str, list[Change | None]] = field(default_factory=dict)


@task(
    retries=3,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="retrieve {shard.name}",
)
def retrieve_shard(
    shard: Shard,
    rankings: Mapping[str, Ranking],
    encoders: Mapping[str, Path],
    runs: Mapping[str, Hits],
    settings: Retrieve,
) -> Searched:
    """What retrieval finds for the questions of the shard's contexts, by context and question.

    Args:
        shard: IDs of contexts.
        rankings: as declared.
        encoders: folder of each role that a dense ranking names.
        runs: by ranking and question, what the user's run says; of other shards' questions too.
        settings: how it is read.
    """
    shard.enter()
    one_thread()
    models = {role: load_encoder(path, device=settings.device, dtype=settings.dtype) for role, path in encoders.items()}
    asking: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(read_questions(), key=lambda question: question.question_id):
        asking[question.context_id].append(question)
    atoms = read_atoms(shard.items)
    found = Found()
    for context_id, context in read_contexts(shard.items).items():
        part = search_context(
            Asked(asking[context_id], context, atoms[context_id], models, runs),
            rankings,
            pool=settings.pool.rankings,
            pool_size=settings.pool.size,
            batch_size=settings.batch_size,
        )
        found.rows.extend(part.rows)
        found.candidates.extend(part.candidates)
        for name, changes in part.changes.items():
            found.changes.setdefault(name, []).extend(changes)
    return Searched(
        pa.Table.from_pylist(found.rows, schema=RANKINGS),
        pa.Table.from_pylist(found.candidates, schema=CANDIDATES),
        found.changes,
    )
