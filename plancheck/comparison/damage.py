"""What readers raise for bytes that they cannot read, as an error in words."""

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa

from plancheck.comparison.inspect_logs import LogError
from plancheck.plumbing.errors import StudyError

# What the readers raise for foreign bytes: an encrypted or unknown ZIP entry is a RuntimeError, a date outside
# Python's calendar an OverflowError, an unknown time zone a LookupError.
DAMAGE: Final = (
    LogError,
    pa.ArrowException,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)


@contextmanager
def readable(path: Path, what: str, remedy: str) -> Iterator[None]:
    """Turns what a reader raises for bytes it cannot read into a StudyError; a lack of memory stays what it is."""
    try:
        yield
    except MemoryError:  # PyArrow's is also one of its exceptions for damage
        raise
    except DAMAGE as error:
        raise StudyError(f"{path}: {what} ({str(error) or type(error).__name__}). {remedy}") from error
