"""Stage split: train, dev and test IDs."""

import logging
from collections.abc import Sequence

from plancheck.benchmark.tables import read_questions
from plancheck.errors import StudyError
from plancheck.files import DATA, write_json
from plancheck.params.benchmark import Split
from plancheck.params.study import Params
from plancheck.records import Question
from plancheck.splits import split_questions

LOG = logging.getLogger("plancheck.split")


def run(params: Params) -> None:
    """Write data/splits.json.

    Raises:
        StudyError: the sizes do not fit, or the test questions have fewer than 2 contexts: no later stage would refuse
            them before every answer is paid for.
    """
    settings = params.split
    splits = checked_splits(read_questions(), settings)
    write_json(DATA / "splits.json", {**splits, "seed": settings.seed, "group_by": settings.group_by})
    LOG.info("%s questions", ", ".join(f"{name} {len(ids)}" for name, ids in splits.items()))


def checked_splits(questions: Sequence[Question], settings: Split) -> dict[str, list[str]]:
    """Question IDs of each split, sorted, as ``plancheck.splits`` makes them.

    Raises:
        StudyError: as ``run``.
    """
    splits = split_questions(questions, settings.sizes, seed=settings.seed, group_by=settings.group_by)
    test = set(splits["test"])
    if (found := len({question.context_group for question in questions if question.question_id in test})) < 2:
        raise StudyError(
            f"split: the test questions would have {found} context; intervals need 2 or more. Raise split.sizes.test, "
            "use more questions (benchmark.limit) or another split.seed."
        )
    return splits
