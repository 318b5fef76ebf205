"""Stage split: train, dev and test IDs."""

import logging

from plancheck.benchmark.tables import read_questions
from plancheck.files import DATA, write_json
from plancheck.params import Params
from plancheck.splits import split_questions

LOG = logging.getLogger("plancheck.split")


def run(params: Params) -> None:
    """Write data/splits.json."""
    settings = params.split
    splits = split_questions(read_questions(), settings.sizes, seed=settings.seed, group_by=settings.group_by)
    write_json(DATA / "splits.json", {**splits, "seed": settings.seed, "group_by": settings.group_by})
    LOG.info("%s questions", ", ".join(f"{name} {len(ids)}" for name, ids in splits.items()))
