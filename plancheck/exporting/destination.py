"""The file that lines are exported to."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import replacing, unwritable

STDOUT: Final = Path("-")


def write_lines(lines: Iterable[str], out: Path, *, force: bool) -> int:
    """Write lines in UTF-8, each with a line feed at its end, and return how many they are.

    A file appears whole or not at all. ``-`` is standard output; a pipe or device is written to as it is.

    Raises:
        StudyError: the file is there and ``force`` is false, it is a folder, or it cannot be written.
    """
    if out == STDOUT:
        return _put(lines, sys.stdout.buffer)
    refuse_existing(out, force=force)
    if out.exists() and not out.is_file():
        try:
            with out.open("wb") as stream:
                return _put(lines, stream)
        except OSError as error:
            raise unwritable(out, error) from error
    with replacing(out) as temporary, temporary.open("wb") as file:
        return _put(lines, file)


def refuse_existing(out: Path, *, force: bool) -> None:
    """Nothing that a user wrote is lost by a mistaken name.

    Raises:
        StudyError: a folder has the name, or a file has it and ``force`` is false.
    """
    if out.is_dir():
        raise StudyError(f"{out}: is a folder. Name a file in it.")
    if out.is_file() and not force:
        raise StudyError(f"{out}: is there already. Give --force to replace it, or another name.")


def _put(lines: Iterable[str], stream: IO[bytes]) -> int:
    count = 0
    for line in lines:
        stream.write(f"{line}\n".encode())
        count += 1
    stream.flush()
    return count
