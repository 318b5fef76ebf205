"""SHA256SUMS: what `sha256sum --check` reads."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import StudyError, all_problems, doubled

SUMS: Final = "SHA256SUMS"
LINE: Final = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/+-]+)")


def files_of(folder: Path) -> list[str]:
    """Every file under a folder, by its path from there, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def sums_text(folder: Path) -> str:
    """A line for each file of a folder but the sums themselves, by path."""
    names = [name for name in files_of(folder) if name != SUMS]
    return "".join(f"{file_sha256(folder / name)}  {name}\n" for name in names)


def read_sums(folder: Path) -> dict[str, str]:
    """SHA-256 by file.

    Raises:
        StudyError: there are none, or a line is no sum.
    """
    try:
        lines = (folder / SUMS).read_text(encoding="ascii").splitlines()
    except FileNotFoundError as error:
        raise StudyError(f"{SUMS}: no such file. A bundle of `plancheck release` has it.") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{SUMS}: holds more than ASCII. Get the bundle anew.") from error
    found = [LINE.fullmatch(line) for line in lines]
    if wrong := [f"line {number}" for number, match in enumerate(found, start=1) if not match]:
        raise all_problems(f"{SUMS}: lines that are no sum and file:", wrong, remedy="Get the bundle anew.")
    pairs = [(match[2], match[1]) for match in found if match]
    if twice := doubled([name for name, _ in pairs]):
        raise all_problems(f"{SUMS}: files that are listed twice:", twice, remedy="Get the bundle anew.")
    return dict(pairs)


def check_sums(folder: Path, expected: Mapping[str, str]) -> None:
    """Raise a StudyError that names every file which is missing, not listed, or not what its sum says."""
    there = {name for name in files_of(folder) if name != SUMS}
    problems = [f"{name}: is missing" for name in sorted(set(expected) - there)]
    problems += [f"{name}: is not in {SUMS}" for name in sorted(there - set(expected))]
    problems += [
        f"{name}: its SHA-256 is not the one listed"
        for name in sorted(there & set(expected))
        if file_sha256(folder / name) != expected[name]
    ]
    if problems:
        raise all_problems("The files are not those that the bundle lists:", problems, remedy="Get the bundle anew.")
