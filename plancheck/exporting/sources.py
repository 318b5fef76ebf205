"""What exports read: the tables of earlier stages, and the questions of a split."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import yaml

from plancheck.benchmark.tables import CONTEXTS_FILE, QUESTIONS_FILE, read_questions
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA
from plancheck.records import Question
from plancheck.tables import read_splits

Split = Literal["train", "dev", "test", "all"]
GRAPH = Path("dvc.yaml")
ATOMS_FILE = DATA / "atoms.parquet"
CANDIDATES_FILE = DATA / "candidates.parquet"
SPLITS_FILE = DATA / "splits.json"
TEXTS = (QUESTIONS_FILE, CONTEXTS_FILE, ATOMS_FILE)


def chosen(split: Split, *needed: Path) -> list[Question]:
    """The questions of a split, by ID, once the files that the export needs besides are there.

    Raises:
        StudyError: files are missing, with the stages that make them, or the split has no question.
    """
    refuse_missing(QUESTIONS_FILE, *needed, *(() if split == "all" else (SPLITS_FILE,)))
    questions = sorted(read_questions(), key=lambda question: question.question_id)
    if split != "all":
        wanted = set(read_splits()[split])
        questions = [question for question in questions if question.question_id in wanted]
    if not questions:
        raise StudyError(f"--split {split}: has no question, so there is nothing to export. Choose another.")
    return questions


def refuse_missing(*files: Path) -> None:
    """Name every file that is not there yet, and what to run.

    Raises:
        StudyError: some are missing, or no study is in this folder.
    """
    missing = [file for file in files if not file.exists()]
    if not missing:
        return
    stage_of = dict(outputs())
    stages = list(dict.fromkeys(stage_of[file] for file in missing))
    raise all_problems(
        "The study has not made yet what this export needs:",
        [f"{file}, of stage {stage_of[file]}" for file in missing],
        remedy=f"Run `dvc repro {' '.join(stages)}`.",
    )


def outputs() -> Iterator[tuple[Path, str]]:
    """Every output of the study and the stage that makes it.

    Raises:
        StudyError: the folder holds no study.
    """
    try:
        stages = yaml.safe_load(GRAPH.read_text(encoding="utf-8"))["stages"]
    except FileNotFoundError as error:
        raise StudyError(f"{GRAPH}: no such file. Run inside the project's folder.") from error
    for name, stage in stages.items():
        for out in stage.get("outs", []):
            yield Path(out), name
