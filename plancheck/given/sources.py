"""Where what a user brings comes from: the files, what they say of the systems that made them, and the prompts."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from plancheck.answering import prompt as answering
from plancheck.given.lines import read_about
from plancheck.params.answer import Answer
from plancheck.params.given import ContextsFile, PredictionsFile, files_of
from plancheck.params.planning import Planner
from plancheck.params.rankings import Ranking, run_files
from plancheck.params.retrieval import Atoms
from plancheck.params.selectors import Selector, plan_files
from plancheck.planning import prompt as planning
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import all_problems

Source = tuple[str, str, Path]


def sources(
    atoms: Atoms,
    rankings: Mapping[str, Ranking],
    selectors: Mapping[str, Selector],
    contexts: Mapping[str, ContextsFile],
    predictions: Mapping[str, PredictionsFile],
) -> Iterator[Source]:
    """Section, name and file of all that users bring of systems, as declared. A run says nothing of who made it."""
    if atoms.path:
        yield "atoms", "path", atoms.path
    named = {"rankings": run_files(rankings), "selectors": plan_files(selectors), "contexts": files_of(contexts),
             "predictions": files_of(predictions)}  # fmt: skip
    for section, files in named.items():
        for name, path in files.items():
            yield section, name, path


def source_rows(files: Iterable[Source]) -> list[dict[str, Any]]:
    """What the report says of each file: its name, digest, and what it says of the system that made it."""
    rows = []
    for section, name, path in files:
        about = read_about(path)
        rows.append(
            {
                "section": section,
                "name": name,
                "file": path.name,
                "sha256": file_sha256(path),
                "system": about.name,
                "model": about.model,
                "revision": about.revision,
                "trained_on": len(about.trained_on),
            }
        )
    return rows


def prompt_rows(answer: Answer, planner: Planner) -> list[dict[str, str]]:
    """What the report says of the prompts: whose each is, and the name and digest of its template."""
    templates = {"answer": answering.template_of(answer), "planner": planning.template_of(planner)}
    return [{"section": section, "file": path.name, "sha256": file_sha256(path)} for section, path in templates.items()]


def refuse_test_questions(files: Iterable[Source], test: Collection[str]) -> None:
    """Refuse files whose systems learned from test questions, by what the files say themselves.

    Raises:
        StudyError: there is such a file; each is named with how many test questions it learned from.
    """
    known, problems = set(test), []
    for section, name, path in files:
        if learned := sorted(known.intersection(read_about(path).trained_on)):
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
