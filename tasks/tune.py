"""Task of stage tune: the study's cross-encoder fine-tuned on the plans that the planner learns from."""

import importlib.metadata
import logging
from dataclasses import astuple
from pathlib import Path

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from plancheck.backends.device import pick_device
from plancheck.backends.models import LockedModel, made_once
from plancheck.backends.plan_pairs import plan_pairs
from plancheck.backends.reranker_tuning import THREADS, from_cross_encoder, tune_reranker
from plancheck.backends.reranking import load_reranker
from plancheck.backends.sft_rows import TRAIN_ROWS, read_sft_rows
from plancheck.params.planning import Tune
from plancheck.params.rankings import CrossEncoder
from plancheck.params.retrieval import Rerank
from plancheck.planning.plans import Pool, candidate_texts
from plancheck.plumbing.digests import digest
from plancheck.pools import read_pools
from plancheck.retrieval.query import query_text
from plancheck.retrieval.reranking import best_parts
from tasks.retries import worth_retrying

LOG = logging.getLogger("plancheck.tune")

LIBRARIES = ("accelerate", "safetensors", "sentence-transformers", "tokenizers", "torch", "transformers")


@task(
    retries=2,
    retry_delay_seconds=exponential_backoff(2),
    retry_jitter_factor=0.5,
    retry_condition_fn=worth_retrying,
    cache_policy=NO_CACHE,
    task_run_name="tune {reranker.name}",
)
def tune_on_plans(
    reranker: LockedModel, settings: Tune, reading: CrossEncoder, running: Rerank, snippet_chars: int | None
) -> Path:
    """The folder of the tuned cross-encoder, made at most once on a machine.

    It learns from exactly the planner's training rows: atoms of a row's plan against the rest of its question's pool,
    each atom as far as `reading` lets it be read when it is ranked. Of an atom read in parts it learns from the part
    that the untuned cross-encoder scores best.

    Args:
        reranker: the cross-encoder to tune.
        settings: of the tuning.
        reading: what the tuned cross-encoder reads.
        running: how it is run.
        snippet_chars: characters of a candidate that the planner is shown, None for all of it.
    """
    plans = {row.question_id: row.atom_ids for row in read_sft_rows(TRAIN_ROWS)}

    def texts(pool: Pool) -> list[str]:
        given = candidate_texts(pool, snippet_chars=reading.chars(snippet_chars))
        if not reading.in_parts:
            return given
        model = load_reranker(reranker.path, device=running.device, dtype=running.dtype)
        query = query_text(pool.question)
        return [part for part, _ in best_parts(query, given, model, windows=True, batch_size=running.batch_size)]

    pairs = plan_pairs(read_pools(plans), plans, texts)
    place = pick_device(running.device)

    def make(target: Path) -> None:
        LOG.info("tuning the reranker on %d pairs of %d questions", len(pairs), len(plans))
        tune_reranker(
            from_cross_encoder(reranker.path),
            pairs,
            target,
            epochs=settings.epochs,
            batch_size=settings.batch_size,
            learning_rate=settings.learning_rate,
            seed=settings.seed,
            device=place,
            remedy="Change tune.learning_rate or tune.epochs, mine more rows, or set tune.enabled=false "
            "and drop the rankings of the tuned model.",
        )

    recipe = {
        "step": "tune 1",
        "threads": THREADS,
        "base": reranker.digest,
        "pairs": digest({"pairs": [astuple(pair) for pair in pairs]}),
        "settings": settings.model_dump(mode="json", exclude={"base", "role"}),
        "device": place,
        "versions": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }
    return made_once(recipe, make)
