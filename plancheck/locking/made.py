"""What a lock says of that which stages make: models, questions and split; null before they have."""

from pathlib import Path
from typing import Any, Final

from plancheck.page.provenance import split_digest
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, read_json
from plancheck.plumbing.places import portable
from plancheck.tables import read_splits

MODELS: Final = Path("models/lock.json")
TABLES: Final = (DATA / "questions.parquet", DATA / "contexts.parquet")
SPLITS: Final = DATA / "splits.json"


def models(lock: Path = MODELS) -> dict[str, Any] | None:
    """By role what models/lock.json pins: source, name, revision and its files' digests, and of a served model what
    its server was found to be.
    """
    if not lock.exists():
        return None
    pinned = read_json(lock)
    try:
        return {role: model(pinned["models"][slug]) for role, slug in sorted(pinned["roles"].items())}
    except (AttributeError, KeyError, TypeError) as error:
        raise StudyError(f"{lock}: pins no models. Run `dvc repro models` to make them again.") from error


def model(entry: dict[str, Any]) -> dict[str, Any]:
    found = {"source": entry["source"], "name": portable(entry["name"]), "revision": portable(str(entry["revision"]))}
    served = {"server": entry["served"]["identity"]} if "served" in entry else {}
    return {**found, "files": entry["files"], **served}


def dataset() -> dict[str, str] | None:
    """SHA-256 of the tables of questions and contexts."""
    if not all(path.exists() for path in TABLES):
        return None
    return {path.as_posix(): file_sha256(path) for path in TABLES}


def split(path: Path = SPLITS) -> dict[str, Any] | None:
    """How many questions are in each split, and SHA-256 of the sorted question IDs of each, as the page shows it."""
    if not path.exists():
        return None
    splits = read_splits(path)
    return {**{name: len(ids) for name, ids in splits.items()}, "sha256": split_digest(splits)}
