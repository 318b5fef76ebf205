"""Pinned models: what models/lock.json says of each, and the check that its files are still those."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plancheck.params.models import ServedModel
from plancheck.params.section import Section
from plancheck.plumbing.digests import digest, file_sha256
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import read_json, replacing

LOCK = Path("models/lock.json")
WEIGHTS = Path("models/weights")
MADE = Path(".plancheck/models")
REMEDY = "Run `dvc repro models` to make them again."


@dataclass(frozen=True, slots=True)
class LockedModel:
    """A model whose files are those of the lock.

    Attributes:
        role: answer, planner, encoder or reranker.
        name: package, repository or folder it came from.
        revision: immutable: version, commit hash or digest.
        path: folder in Transformers' format; load it from here only.
        digest: SHA-256 over the names and SHA-256 of its files, 64 hex digits.
        server: where a served model is; None for one whose weights are in ``path``. Then ``path`` holds at most the
            tokenizer.
        identity: of a served model, what its server was found to be: canonical JSON, part of every key.
    """

    role: str
    name: str
    revision: str
    path: Path
    digest: str
    server: ServedModel | None = None
    identity: str = ""


def locked(role: str, lock_path: Path = LOCK, *, served: Section | None = None) -> LockedModel:
    """The pinned model of a role, every file's SHA-256 checked (1 GB takes about a second).

    Args:
        served: the role's model in the parameters, where it may be a served one.

    Raises:
        StudyError: there is no lock, it lacks the role, or a file is missing, changed or not in the lock; or the model
            is served and ``served`` is not.
    """
    lock = read_json(lock_path)
    try:
        model = lock["models"][lock["roles"][role]]
        folder = lock_path.parent / model["path"]
        expected: dict[str, str] = model["files"]
        name, revision = model["name"], model["revision"]
    except (KeyError, TypeError) as error:
        raise StudyError(f"{lock_path}: pins no model for role {role}. {REMEDY}") from error
    found = file_digests(folder)
    problems = [
        *(f"{folder / file}: missing" for file in expected.keys() - found.keys()),
        *(f"{folder / file}: not in the lock" for file in found.keys() - expected.keys()),
        *(f"{folder / file}: changed" for file in expected.keys() & found.keys() if found[file] != expected[file]),
    ]
    if problems:
        raise all_problems(
            f"{lock_path}: the files of role {role} are not those it pins:", sorted(problems), remedy=REMEDY
        )
    if "served" not in model:
        return LockedModel(role, name, revision, folder, digest(expected))
    if not isinstance(served, ServedModel):
        raise StudyError(
            f"models.{role}: is served, and what is asked of it here needs its weights in this process. Give "
            "the role a model of source wheel, hub or path."
        )
    if served.model != name:
        raise StudyError(f"{lock_path}: pins {name!r} for role {role}, params.yaml names {served.model!r}. {REMEDY}")
    found_to_be = json.dumps(model["served"]["identity"] | {"tokenizer": digest(expected)}, sort_keys=True)
    return LockedModel(role, name, revision, folder, digest(expected), served, found_to_be)


def is_served(role: str, lock_path: Path = LOCK) -> bool:
    """Whether a server runs the pinned model of a role, so that its weights are not here."""
    try:
        lock = read_json(lock_path)
        return "served" in lock["models"][lock["roles"][role]]
    except (KeyError, TypeError) as error:
        raise StudyError(f"{lock_path}: pins no model for role {role}. {REMEDY}") from error


def file_digests(folder: Path) -> dict[str, str]:
    """SHA-256 by relative path, for every file under ``folder``, sorted; empty when there is no folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): file_sha256(path) for path in paths}


def made_once(recipe: Mapping[str, Any], make: Callable[[Path], None]) -> Path:
    """The folder that ``make`` wrote for this recipe, made now or by an earlier run on this machine.

    DVC empties a stage's outputs before it runs; what takes long to compute is therefore kept beside them.

    Args:
        recipe: everything that decides the folder's content: inputs' digests, settings, library versions.
        make: writes the folder at the path it is given.
    """
    folder = MADE / digest(recipe)[:32]
    if not folder.is_dir():
        with replacing(folder) as temporary:
            make(temporary)
    return folder
