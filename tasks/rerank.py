"""Task of stage rerank: the candidate pools of some questions ranked by the cross-encoder."""

from pathlib import Path
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.device import one_thread
from plancheck.backends.reranking import load_reranker
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.params.retrieval import Rerank
from plancheck.retrieval.reranking import rerank_pool
from plancheck.tables import read_atoms, read_candidates
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
def rerank_shard(shard: Shard, reranker: Path, settings: Rerank) -> list[dict[str, Any]]:
    """Rows of data/rerank.parquet for the shard's questions, by question and position."""
    one_thread()
    model = load_reranker(reranker, device=settings.device)
    questions = [question for question in read_questions() if question.question_id in set(shard.items)]
    pools = read_candidates(shard.items)
    atoms = read_atoms({question.context_id for question in questions})
    rows: list[dict[str, Any]] = []
    for question in sorted(questions, key=lambda question: question.question_id):
        pool = set(pools[question.question_id])
        candidates = [atom for atom in atoms[question.context_id] if atom.atom_id in pool]
        context = read_contexts([question.context_id])[question.context_id]
        rows += rerank_pool(question, context, candidates, model, batch_size=settings.batch_size)
    return rows
