"""What a bundle says of itself, against its files: data dictionary, Croissant metadata, the lock's digest."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from plancheck.locking.preregistration import PREREGISTRATION
from plancheck.locking.record import LOCK
from plancheck.release.dictionary import HEADER, dictionary
from plancheck.release.sums import SUMS
from plancheck.verification.contracts import strict_json
from plancheck.verification.differences import Difference

DICTIONARY: Final = Path("dictionary.csv")
CROISSANT: Final = Path("croissant.json")
WORDED: Final = "meaning"  # in other words from version to version


def descriptions(sums: Mapping[str, str], schemas: Mapping[str, pa.Schema]) -> list[Difference]:
    """Where dictionary, metadata and declaration of the bundle in the current folder differ from its files.

    Args:
        sums: SHA-256 of each file but SHA256SUMS.
        schemas: the columns of its tables, by name.
    """
    return [*dictionary_differences(sums, schemas), *croissant_differences(sums), *lock_differences(sums)]


def dictionary_differences(sums: Mapping[str, str], schemas: Mapping[str, pa.Schema]) -> list[Difference]:
    """Rows of the data dictionary that are not there, or are of no file or column; their wording is not compared."""
    own = dictionary_rows(dictionary(dict.fromkeys([*sums, SUMS]), schemas))
    released = dictionary_rows(DICTIONARY.read_text(encoding="utf-8")) if DICTIONARY.name in sums else {}
    return [
        Difference(DICTIONARY.name, ", ".join(filter(None, key)), "row", released.get(key), own.get(key))
        for key in dict.fromkeys([*own, *released])
        if own.get(key) != released.get(key)
    ]


def dictionary_rows(text: str) -> dict[tuple[str, str], str]:
    """Type, nullability and key of each file and column."""
    told = [name for name in HEADER if name not in ("file", "column", WORDED)]
    return {
        (str(row.get("file")), str(row.get("column"))): ", ".join(filter(None, map(row.get, told))) or "there"
        for row in csv.DictReader(io.StringIO(text))
    }


def croissant_differences(sums: Mapping[str, str]) -> list[Difference]:
    """Tables whose SHA-256 in the metadata is not that of the file."""
    made = strict_json(CROISSANT) if CROISSANT.name in sums else {}
    entries = made.get("distribution") if isinstance(made, Mapping) else None
    listed = [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []
    released = {str(entry.get("@id")): entry.get("sha256") for entry in listed}
    own: dict[str, Any] = {name: digest for name, digest in sums.items() if name.endswith(".parquet")}
    return [
        Difference(CROISSANT.name, name, "sha256", released.get(name), own.get(name))
        for name in sorted({*own, *released})
        if own.get(name) != released.get(name)
    ]


def lock_differences(sums: Mapping[str, str]) -> list[Difference]:
    """Where what is said to be declared names another lock than the bundle's."""
    locked = LOCK.name in sums and strict_json(LOCK) != {}
    said = strict_json(PREREGISTRATION)
    released = said.get("sha256") if isinstance(said, Mapping) else said
    own = sums[LOCK.name] if locked else None
    if released == own:
        return []
    return [Difference(PREREGISTRATION.name, "", f"sha256 of {LOCK.name}", released, own)]
