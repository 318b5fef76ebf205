"""SHA-256 of files and of plain values: what locks, recipes, cache keys and the report name things by."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's bytes, 64 hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest(value: Mapping[str, Any]) -> str:
    """SHA-256 of a mapping's canonical JSON (sorted keys, no spaces, UTF-8), 64 hex digits."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
