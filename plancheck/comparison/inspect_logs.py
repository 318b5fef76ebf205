"""Samples of inspect_ai's logs: .eval archives and their JSON form (https://inspect.aisi.org.uk/eval-logs.html)."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

ZSTANDARD = 93
LOCAL_HEADER_BYTES = 30

# As inspect_ai's value_to_float reads them; anything else must be a number.
LETTER_SCORES: Final[Mapping[str, float]] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


class LogError(Exception):
    """The archive cannot be read; the text says why."""


def is_inspect_log(value: Any) -> bool:
    return isinstance(value, dict) and "eval" in value and ("samples" in value or "status" in value)


def sample_record(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What a comparison uses of a sample: id, epoch, metadata, and each scorer's value under the scorer's name.

    A sample that failed has no scorer's value.
    """
    scores = {name: score.get("value") for name, score in (sample.get("scores") or {}).items()}
    return {**scores, **{name: sample[name] for name in ("id", "epoch", "metadata") if name in sample}}


def samples_of_archive(content: bytes) -> list[dict[str, Any]]:
    """The samples of an .eval file, in the order of the archive.

    Raises:
        LogError: it is no such archive, or is damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [info for info in archive.infolist() if info.filename.startswith("samples/")]
            if not names and "header.json" not in archive.namelist():
                raise LogError("it is a ZIP archive without samples")
            return [json.loads(_entry(content, archive, info)) for info in names]
    except (zipfile.BadZipFile, zlib.error, pa.ArrowException, OSError, ValueError) as error:
        raise LogError(f"damaged archive: {error}") from error


def _entry(content: bytes, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of an entry; zipfile reads Zstandard from Python 3.14 on, so that is done here."""
    if info.compress_type != ZSTANDARD:
        return archive.read(info)
    header = content[info.header_offset : info.header_offset + LOCAL_HEADER_BYTES]
    start = info.header_offset + LOCAL_HEADER_BYTES + sum(int.from_bytes(header[i : i + 2], "little") for i in (26, 28))
    packed = pa.BufferReader(content[start : start + info.compress_size])
    data = bytes(pa.CompressedInputStream(packed, "zstd").read())
    if zlib.crc32(data) != info.CRC:
        raise LogError(f"damaged entry {info.filename}")
    return data
