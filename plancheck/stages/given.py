"""Stage given: what users bring, read, checked and written as tables: data/given_plans.parquet."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.given.plans import GivenPlan, read_given_plans
from plancheck.params.selectors import plan_files
from plancheck.params.study import Params
from plancheck.planning.plan_rows import plan_rows
from plancheck.planning.plans import Selected
from plancheck.plumbing.files import DATA, write_table
from plancheck.records import PLANS, Atom, Question
from plancheck.tables import read_atom_ranks, read_atoms

LOG = logging.getLogger("plancheck.given")


def run(params: Params) -> None:
    """Write data/given_plans.parquet: a row for each question and selector of kind plans, and none without such.

    Raises:
        StudyError: a file cannot be read, or has faults; those of a file are listed.
    """
    files = plan_files(params.selectors)
    rows: list[dict[str, Any]] = []
    if files:
        questions = {question.question_id: question for question in read_questions()}
        contexts = read_contexts({question.context_id for question in questions.values()})
        rows = given_rows(files, questions, contexts, read_atoms())
    write_table(DATA / "given_plans.parquet", rows, PLANS)


def given_rows(
    files: Mapping[str, Path],
    questions: Mapping[str, Question],
    contexts: Mapping[str, str],
    atoms: Mapping[str, Sequence[Atom]],
) -> list[dict[str, Any]]:
    """Rows of data/given_plans.parquet, by selector as declared and question ID."""
    ranks = read_atom_ranks()
    rows = []
    for name, path in files.items():
        plans = read_given_plans(path, questions, contexts, atoms)
        tell(name, path, plans, len(questions))
        spans = {item: span for plan in plans.values() for item, span in zip(plan.atom_ids, plan.spans, strict=True)}
        selected = {question_id: selected_of(plans.get(question_id)) for question_id in questions}
        rows += plan_rows(name, selected, spans, ranks)
    return rows


def selected_of(plan: GivenPlan | None) -> Selected:
    return Selected(plan.atom_ids) if plan else Selected((), "absent")


def tell(name: str, path: Path, plans: Mapping[str, GivenPlan], questions: int) -> None:
    """Log how many plans the file gives, and warn of the questions without one."""
    mean = fmean([len(plan.spans) for plan in plans.values()] or [0])
    LOG.info("%s: %s plans of %s, %.1f atoms or spans each", path, f"{len(plans):,}", name, mean)
    if missing := questions - len(plans):
        LOG.warning(
            "%s: %s of %s questions have no plan of %s; they count as failed plans",
            path, f"{missing:,}", f"{questions:,}", name,
        )  # fmt: skip
