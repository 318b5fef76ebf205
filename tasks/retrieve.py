"""Task of stage retrieve: every atom of some contexts ranked for their questions."""

from collections import defaultdict
from pathlib import Path

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.device import one_thread
from plancheck.backends.encoding import load_encoder
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.params.retrieval import Retrieve
from plancheck.records import Question
from plancheck.retrieval.search import Found, search_context
from plancheck.tables import read_atoms
from tasks.retries import worth_retrying
from tasks.shards import Shard


@task(
    retries=3,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="retrieve {shard.name}",
)
def retrieve_shard(shard: Shard, encoder: Path, settings: Retrieve) -> Found:
    """What retrieval finds for the questions of the shard's contexts, by context and question."""
    one_thread()
    model = load_encoder(encoder, device=settings.device, dtype=settings.dtype)
    asking: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(read_questions(), key=lambda question: question.question_id):
        asking[question.context_id].append(question)
    atoms = read_atoms(shard.items)
    found = Found([], [])
    for context_id, context in read_contexts(shard.items).items():
        part = search_context(
            asking[context_id],
            context,
            atoms[context_id],
            model,
            variant=settings.bm25.variant,
            coverage=settings.dense_coverage,
            pool_size=settings.pool_size,
            mmr_lambda=settings.mmr_lambda,
            batch_size=settings.batch_size,
        )
        found.rows.extend(part.rows)
        found.changes.extend(part.changes)
    return found
