"""The files of a run: a folder's, a release's, or those that a revision's dvc.lock names in DVC's cache."""

import configparser
import hashlib
import json
import re
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final

import yaml

from plancheck.plumbing.errors import StudyError
from plancheck.release.sums import SUMS
from plancheck.release.unpacking import copy_bundle
from plancheck.visible import in_a_line

ARCHIVES: Final = (".tar.gz", ".tgz", ".zip")
LOCK: Final = "dvc.lock"
PARAMS: Final = "params.yaml"
DVC: Final = Path(".dvc")
DIGEST: Final = re.compile(r"[0-9a-f]{32}(\.dir)?")  # as DVC's cache names a file or a folder


class Absent(Exception):
    """A run does not have a file. Its text says why, and what to do."""


class Run(ABC):
    """A run's files by their paths in the project, such as data/packed.parquet."""

    name: str
    released = False  # whether it is a release, which holds no text

    @abstractmethod
    def text(self, path: str) -> str:
        """A file that git keeps.

        Raises:
            Absent: it is not there.
        """

    @abstractmethod
    def file(self, path: str) -> Path:
        """Where an output of the study lies, which may be under another name.

        Raises:
            Absent: it is not there.
        """

    @abstractmethod
    def members(self, path: str) -> dict[str, str]:
        """A digest of each file in a folder of outputs, by its path there.

        Raises:
            Absent: the folder is not there.
        """

    def yaml(self, path: str) -> Any:
        """The value of a YAML file that git keeps.

        Raises:
            Absent: it is not there.
            StudyError: it cannot be read.
        """
        try:
            return yaml.load(self.text(path), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise StudyError(f"{path} of {self.name}: not readable as YAML ({in_a_line(str(error))}).") from error

    def json(self, path: str) -> Any:
        """The value of an output that is JSON.

        Raises:
            Absent: it is not there.
            StudyError: it cannot be read.
        """
        try:
            return json.loads(self.file(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise StudyError(f"{path} of {self.name}: not readable as JSON ({in_a_line(str(error))}).") from error


class Folder(Run):
    """A study's folder, a copy of its outputs, or a release, which holds them without their text."""

    def __init__(self, root: Path, name: str) -> None:
        self.root = root
        self.name = in_a_line(name)
        self.released = (root / SUMS).is_file()
        self.absent = "not in a release" if self.released else "not in this folder"

    def text(self, path: str) -> str:
        return self.file(path).read_text(encoding="utf-8")

    def file(self, path: str) -> Path:
        found = self.root / path
        if not found.is_file():
            raise Absent(self.absent)
        return found

    def members(self, path: str) -> dict[str, str]:
        root = self.root / path
        if not root.is_dir():
            raise Absent(self.absent)
        files = (file for file in sorted(root.rglob("*")) if file.is_file())
        return {file.relative_to(root).as_posix(): file_md5(file) for file in files}


class Revision(Run):
    """A commit of this project, or a DVC experiment; its outputs lie in DVC's cache.

    Raises:
        StudyError: git does not know it.
    """

    def __init__(self, name: str) -> None:
        self.name = in_a_line(name)
        self.commit = commit_of(name)
        self.cache = cache_folder() / "files" / "md5"
        self.outputs: dict[str, str] | None = None

    def text(self, path: str) -> str:
        found = git("show", f"{self.commit}:./{path}")
        if found is None:
            remedy = ": commit it, for it names the run's outputs" if path == LOCK else ""
            raise Absent(f"{path} is not in commit {self.commit[:12]}{remedy}")
        return found

    def file(self, path: str) -> Path:
        outputs = self.known()
        if path in outputs:
            return self.cached(path, outputs[path])
        for folder in map(str, PurePosixPath(path).parents):
            if folder in outputs:
                inside = self.members(folder)
                relative = PurePosixPath(path).relative_to(folder).as_posix()
                if relative in inside:
                    return self.cached(path, inside[relative])
        raise Absent(f"{LOCK} of this revision does not name it, for its stage had not run")

    def members(self, path: str) -> dict[str, str]:
        outputs = self.known()
        if path not in outputs:
            raise Absent(f"{LOCK} of this revision does not name it, for its stage had not run")
        cached = self.cached(path, outputs[path])
        try:
            return {
                str(entry["relpath"]): str(entry["md5"]) for entry in json.loads(cached.read_text(encoding="utf-8"))
            }
        except (ValueError, TypeError, KeyError) as error:
            raise StudyError(f"{cached}: lists no files of {path}. Delete it and run `dvc fetch`.") from error

    def known(self) -> dict[str, str]:
        """The digest of every output, by path."""
        if self.outputs is None:
            self.outputs = {
                str(out.get("path")): str(out.get("md5", ""))
                for stage in stages_of(self).values()
                for out in stage.get("outs", [])
            }
        return self.outputs

    def cached(self, path: str, md5: str) -> Path:
        found = self.cache / md5[:2] / md5[2:]
        if not DIGEST.fullmatch(md5) or not found.is_file():
            raise Absent(
                f"not in DVC's cache ({self.cache.parent.parent}): run `dvc fetch --all-commits`, or check the "
                "revision out and run `dvc pull`"
            )
        return found


def stages_of(run: Run) -> Mapping[str, Mapping[str, Any]]:
    """What dvc.lock says of each stage, in its order.

    Raises:
        Absent: the run has no dvc.lock.
        StudyError: it is none.
    """
    value = run.yaml(LOCK)
    stages = value.get("stages") if isinstance(value, dict) else None
    if not isinstance(stages, dict) or not all(isinstance(stage, dict) for stage in stages.values()):
        raise StudyError(f"{LOCK} of {run.name}: holds no stages. Check it out again, or run `dvc repro`.")
    return stages


@contextmanager
def run_named(name: str) -> Iterator[Run]:
    """The run that a name stands for: a folder or a release's archive where there is one, else a revision of this
    project. An archive is unpacked for as long as the run is read.

    Raises:
        StudyError: it is neither.
    """
    path = Path(name)
    if path.is_dir():
        yield Folder(path, name)
    elif path.is_file() and name.endswith(ARCHIVES):
        with tempfile.TemporaryDirectory(prefix="plancheck-diff-") as place:
            copy_bundle(path, Path(place))
            yield Folder(Path(place), name)
    else:
        yield Revision(name)


def commit_of(name: str) -> str:
    """The commit of a revision, or of a DVC experiment by its name.

    Raises:
        StudyError: git knows none.
    """
    if not name.startswith("-"):
        found = git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if found:
            return found.strip()
        refs = (git("for-each-ref", "--format=%(refname)", "refs/exps") or "").split()
        of_name = [ref for ref in refs if ref.split("/")[-1] == name]
        if len(of_name) > 1:
            raise StudyError(f"{in_a_line(name)}: several experiments have this name: {', '.join(of_name)}. Name one.")
        if of_name:
            return str(git("rev-parse", of_name[0])).strip()
    raise StudyError(
        f"{in_a_line(name)}: neither a folder, a release ({', '.join(ARCHIVES)}) nor a revision of this project. Name "
        "a study's folder, a git revision (as `git log` shows) or a DVC experiment (as `dvc exp show` does)."
    )


def git(*arguments: str) -> str | None:
    """What git prints, or None where it fails.

    Raises:
        StudyError: there is no git.
    """
    try:
        ended = subprocess.run(["git", *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise StudyError("git: no such program. Install it, or name folders.") from error
    return ended.stdout.decode(errors="replace") if ended.returncode == 0 else None


def cache_folder() -> Path:
    """DVC's cache of this project: .dvc/cache, or what its configuration says."""
    config = configparser.ConfigParser(interpolation=None)
    files = [DVC / "config", DVC / "config.local"]
    try:
        config.read(files, encoding="utf-8")
    except configparser.Error as error:
        raise StudyError(f"{DVC}/config: not readable ({in_a_line(str(error))}). Mend it.") from error
    return DVC / config.get("cache", "dir", fallback="cache")


def file_md5(file: Path) -> str:
    """DVC's own digest of a file. It tells files apart; nothing is trusted for it."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
