"""What a file is by its first bytes, where it is no data file of ours: the message that says so."""

import json
from pathlib import Path
from typing import Final

from plancheck.plumbing.errors import StudyError

KINDS: Final = "a JSON array, JSON Lines or Parquet, gzipped or not"
GZIP: Final = b"\x1f\x8b"
PARQUET: Final = b"PAR1"
MARK: Final = "\ufeff"

# First bytes: what they are called, and what unpacks them.
PACKED: Final = {
    b"PK\x03\x04": ("a zip archive (or a workbook, such as .xlsx)", "unzip"),
    b"PK\x05\x06": ("an empty zip archive", "unzip"),
    b"BZh": ("compressed with bzip2", "bunzip2"),
    b"\xfd7zXZ\x00": ("compressed with xz", "unxz"),
    b"\x28\xb5\x2f\xfd": ("compressed with zstd", "unzstd"),
    b"\x04\x22\x4d\x18": ("compressed with lz4", "unlz4"),
    b"\x1f\x9d": ("compressed with compress", "uncompress"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "7z x"),
    b"Rar!": ("a RAR archive", "unrar x"),
    GZIP: ("gzipped twice", "gunzip"),
}
TAR_MARK, TAR_PLACE = b"ustar", 257
OTHERS: Final = {
    b"version https://git-lfs": "is a Git LFS pointer, not the data. Run `git lfs pull` where it came from.",
    b"ARROW1": "is an Arrow file. Write it as Parquet, such as with pandas' read_feather and to_parquet.",
    b"SQLite format 3\x00": "is an SQLite database. Export its table as JSON Lines.",
}
ENCODINGS: Final = {"utf-16": "UTF-16", "utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE"} | {
    "utf-32": "UTF-32",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}


def refuse_other_kinds(path: Path, head: bytes) -> None:
    """Name what ``head``, the first bytes of an ungzipped file, shows it to be, if that is none of KINDS.

    Raises:
        StudyError: it is a compressed file, an archive, another program's format, or JSON in another encoding.
    """
    for first, (name, tool) in PACKED.items():
        if head.startswith(first):
            raise StudyError(f"{path}: is {name}. Unpack it first (`{tool}`): it must be {KINDS}.")
    if head[TAR_PLACE:].startswith(TAR_MARK):
        raise StudyError(f"{path}: is a tar archive. Unpack it first (`tar xf`): it must be {KINDS}.")
    for first, message in OTHERS.items():
        if head.startswith(first):
            raise StudyError(f"{path}: {message}")
    encoding = ENCODINGS.get(json.detect_encoding(head))
    if encoding and head.decode(encoding, errors="ignore").lstrip(MARK).lstrip()[:1] in ("[", "{"):
        raise other_encoding(path, encoding)


def other_encoding(path: Path, encoding: str) -> StudyError:
    """That a text is in one of ENCODINGS, and how to convert it."""
    return StudyError(
        f"{path}: is {encoding} text, but must be UTF-8. Convert it: iconv -f {encoding} -t UTF-8 FILE > NEW."
    )
