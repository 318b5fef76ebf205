"""Reading a bundle that a stranger made: a folder, .tar.gz or .zip, copied file by file within bounds."""

import gzip
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.shortage import disk_full
from plancheck.release.sums import SUMS

MOST_FILES: Final = 1_000
MOST_BYTES: Final = 1 << 30  # of all files together, unpacked
MOST_NAME: Final = 200  # characters
SPARE_BYTES: Final = 64 << 20  # unpacked, however small the archive is
MOST_RATIO: Final = 100  # of unpacked to packed bytes, beyond the spare ones
CHUNK: Final = 1 << 20
SAFE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]*(/[A-Za-z0-9_][A-Za-z0-9._+-]*)*")
REMEDY: Final = "A bundle of `plancheck release` has none. Nothing of it was used."
BROKEN: Final = (tarfile.TarError, zipfile.BadZipFile, zlib.error, gzip.BadGzipFile, EOFError, NotImplementedError,
                 RuntimeError, ValueError, OSError)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a bundle: its name, why it must not be there ("" if it may), and its bytes."""

    name: str
    wrong: str
    stream: IO[bytes] | None


def copy_bundle(bundle: Path, folder: Path) -> None:
    """Copy the files of a bundle into an empty folder: at most 1,000 files and 1 GiB, and of an archive at most 64 MiB
    and 100 times its own size.

    A name is of ASCII letters, digits and "._+-" between slashes, no part beginning with a dot; so none leads anywhere
    else. Nothing but plain files is taken. A top folder that all files are in is left out.

    Raises:
        StudyError: there is no such bundle, or it is not one.
    """
    if not bundle.exists():
        raise StudyError(f"{bundle}: no such file or folder.")
    if not bundle.is_dir() and not bundle.is_file():  # a pipe would never end
        raise StudyError(f"{bundle}: is neither a folder nor a plain file. Name a release: a folder, .tar.gz or .zip.")
    if bundle.is_dir():
        refuse_other_folder(bundle)
    packed = None if bundle.is_dir() else bundle.stat().st_size
    try:
        with opened(bundle) as members:
            copy_members(members, folder, bundle, most_bytes(packed))
    except BROKEN as error:
        if full := disk_full(error):
            raise full from error
        raise StudyError(
            f"{bundle}: cannot be read to its end as a folder, .tar.gz or .zip ({error}). Get it anew."
        ) from error
    strip_top(folder)


def refuse_other_folder(folder: Path) -> None:
    """Raise a StudyError for a folder that is no release, nor holds one alone; it names those that it holds."""
    try:
        if (folder / SUMS).is_file() or len(tops := sorted(folder.iterdir())) == 1:
            return
    except OSError as error:
        raise StudyError(f"{folder}: cannot be read ({error.strerror}).") from error
    places = [folder, *tops, folder / "release"]
    inside = [place / "bundle" for place in places] + tops
    held = [str(place) for place in dict.fromkeys(inside) if (place / SUMS).is_file()]
    told = f"It holds {', '.join(held[:3])}: name that." if held else "A bundle of `plancheck release` has it."
    raise StudyError(f"{folder}: no {SUMS} in it. {told}")


def most_bytes(packed: int | None) -> int:
    return MOST_BYTES if packed is None else min(MOST_BYTES, SPARE_BYTES + MOST_RATIO * packed)


@contextmanager
def opened(bundle: Path) -> Iterator[Iterator[Member]]:
    if bundle.is_dir():
        yield folder_members(bundle)
    elif zipfile.is_zipfile(bundle):
        with zipfile.ZipFile(bundle) as archive:
            yield zip_members(archive)
    else:
        with gzip.open(bundle) as stream:
            yield tar_members(Bounded(stream, most_bytes(bundle.stat().st_size) + CHUNK, bundle))


class Bounded:
    """A stream that refuses to give more than so many bytes: headers count, which tarfile reads into memory."""

    def __init__(self, stream: gzip.GzipFile, limit: int, bundle: Path) -> None:
        self.stream, self.left, self.bundle = stream, limit, bundle

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(min(size, CHUNK) if size >= 0 else CHUNK)
        self.left -= len(data)
        if self.left < 0:
            raise too_large(self.bundle)
        return data


def tar_members(stream: Bounded) -> Iterator[Member]:
    with tarfile.open(fileobj=stream, mode="r|", errors="surrogateescape") as archive:  # type: ignore[call-overload]
        for entry in archive:
            if entry.isdir():
                continue
            plain = entry.isreg() and not entry.issparse()
            wrong = "" if plain else "is no plain file"
            yield Member(entry.name, wrong, archive.extractfile(entry) if plain else None)
    while stream.read(CHUNK):  # to the end of the gzip, whose sum stands there
        pass


def zip_members(archive: zipfile.ZipFile) -> Iterator[Member]:
    for entry in archive.infolist():
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if entry.is_dir() and kind in (0, stat.S_IFDIR):
            continue
        if entry.orig_filename != entry.filename:  # zipfile itself cuts a name at a NUL
            yield Member(entry.orig_filename, "has another name than it shows", None)
        elif kind not in (0, stat.S_IFREG) or entry.is_dir():
            yield Member(entry.filename, "is no plain file", None)
        elif entry.flag_bits & 1:
            yield Member(entry.filename, "is encrypted", None)
        else:
            with archive.open(entry) as stream:
                yield Member(entry.filename, "", stream)


def folder_members(folder: Path) -> Iterator[Member]:
    places = [folder]
    while places:
        for entry in sorted(os.scandir(places.pop()), key=lambda entry: entry.name):
            name = Path(entry.path).relative_to(folder).as_posix()
            if entry.is_dir(follow_symlinks=False):
                places.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                yield Member(name, "is no plain file", None)
            else:
                with Path(entry.path).open("rb") as stream:
                    yield Member(name, "", stream)


def copy_members(members: Iterator[Member], folder: Path, bundle: Path, most: int) -> None:
    seen: dict[str, str] = {}
    problems: list[str] = []
    for count, member in enumerate(members, start=1):
        if count > MOST_FILES:
            raise StudyError(f"{bundle}: holds more than {MOST_FILES:,} files. {REMEDY}")
        name = member.name.removeprefix("./")
        folded = name.casefold()
        if len(name) > MOST_NAME or not SAFE.fullmatch(name):
            problems.append(f"{name!r:.100}: is no safe name")
        elif folded in seen:
            problems.append(f"{name}: comes twice" if name == seen[folded] else f"{name}: is also {seen[folded]}")
        elif member.wrong or member.stream is None:
            problems.append(f"{name}: {member.wrong}")
        elif not problems:
            most -= copied(member.stream, folder / name, most, bundle)
        seen.setdefault(folded, name)
    if problems:
        raise all_problems(f"{bundle}: is no safe bundle:", problems, remedy=REMEDY)


def copied(stream: IO[bytes], path: Path, most: int, bundle: Path) -> int:
    """Copy a stream and say how many bytes it had."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("xb") as file:
        while data := stream.read(CHUNK):
            written += len(data)
            if written > most:
                raise too_large(bundle)
            file.write(data)
    return written


def too_large(bundle: Path) -> StudyError:
    return StudyError(
        f"{bundle}: unpacks to more than {MOST_BYTES >> 20:,} MiB, or than {SPARE_BYTES >> 20} MiB and {MOST_RATIO} "
        f"times its own size. {REMEDY}"
    )


def strip_top(folder: Path) -> None:
    """Move the files of the only folder up, unless the sums are there already."""
    tops = list(folder.iterdir())
    if len(tops) == 1 and tops[0].is_dir() and (tops[0] / SUMS).is_file():
        top = tops[0].rename(folder / ".top")
        for path in top.iterdir():
            path.rename(folder / path.name)
        top.rmdir()
