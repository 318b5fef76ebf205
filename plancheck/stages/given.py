"""Stage given: what users bring, read, checked and written as tables: data/given_*.parquet."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.given.contexts import read_given_contexts
from plancheck.given.plans import GivenPlan, read_given_plans
from plancheck.given.predictions import read_given_predictions
from plancheck.given.sources import prompt_rows, source_rows, sources
from plancheck.params.given import ContextsFile, PredictionsFile
from plancheck.params.selectors import plan_files
from plancheck.params.study import Params
from plancheck.planning.plan_rows import plan_rows
from plancheck.planning.plans import Selected
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import GIVEN_CONTEXTS, GIVEN_PREDICTIONS, PLANS, Atom, Question
from plancheck.tables import read_atoms

REPORT = Path("reports/given.json")
LOG = logging.getLogger("plancheck.given")


def run(params: Params) -> None:
    """Write data/given_plans.parquet, a row for each question and selector of kind plans; data/given_contexts.parquet,
    one for each text; and data/given_predictions.parquet, one for each question and finished system.

    Raises:
        StudyError: a file cannot be read, or has faults; those of a file are listed.
    """
    files = plan_files(params.selectors)
    rows: list[dict[str, Any]] = []
    questions = {question.question_id: question for question in read_questions()}
    answers = [row for name, entry in params.predictions.items() for row in prediction_rows(name, entry, questions)]
    texts = [
        row
        for name, entry in params.contexts.items()
        for row in context_rows(name, entry, questions, params.pack.budgets_chars)
    ]
    write_table(DATA / "given_contexts.parquet", texts, GIVEN_CONTEXTS)
    write_table(DATA / "given_predictions.parquet", answers, GIVEN_PREDICTIONS)
    if files:
        contexts = read_contexts({question.context_id for question in questions.values()})
        rows = given_rows(files, questions, contexts, read_atoms())
    write_table(DATA / "given_plans.parquet", rows, PLANS)
    given = sources(params.atoms, params.rankings, params.selectors, params.contexts, params.predictions)
    brought = source_rows(given, questions)
    for row in brought:
        tell_training(row)
    write_json(REPORT, {"files": brought, "prompts": prompt_rows(params.answer, params.planner)})


def given_rows(
    files: Mapping[str, Path],
    questions: Mapping[str, Question],
    contexts: Mapping[str, str],
    atoms: Mapping[str, Sequence[Atom]],
) -> list[dict[str, Any]]:
    """Rows of data/given_plans.parquet, by selector as declared and question ID."""
    rows = []
    for name, path in files.items():
        plans = read_given_plans(path, questions, contexts, atoms)
        tell(name, path, plans, len(questions))
        spans = {item: span for plan in plans.values() for item, span in zip(plan.atom_ids, plan.spans, strict=True)}
        selected = {question_id: selected_of(plans.get(question_id)) for question_id in questions}
        rows += plan_rows(name, selected, spans)
    return rows


def context_rows(
    name: str, entry: ContextsFile, questions: Mapping[str, Question], budgets_chars: Sequence[int]
) -> list[dict[str, Any]]:
    """Rows of data/given_contexts.parquet of a policy, by question ID and budget as declared."""
    texts = read_given_contexts(entry, questions, budgets_chars)
    longer = sum(len(text) > budget for (_, budget), text in texts.items())
    LOG.info("%s: %s texts of %s, %s of them cut", entry.path, f"{len(texts):,}", name, f"{longer:,}")
    if missing := len(questions) * len(budgets_chars) - len(texts):
        LOG.warning(
            "%s: %s questions and budgets have no text of %s; nothing is shown", entry.path, f"{missing:,}", name
        )
    return [
        {
            "question_id": question_id,
            "policy": name,
            "budget_chars": budget,
            "text": texts[question_id, budget][:budget],
            "cut": len(texts[question_id, budget]) > budget,
        }
        for question_id in sorted(questions)
        for budget in budgets_chars
        if (question_id, budget) in texts
    ]


def prediction_rows(name: str, entry: PredictionsFile, questions: Mapping[str, Question]) -> list[dict[str, Any]]:
    """Rows of data/given_predictions.parquet of a system, by question ID."""
    answers = read_given_predictions(entry, questions)
    LOG.info("%s: answers of %s to %s of %s questions", entry.path, name, f"{len(answers):,}", f"{len(questions):,}")
    if missing := len(questions) - len(answers):
        LOG.warning("%s: %s questions have no answer of %s; they count as wrong", entry.path, f"{missing:,}", name)
    rows = []
    for question_id, question in sorted(questions.items()):
        found = answers.get(question_id)
        rows.append(
            {
                "question_id": question_id,
                "system": name,
                "letter": found.letter if found else None,
                "gold": question.answer,
                "correct": found is not None and found.correct,
                "failure": None if found else "absent",
            }
        )
    return rows


def selected_of(plan: GivenPlan | None) -> Selected:
    return Selected(plan.atom_ids) if plan else Selected((), "absent")


def tell_training(row: Mapping[str, Any]) -> None:
    """Warn of a system that learned from unknown questions alone: whether one is a test question cannot be said."""
    if row["trained_on"] and not row["trained_on_known"]:
        LOG.warning(
            "%s: of the %s questions that %s learned from none is in this study by its ID; whether they are test "
            "questions under other IDs is not checked", row["file"], f"{row['trained_on']:,}", row["name"],
        )  # fmt: skip


def tell(name: str, path: Path, plans: Mapping[str, GivenPlan], questions: int) -> None:
    """Log how many plans the file gives, and warn of the questions without one."""
    mean = fmean([len(plan.spans) for plan in plans.values()] or [0])
    LOG.info("%s: %s plans of %s, %.1f atoms or spans each", path, f"{len(plans):,}", name, mean)
    if missing := questions - len(plans):
        LOG.warning(
            "%s: %s of %s questions have no plan of %s; they count as failed plans",
            path, f"{missing:,}", f"{questions:,}", name,
        )  # fmt: skip
