"""Everything that a locked run holds fast, as it is now."""

import re
from importlib import metadata
from pathlib import Path
from platform import python_version
from typing import Any, Final

from plancheck.answering import prompt as answering
from plancheck.benchmark.split_files import text_files
from plancheck.given.about import beside
from plancheck.given.sources import sources
from plancheck.locking.declaration import parameters
from plancheck.locking.machine import machine, switches
from plancheck.locking.made import dataset, models, split
from plancheck.params.models import PathModel
from plancheck.params.study import Params
from plancheck.planning import prompt as planning
from plancheck.plumbing.digests import digest, file_sha256
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.places import portable

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("plancheck", "flows", "tasks", "validation")
VERSIONS: Final = Path("requirements.lock")
GIVEN: Final = Path("given")


def state(params: Params) -> dict[str, Any]:
    """By section, in the order in which stages read them; null for what a stage is yet to make.

    The same study on the same machine has the same state, wherever its folder is. No model's weights are read: stages
    check them against models/lock.json themselves.

    Raises:
        StudyError: requirements.lock, or a file that the parameters name, is not there; or what a stage made is
            damaged.
    """
    prompts, files = prompt_files(params), user_files(params)
    return {
        "parameters": parameters(params),
        "prompts": {name: {"file": shown(path), "sha256": content(path)} for name, path in prompts.items()},
        "files": {shown(path): content(path) for path in files},
        "code": code(ROOT, besides=[*prompts.values(), *files]),
        "packages": packages(VERSIONS),
        "machine": machine(),
        "switches": switches(),
        "models": models(),
        "dataset": dataset(),
        "split": split(),
    }


def prompt_files(params: Params) -> dict[str, Path]:
    """The templates in use."""
    return {"answer": answering.template_of(params.answer), "planner": planning.template_of(params.planner)}


def user_files(params: Params) -> list[Path]:
    """The benchmark's file, a listed split's, what is given of systems, and adapters in given/; sorted."""
    brought = sources(params.atoms, params.rankings, params.selectors, params.contexts, params.predictions)
    found = {params.benchmark.path}
    for _, _, path in brought:
        found |= {path, beside(path)} if beside(path).exists() else {path}
    if params.split.listed:
        found.add(params.split.path)
    # Other folders of models are large, and stage models copies them: their digests are in section models.
    found |= {spec.path for spec in params.models.values() if isinstance(spec, PathModel) and in_given(spec.path)}
    return sorted(found)


def in_given(path: Path) -> bool:
    return not path.is_absolute() and path.parts[:1] == GIVEN.parts


def shown(path: Path) -> str:
    """A path as the lock names it: in the project as it is there, and of any other only the last part."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else portable(path.as_posix())


def content(path: Path) -> str | None:
    """SHA-256 of a file; of a folder's files by name, for a split its text files; null where there is nothing."""
    if path.is_dir():
        files = [file for file in path.rglob("*") if file.is_file()] if in_given(path) else text_files(path)
        return digest({file.relative_to(path).as_posix(): file_sha256(file) for file in files})
    return file_sha256(path) if path.is_file() else None


def code(root: Path, *, besides: list[Path]) -> dict[str, str]:
    """SHA-256 of each file of the packages that lie in ``root``, which are those that run, but for some files."""
    others = {path.resolve() for path in besides}
    files = (path for package in PACKAGES for path in sorted((root / package).rglob("*")))
    return {
        path.relative_to(root).as_posix(): file_sha256(path)
        for path in files
        if path.is_file() and "__pycache__" not in path.parts and path.resolve() not in others
    }


def packages(pinned: Path) -> dict[str, str | None]:
    """The installed version of Python, and of each package that requirements.lock names; null where it is missing."""
    try:
        lines = pinned.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{pinned}: not readable ({error}). Run inside the project's folder.") from error
    names = [found[0] for line in lines if (found := re.match(r"[A-Za-z0-9][\w.-]*", line))]
    return {"python": python_version()} | {name: installed(name) for name in names}


def installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
