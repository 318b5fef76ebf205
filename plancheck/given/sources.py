"""Where what a user brings comes from: the files, what they say of the systems that made them, and the prompts."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from plancheck.answering import prompt as answering
from plancheck.given.about import read_about
from plancheck.params.answer import Answer
from plancheck.params.given import ContextsFile, PredictionsFile, files_of
from plancheck.params.planning import Planner
from plancheck.params.rankings import Ranking, run_files
from plancheck.params.retrieval import Atoms
from plancheck.params.selectors import Selector, plan_files
from plancheck.planning import prompt as planning
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.places import portable

Source = tuple[str, str, Path]


def sources(
    atoms: Atoms,
    rankings: Mapping[str, Ranking],
    selectors: Mapping[str, Selector],
    contexts: Mapping[str, ContextsFile],
    predictions: Mapping[str, PredictionsFile],
) -> Iterator[Source]:
    """Section, name and file of all that users bring of systems, as declared."""
    if atoms.path:
        yield "atoms", "path", atoms.path
    named = {"rankings": run_files(rankings), "selectors": plan_files(selectors), "contexts": files_of(contexts),
             "predictions": files_of(predictions)}  # fmt: skip
    for section, files in named.items():
        for name, path in files.items():
            yield section, name, path


def source_rows(files: Iterable[Source], questions: Collection[str]) -> list[dict[str, Any]]:
    """What the report says of each file: its name, digest, and what is said of the system that made it.

    Of a path on someone's machine, such as a model's, only the last part is told.
    ``trained_on`` counts the questions that it learned from, ``trained_on_known`` those among ``questions``, by ID.
    """
    rows = []
    for section, name, path in files:
        about = read_about(path)
        told = {"system": about.name, "model": about.model, "revision": about.revision}
        rows.append(
            {
                "section": section,
                "name": name,
                "file": path.name,
                "sha256": file_sha256(path),
                **{column: said and portable(said) for column, said in told.items()},
                "trained_on": len(about.trained_on),
                "trained_on_known": len(about.learned_from(questions)),
            }
        )
    return rows


def prompt_rows(answer: Answer, planner: Planner) -> list[dict[str, str]]:
    """What the report says of the prompts: whose each is, and the name and digest of its template."""
    templates = {"answer": answering.template_of(answer), "planner": planning.template_of(planner)}
    return [{"section": section, "file": path.name, "sha256": file_sha256(path)} for section, path in templates.items()]


def refuse_test_questions(files: Iterable[Source], test: Collection[str]) -> None:
    """Refuse files whose systems learned from test questions, by what is said of the files.

    Raises:
        StudyError: there is such a file; each is named with how many test questions it learned from.
    """
    problems = []
    for section, name, path in files:
        if learned := read_about(path).learned_from(test):
            problems.append(
                f"{section}.{name}: {path} was trained on {len(learned)} test question(s), such as {learned[0]}"
            )
    if problems:
        raise all_problems(
            "What a system learned from must not test it:",
            problems,
            remedy="Train it on other questions, or list a split that keeps its training questions out of test "
            "(split.path).",
        )
