"""The code that a page is made by: what tells a picture of an earlier page from one of today's."""

from pathlib import Path
from typing import Final

from plancheck.plumbing.digests import digest, file_sha256

HERE: Final = Path(__file__).parent
SUFFIXES: Final = (".py", ".html", ".css", ".js")


def code_sha256() -> str:
    """SHA-256 over the names and bytes of the package's modules, template, style and script, 64 hex digits."""
    files = sorted(path for path in HERE.rglob("*") if path.suffix in SUFFIXES)
    return digest({path.relative_to(HERE).as_posix(): file_sha256(path) for path in files})
