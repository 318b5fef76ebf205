"""Pinned models: what models/lock.json says of each, and the check that its files are still those."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    """

    role: str
    name: str
    revision: str
    path: Path
    digest: str


def locked(role: str, lock_path: Path = LOCK) -> LockedModel:
    """The pinned model of a role, every file's SHA-256 checked (1 GB takes about a second).

    Raises:
        StudyError: there is no lock, it lacks the role, or a file is missing, changed or not in the lock.
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
    return LockedModel(role, name, revision, folder, digest(expected))


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
