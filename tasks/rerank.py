"""Task of stage rerank: the candidate pools of some questions ranked by the cross-encoder."""

from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.device import one_thread
from plancheck.backends.reranking import load_reranker
from plancheck.params.retrieval import Rerank
from plancheck.planning.plans import candidate_texts
from plancheck.pools import read_pools
from plancheck.retrieval.reranking import rerank_pool
from tasks.retries import worth_retrying
from tasks.shards import Shard


@task(
    retries=3,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="rerank {shard.name}",
)
def rerank_shard(shard: Shard, reranker: Path, settings: Rerank, snippet_chars: int | None) -> list[dict[str, Any]]:
    """Rows of data/rerank.parquet for the shard's questions, by question and position.

    Args:
        shard: IDs of questions.
        reranker: folder of the cross-encoder.
        settings: how it reads.
        snippet_chars: characters of a candidate that the planner is shown, None for all of it.
    """
    one_thread()
    model = load_reranker(reranker, device=settings.device, dtype=settings.dtype)
    rows: list[dict[str, Any]] = []
    for pool in read_pools(shard.items):
        rows += rerank_pool(
            pool.question,
            pool.context,
            pool.candidates,
            candidate_texts(pool, snippet_chars=settings.chars(snippet_chars)),
            model,
            windows=settings.in_parts,
            batch_size=settings.batch_size,
        )
    return rows
