"""The bytes of a results file, unpacked, and its text decoded; both are told by the content, never by the name."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pyarrow as pa

from plancheck.plumbing.errors import StudyError

KINDS = "Parquet, CSV, TSV, JSON Lines, a JSON array of objects, or an inspect_ai log"
BYTE_ORDER_MARKS: Final[Mapping[bytes, str]] = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}


def _zstandard(packed: bytes) -> bytes:
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        unpacked: bytes = stream.read()
    return unpacked


# What a packed file begins with, its name for people, and what unpacks it.
PACKINGS: Final[Mapping[bytes, tuple[str, Callable[[bytes], bytes]]]] = {
    b"\x1f\x8b": ("gzip", gzip.decompress),
    b"\x28\xb5\x2f\xfd": ("Zstandard", _zstandard),
    b"BZh": ("bzip2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
}


def content_of(path: Path) -> bytes:
    """The bytes of a file, unpacked where they are gzip, Zstandard, bzip2 or xz.

    Raises:
        StudyError: the file cannot be read, its packing is damaged, or it is packed twice.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}). Name a file of per-question results.") from error
    packing = _packing(content)
    if packing is None:
        return content
    name, unpack = packing
    try:
        content = unpack(content)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        said = str(error) or type(error).__name__
        raise StudyError(f"{path}: damaged {name} data ({said}). Write or download it again.") from error
    if inner := _packing(content):
        raise StudyError(f"{path}: is packed twice, with {name} and within it with {inner[0]}. Unpack it once.")
    return content


def text_of(path: Path, content: bytes) -> str:
    """The text of a file: UTF-8, or UTF-16 that begins with its byte order mark; the mark is left out.

    Raises:
        StudyError: the bytes are no such text.
    """
    mark, encoding = next(
        ((mark, encoding) for mark, encoding in BYTE_ORDER_MARKS.items() if content.startswith(mark)), (b"", "utf-8")
    )
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.upper().removesuffix("-LE").removesuffix("-BE")
        raise StudyError(
            f"{path}: invalid {name} at byte {error.start + len(mark)} (counted from 0). The file must be {KINDS}; "
            "save its text as UTF-8."
        ) from error
    if "\x00" in text[:100]:
        raise StudyError(f"{path}: holds NUL characters, as UTF-16 without a byte order mark does. Save it as UTF-8.")
    return text


def _packing(content: bytes) -> tuple[str, Callable[[bytes], bytes]] | None:
    return next((packing for mark, packing in PACKINGS.items() if content.startswith(mark)), None)
