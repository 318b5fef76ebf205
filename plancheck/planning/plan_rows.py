"""Rows of the tables of plans."""

from collections.abc import Mapping
from typing import Any

from plancheck.planning.plans import Selected
from plancheck.records import Span


def plan_rows(selector: str, plans: Mapping[str, Selected], spans: Mapping[str, Span]) -> list[dict[str, Any]]:
    """A selector's rows of data/plans.parquet, by question ID.

    Args:
        selector: its name.
        plans: by question.
        spans: by the ID of each atom, or span, that a plan names.
    """
    return [
        {
            "question_id": name,
            "selector": selector,
            "atom_ids": list(found.atom_ids),
            "starts": [spans[atom_id].start for atom_id in found.atom_ids],
            "ends": [spans[atom_id].end for atom_id in found.atom_ids],
            "parsed": bool(found.atom_ids),
            "failure": found.failure,
        }
        for name, found in sorted(plans.items())
    ]
