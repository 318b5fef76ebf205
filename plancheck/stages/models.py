"""Stage models: every role's model resolved, put under models/weights and pinned in models/lock.json."""

import shutil
from pathlib import Path
from typing import Any

from plancheck.backends.models import LOCK, WEIGHTS
from plancheck.errors import StudyError, all_problems
from plancheck.files import write_json
from plancheck.params import Params

LIBRARIES = ("gguf", "safetensors", "sentence-transformers", "tokenizers", "torch", "transformers")


def run(params: Params) -> None:
    """Fill models/weights and write models/lock.json, last: a killed run leaves no lock.

    Raises:
        StudyError: a model is not there, is not the pinned one or has no safe weights; all of them are listed.
    """
    shutil.rmtree(WEIGHTS, ignore_errors=True)
    LOCK.unlink(missing_ok=True)
    pins: dict[str, dict[str, Any]] = {}
    problems: dict[str, StudyError] = {}
    for role in ("encoder", "reranker", "planner", "answer"):
        try:
            pins[role] = pin(role, params, pins)
        except StudyError as error:
            problems.setdefault(str(error), error)
    if len(problems) == 1:
        raise next(iter(problems.values()))
    if problems:
        raise all_problems("models: not every model could be pinned:", list(problems), remedy="Then run it again.")
    lock = {
        "environment": versions(),
        "models": {Path(found["path"]).name: found for found in pins.values()},
        "roles": {role: Path(found["path"]).name for role, found in pins.items()},
    }
    write_json(LOCK, lock)
