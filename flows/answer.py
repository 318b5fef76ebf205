"""Stage answer as a Prefect flow: data/predictions.parquet."""

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from prefect import flow

from flows.entry import main
from flows.progress import results
from flows.runners import task_runner
from plancheck.answering.asking import Answered
from plancheck.answering.rightness import is_right
from plancheck.answering.usage import write_usage
from plancheck.backends.cache import GenerationCache
from plancheck.backends.device import pick_device
from plancheck.backends.models import locked
from plancheck.benchmark.tables import read_questions
from plancheck.locking.asked import write_asked
from plancheck.params.study import read_params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, ROWS_A_GROUP, read_table, row_count, write_table
from plancheck.records import PREDICTIONS
from plancheck.tables import read_packed_contexts
from tasks.answer import answer_shard
from tasks.shards import shards

LOG = logging.getLogger("plancheck.answer")

QUESTIONS_A_SHARD = 4


@flow(name="answer")
def answer() -> None:
    """Ask the answer model every distinct prompt and give each condition its answer."""
    params = read_params()
    settings = params.answer
    model = locked("answer", served=params.models["answer"])
    questions = shards(sorted({packed.question_id for packed in read_packed_contexts()}), size=QUESTIONS_A_SHARD)
    started = time.monotonic()
    futures = [answer_shard.submit(shard, model, settings) for shard in questions]
    parts = results(futures, questions, what="answer: questions")
    answers = {answered.prompt_id: answered for part in parts for answered in part.answers}
    calls = sum(part.calls for part in parts)
    refuse_total_failure(answers.values())
    path = DATA / "predictions.parquet"
    write_table(path, prediction_rows(answers), PREDICTIONS, row_group_size=ROWS_A_GROUP)
    with GenerationCache() as cache:
        write_asked(cache.made([key for part in parts for key in part.keys]).values())
    write_usage("answer", {"answer": sum((part.usage for part in parts), Counter())}, params.models)
    LOG.info(
        "%s predictions from %s distinct prompts: %s asked, %s remembered, %s failed, in %.0f s",
        f"{row_count(path):,}", f"{len(answers):,}", f"{calls:,}", f"{len(answers) - calls:,}",
        sum(answered.failure is not None for answered in answers.values()), time.monotonic() - started,
    )  # fmt: skip
    cut_off = sum(answered.failure == "cut_off" for answered in answers.values())
    if cut_off:
        LOG.warning("%s replies ended inside the model's reasoning: raise answer.max_new_tokens", f"{cut_off:,}")


def prediction_rows(answers: dict[str, Answered]) -> Iterator[dict[str, Any]]:
    """A row for each packed context of each condition, in the order of data/packed.parquet."""
    questions = {question.question_id: question for question in read_questions()}
    conditions = read_table(DATA / "packed.parquet", columns=["question_id", "policy", "budget_chars", "packed_id"])
    for condition in (row for batch in conditions.to_batches(ROWS_A_GROUP) for row in batch.to_pylist()):
        answered = answers[condition["packed_id"]]
        question = questions[condition["question_id"]]
        yield {
            **condition,
            "letter": answered.letter,
            "gold": question.answer,
            "correct": is_right(question, answered.letter),
            "failure": answered.failure,
            "probs": answered.probabilities,
            "prompt_tokens": answered.prompt_tokens,
        }


def refuse_total_failure(answers: Iterable[Answered]) -> None:
    """One failed answer is a result; when no answer succeeded, something is wrong with the run.

    Raises:
        StudyError: every answer failed.
    """
    failures = Counter(answered.failure for answered in answers)
    if None not in failures:
        named = ", ".join(f"{count} {failure}" for failure, count in failures.most_common())
        raise StudyError(
            f"answer: not one of {failures.total()} prompts was answered ({named}). Smaller pack.budgets_chars suit a "
            "model with a short context, larger answer.max_new_tokens one that reasons first (cut_off); "
            "answer.mode=likelihood suits one that names no letter."
        )


def run() -> None:
    """Run the flow as section runtime says."""
    runner = task_runner(pick_device(read_params().answer.device))
    answer.with_options(task_runner=runner)()


if __name__ == "__main__":
    raise SystemExit(main(run))
