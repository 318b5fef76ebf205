"""Samples of inspect_ai's logs: .eval archives and their JSON form (https://inspect.aisi.org.uk/eval-logs.html)."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from plancheck.plumbing.strict_json import json_value

ZSTANDARD = 93
LOCAL_HEADER_BYTES = 30

# As inspect_ai's value_to_float reads them; anything else must be a number.
LETTER_SCORES: Final[Mapping[str, float]] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


class LogError(Exception):
    """The archive cannot be read; the text says why."""


def is_inspect_log(value: Any) -> bool:
    return isinstance(value, dict) and "eval" in value and ("samples" in value or "status" in value)


def sample_fault(sample: Any) -> str | None:
    """What keeps a value from being a sample whose record can be made; None when nothing does."""
    if not isinstance(sample, dict):
        return f"must be an object, got {type(sample).__name__}"
    scores = sample.get("scores")
    if scores is None or (isinstance(scores, dict) and all(isinstance(score, dict) for score in scores.values())):
        return None
    return "scores must be an object that holds an object for each scorer"


def sample_record(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What a comparison uses of a sample: id, epoch, metadata, and each scorer's value under the scorer's name.

    A sample that failed has no scorer's value. ``sample`` is one in which sample_fault finds nothing.
    """
    scores = {name: score.get("value") for name, score in (sample.get("scores") or {}).items()}
    return {**scores, **{name: sample[name] for name in ("id", "epoch", "metadata") if name in sample}}


def samples_of_archive(content: bytes) -> list[Any]:
    """The samples of an .eval file, in the order of the archive; their shape is not checked.

    Raises:
        LogError: it is no such archive, or an entry is damaged. What zipfile, its decompressors, PyArrow and
            json_value raise for other damage passes through.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = [info for info in archive.infolist() if info.filename.startswith("samples/")]
        if not names and "header.json" not in archive.namelist():
            raise LogError("it is a ZIP archive without samples")
        return [json_value(_entry(content, archive, info)) for info in names]


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
