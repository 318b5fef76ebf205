"""What the report was made from, without anything that names a machine, a person or a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from plancheck.plumbing.digests import digest
from plancheck.plumbing.places import portable, without_places


def parameters_text(params: Mapping[str, Any]) -> str:
    """The parameters as YAML, sections in their own order."""
    return yaml.safe_dump(without_places(params), sort_keys=False, allow_unicode=True, width=100)


def split_digest(splits: Mapping[str, Sequence[str]]) -> str:
    """SHA-256 of the sorted question IDs of each split, as canonical JSON."""
    return digest({split: sorted(ids) for split, ids in splits.items()})


def models(lock: Mapping[str, Any]) -> list[dict[str, str]]:
    """Role, name, source, revision and digest of each model in models/lock.json, by role.

    The digest is over the names and SHA-256 of the model's files, as in the keys of the cache of replies.
    """
    found = []
    for role, name in sorted(lock["roles"].items()):
        model = lock["models"][name]
        found.append(
            {
                "role": role,
                "name": portable(str(model["name"])),
                "source": str(model["source"]),
                "revision": portable(str(model["revision"])),
                "digest": digest(model["files"]),
            }
        )
    return found
