"""Stage leakage: what test questions share with all that was learned from: reports/leakage.json, without any text."""

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plancheck.benchmark.controlled import generate_others
from plancheck.benchmark.tables import each_context, read_questions
from plancheck.given.about import read_about
from plancheck.given.sources import sources
from plancheck.leakage.audit import Alike, Learned, between_splits
from plancheck.leakage.contexts import ContextPairs, context_pairs
from plancheck.leakage.likeness import Likeness
from plancheck.leakage.questions import question_pairs
from plancheck.leakage.report import report
from plancheck.params.leakage import Leakage
from plancheck.params.models import TunedModel
from plancheck.params.study import Params
from plancheck.plumbing.files import DATA, write_json
from plancheck.records import Benchmark, Question
from plancheck.tables import read_splits

LOG = logging.getLogger("plancheck.leakage")

REPORT = Path("reports/leakage.json")


def run(params: Params) -> None:
    """Write reports/leakage.json.

    Raises:
        StudyError: a file is missing or damaged.
    """
    questions, splits, others = read_questions(), read_splits(), generated(params)
    alike, contexts = compared(questions, others, params.split.leakage)
    learned = [
        *between_splits(splits),
        *rows_learned(tuned=params.tune.enabled),
        *files_learned(params, questions),
        *(Learned(name, [one.question_id for one in found.questions]) for name, found in others.items()),
    ]
    made = report(questions, splits, params.split, learned, alike, contexts)
    write_json(REPORT, made)
    tell(made)


def generated(params: Params) -> dict[str, Benchmark]:
    """The questions that rerankers of our own making learned from, by the model's place in the parameters."""
    return {
        f"models.{role}": generate_others(params.benchmark.controlled, questions=model.questions, seed=model.seed)
        for role, model in params.models.items()
        if isinstance(model, TunedModel)
    }


def compared(
    questions: Sequence[Question], others: Mapping[str, Benchmark], settings: Leakage
) -> tuple[Alike, ContextPairs]:
    """Questions and contexts of the study and of ``others``, each with every other."""
    texts = {name: text for benchmark in others.values() for name, text in benchmark.contexts.items()}
    stored = sorted({question.context_id for question in questions})
    known = {question.question_id: question for benchmark in others.values() for question in benchmark.questions}
    known |= {question.question_id: question for question in questions}

    def read(ids: Sequence[str]) -> Iterator[str]:
        own = set(stored)
        from_file = each_context([name for name in ids if name in own])
        return (next(from_file) if name in own else texts[name] for name in ids)

    contexts = context_pairs(
        [*stored, *sorted(set(texts) - set(stored))],
        read,
        size=settings.context_words,
        one_in=settings.sample,
        thresholds=Likeness(settings.jaccard, settings.containment),
    )
    pairs = question_pairs(list(known.values()), size=settings.question_words, threshold=settings.question_jaccard)
    return Alike(known, contexts.pairs, pairs), contexts


def rows_learned(*, tuned: bool) -> Iterator[Learned]:
    """The questions whose plans the planner, and the matched-supervision control, learned from: data/sft.

    The control's pairs are of the rows of train, and of no others.
    """
    ids = {}
    for split in ("train", "dev"):
        with (DATA / "sft" / f"{split}.jsonl").open(encoding="utf-8") as lines:
            ids[split] = [json.loads(line)["question_id"] for line in lines if line.strip()]
        yield Learned(f"data/sft/{split}.jsonl", ids[split])
    if tuned:
        yield Learned("tune", ids["train"])


def files_learned(params: Params, questions: Sequence[Question]) -> Iterator[Learned]:
    """What files of the user's say that their systems learned from; none for a file that says nothing."""
    known = [question.question_id for question in questions]
    for section, name, path in sources(
        params.atoms, params.rankings, params.selectors, params.contexts, params.predictions
    ):
        about = read_about(path)
        if about.trained_on:
            ids = about.learned_from(known)
            yield Learned(f"{section}.{name}", ids, unknown=len(set(about.trained_on)) - len(ids))


def tell(made: Mapping[str, Any]) -> None:
    """Say how many test questions share something, with what, and where the rest is."""
    test = made["test"]
    if not test["concerned"]:
        LOG.info("No test question shares an ID, a context or a wording with what was learned from: %s", REPORT)
        return
    LOG.warning(
        "%s of %s test questions share something with what was learned from. Stage analyze repeats the ladder without "
        "them, and %s names them; split.group_by=context keeps equal contexts on one side.",
        f"{len(test['concerned']):,}",
        f"{test['questions']:,}",
        REPORT,
    )
