"""Stage ``benchmark``: the questions and their contexts, from whichever source the parameters name."""

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from plancheck.answering.rightness import has_equal_choices, right_letters
from plancheck.backends.hub import download_dataset_file
from plancheck.benchmark.controlled import generate, read_lexicon
from plancheck.benchmark.groups import grouped
from plancheck.benchmark.pin import is_pin, read_pin
from plancheck.benchmark.questions import read_benchmark
from plancheck.benchmark.subset import stratified_subset
from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.benchmark.texts import Texts
from plancheck.params.benchmark import BenchmarkParams
from plancheck.params.study import Params
from plancheck.plumbing.files import write_json
from plancheck.records import Benchmark, Question

REPORT = Path("reports") / "benchmark.json"
SHOWN_IDS = 5

log = logging.getLogger("plancheck.benchmark")


def run(params: Params) -> None:
    """Write data/questions.parquet, data/contexts.parquet and reports/benchmark.json under the working directory.

    Raises:
        StudyError: the source cannot be used; nothing is written then.
    """
    settings = params.benchmark
    benchmark = grouped(limited(load(settings), settings))
    tell_equal_choices(benchmark.questions)
    write_questions(benchmark)
    write_contexts(benchmark)
    write_json(REPORT, summary(benchmark))
    log.info("%d questions over %d contexts written", len(benchmark.questions), len(benchmark.contexts))
    tell_choices(benchmark.questions)
    if alike := near_equal(benchmark):
        log.warning(
            "%d contexts differ from another only in white space at the ends of text or lines or in Unicode form; "
            "they count as %d where contexts do (split.group_by, intervals, overlap of splits)",
            sum(alike.values()),
            len(alike),
        )


def load(settings: BenchmarkParams) -> Benchmark:
    """The whole benchmark of the source."""
    path = settings.path
    if settings.source == "controlled":
        log.info("generating %d questions with the lexicon %s", settings.controlled.questions, path)
        return generate(settings.controlled, read_lexicon(path), seed=settings.seed)
    if is_pin(path):
        pin = read_pin(path)
        log.info("fetching %s of %s at %s", pin.file, pin.repo, pin.revision)
        path = download_dataset_file(pin.repo, pin.revision, pin.file, pin.sha256)
    log.info("reading %s", path)
    return read_benchmark(path, settings.columns, settings.answer_index)


def limited(benchmark: Benchmark, settings: BenchmarkParams) -> Benchmark:
    """At most ``settings.limit`` questions, and only the contexts they need."""
    if settings.limit is None:
        return benchmark
    kept = stratified_subset(benchmark.questions, limit=settings.limit, seed=settings.seed)
    log.info("keeping %d of %d questions (benchmark.limit)", len(kept), len(benchmark.questions))
    needed = {question.context_id for question in kept}
    contexts = Texts(text for context_id, text in benchmark.contexts.items() if context_id in needed)
    documents = {context_id: spans for context_id, spans in benchmark.documents.items() if context_id in needed}
    return Benchmark(questions=kept, contexts=contexts, documents=documents)


def tell_equal_choices(questions: Sequence[Question]) -> None:
    """Warn of questions of which two choices are equal, for an answer to them says less than others."""
    equal = [question.question_id for question in questions if has_equal_choices(question)]
    if equal:
        more = f" and {len(equal) - SHOWN_IDS} more" if len(equal) > SHOWN_IDS else ""
        log.warning(
            "%d question(s) have choices that are equal but for white space, case and Unicode form: %s%s. The text of "
            "the gold choice stands under another letter too in %d of them: there both letters count as right.",
            len(equal), ", ".join(equal[:SHOWN_IDS]), more, sum(map(has_gold_twice, questions)),
        )  # fmt: skip


def tell_choices(questions: Sequence[Question]) -> None:
    """Say how many choices questions have, where they differ: a missing choice must not pass unseen."""
    counts = choice_counts(questions)
    if len(counts) > 1:
        told = ", ".join(f"{questions} have {choices}" for choices, questions in counts.items())
        log.info("questions differ in their number of choices: %s", told)


def choice_counts(questions: Sequence[Question]) -> dict[int, int]:
    """Questions by their number of choices, ascending."""
    return dict(sorted(Counter(len(question.choices) for question in questions).items()))


def has_gold_twice(question: Question) -> bool:
    return len(right_letters(question.choices, question.answer)) > 1


def summary(benchmark: Benchmark) -> dict[str, Any]:
    """What the benchmark holds: counts, and lengths of the distinct contexts in characters.

    Contexts that are nearly equal (benchmark/groups.py) count as shared.
    ``choices`` counts questions by their number of choices, ``evidence`` those that name theirs.
    ``equal_choices`` counts the questions with choices that match, and those whose gold text stands twice.
    """
    lengths = [len(text) for text in benchmark.contexts.values()]
    groups = Counter(question.context_group for question in benchmark.questions)
    shared = [size for size in groups.values() if size > 1]
    alike = near_equal(benchmark)
    return {
        "questions": len(benchmark.questions),
        "choices": choice_counts(benchmark.questions),
        "evidence": sum(question.evidence is not None for question in benchmark.questions),
        "contexts": len(benchmark.contexts),
        "domains": dict(Counter(question.domain for question in benchmark.questions)),
        "context_chars": {"min": min(lengths), "median": median(lengths), "max": max(lengths)},
        "shared_contexts": {"groups": len(shared), "questions": sum(shared)},
        "near_equal_contexts": {"groups": len(alike), "contexts": sum(alike.values())},
        "equal_choices": {
            "questions": sum(map(has_equal_choices, benchmark.questions)),
            "with_gold": sum(map(has_gold_twice, benchmark.questions)),
        },
    }


def near_equal(benchmark: Benchmark) -> dict[str, int]:
    """Contexts of each group that has several."""
    group_of = {question.context_id: question.context_group for question in benchmark.questions}
    return {group: size for group, size in Counter(group_of.values()).items() if size > 1}
