"""Stage split: train, dev and test IDs, by our own code or as a file lists them."""

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from plancheck.benchmark.listed_split import listed_split
from plancheck.benchmark.split_files import text_files
from plancheck.benchmark.tables import read_questions
from plancheck.params.benchmark import Split
from plancheck.params.study import Params
from plancheck.plumbing.digests import digest, file_sha256
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, write_json
from plancheck.plumbing.places import portable
from plancheck.records import Question
from plancheck.splits import split_questions

LOG = logging.getLogger("plancheck.split")


def run(params: Params) -> None:
    """Write data/splits.json.

    ``seed`` and ``source`` there say how the split was made: one of them is null.

    Raises:
        StudyError: the sizes or the listed IDs do not fit the questions, or the test questions have fewer than 2
            contexts: no later stage would refuse them before every answer is paid for.
    """
    settings = params.split
    splits = checked_splits(read_questions(), settings)
    made = {
        "seed": None if settings.listed else settings.seed,
        "source": source(settings.path) if settings.listed else None,
        "group_by": settings.group_by,
    }
    write_json(DATA / "splits.json", {**splits, **made})
    LOG.info(
        "%s questions, %s",
        ", ".join(f"{name} {len(ids)}" for name, ids in splits.items()),
        f"as {settings.path} lists them" if settings.listed else f"by seed {settings.seed}",
    )
    if not splits["dev"]:
        LOG.warning("no dev questions: the trained planner's loss is measured on none")


def source(path: Path) -> dict[str, Any]:
    """The path as params.yaml names it, outside the project its last part alone, and the SHA-256 of its bytes; of a
    folder, that of its text files' by name.
    """
    name = portable(path.as_posix())
    if path.is_dir():
        return {"path": name, "sha256": digest({f.name: file_sha256(f) for f in text_files(path)})}
    return {"path": name, "sha256": file_sha256(path)}


def checked_splits(
    questions: Sequence[Question], settings: Split, *, left_out: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Question IDs of each split, sorted: as ``plancheck.splits`` makes them, or as ``settings.path`` lists them.

    ``left_out`` are the IDs of the benchmark's other questions, which the list may name; None where they are not known
    and stage inputs has judged the list.

    Raises:
        StudyError: as ``run``.
    """
    by_context = settings.group_by == "context"
    splits = (
        listed_split(settings.path, questions, one_side=by_context, left_out=left_out) if settings.listed
        else split_questions(questions, settings.sizes, seed=settings.seed, group_by=settings.group_by)
    )  # fmt: skip
    test = set(splits["test"])
    if (found := len({question.context_group for question in questions if question.question_id in test})) < 2:
        remedy = (
            "Use more questions (benchmark.limit) or another split.path." if settings.listed
            else "Raise split.sizes.test, use more questions (benchmark.limit) or another split.seed."
        )  # fmt: skip
        raise StudyError(f"split: the test questions would have {found} context; intervals need 2 or more. {remedy}")
    return splits
