"""Task of stage rerank: the candidate pools of some questions ranked by a cross-encoder."""

from pathlib import Path

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.device import one_thread
from plancheck.backends.reranking import load_reranker
from plancheck.params.rankings import CrossEncoder
from plancheck.params.retrieval import Rerank
from plancheck.planning.plans import candidate_texts
from plancheck.pools import read_pools
from plancheck.records import RANKINGS
from plancheck.retrieval.reranking import rerank_pool
from tasks.retries import worth_retrying
from tasks.shards import Shard


@task(
    retries=3,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="{ranking} {shard.name}",
)
def rerank_shard(
    shard: Shard, ranking: str, reading: CrossEncoder, model: Path, settings: Rerank, snippet_chars: int | None
) -> pa.Table:
    """Rows of data/rerank.parquet for the shard's questions, by question and position.

    Args:
        shard: IDs of questions.
        ranking: its name.
        reading: what it is to read.
        model: folder of the cross-encoder.
        settings: how it is run.
        snippet_chars: characters of a candidate that the planner is shown, None for all of it.
    """
    shard.enter()
    one_thread()
    reranker = load_reranker(model, device=settings.device, dtype=settings.dtype)
    rows = []
    for pool in read_pools(shard.items):
        rows += rerank_pool(
            ranking,
            pool.question,
            pool.context,
            pool.candidates,
            candidate_texts(pool, snippet_chars=reading.chars(snippet_chars)),
            reranker,
            windows=reading.in_parts,
            batch_size=settings.batch_size,
        )
    return pa.Table.from_pylist(rows, schema=RANKINGS)
