"""Typed readers of the tables between the stages."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA, among, read_json, read_table
from plancheck.records import SPLITS, Atom, Piece


def read_atoms(context_ids: Collection[str] | None = None) -> dict[str, tuple[Atom, ...]]:
    """Atoms by context, in order of position; of every context when ``context_ids`` is None."""
    filters = None if context_ids is None else among("context_id", context_ids)
    found: dict[str, list[tuple[int, Atom]]] = defaultdict(list)
    for row in read_table(DATA / "atoms.parquet", filters=filters).to_pylist():
        position = row.pop("position")
        found[row["context_id"]].append((position, Atom(**row)))
    return {
        context_id: tuple(atom for _, atom in sorted(rows, key=lambda row: row[0]))
        for context_id, rows in found.items()
    }


def read_candidates(question_ids: Collection[str]) -> dict[str, list[str]]:
    """The candidate pool's atom IDs by question, by position."""
    table = read_table(DATA / "candidates.parquet", filters=among("question_id", question_ids))
    pools: dict[str, list[str]] = {question_id: [] for question_id in question_ids}
    for row in in_order(table, "position").to_pylist():
        pools[row["question_id"]].append(row["atom_id"])
    return pools


def in_order(table: pa.Table, *columns: str) -> pa.Table:
    """The rows of a table by question and then by columns, least first."""
    return table.sort_by([(column, "ascending") for column in ("question_id", *columns)])


@dataclass(frozen=True, slots=True)
class PackedContext:
    """A distinct packed context: pieces of a question's context, or a text of the user's own."""

    packed_id: str
    question_id: str
    pieces: tuple[Piece, ...]
    text: str | None = None


PLAN_FILES = (DATA / "plans.parquet", DATA / "given_plans.parquet")


def read_plan_rows(columns: Sequence[str]) -> list[dict[str, Any]]:
    """The columns of every plan, those of the study's selectors first, then those that files give."""
    return [row for path in PLAN_FILES for row in read_table(path, columns=columns).to_pylist()]


def read_packed_contexts(question_ids: Collection[str] | None = None) -> list[PackedContext]:
    """Each distinct packed context of these questions (None: of all) once, by question and ID."""
    table = read_table(
        DATA / "packed.parquet",
        columns=["packed_id", "question_id", "atom_ids", "starts", "ends", "text"],
        filters=None if question_ids is None else among("question_id", question_ids),
    ).to_pylist()
    distinct = {
        row["packed_id"]: PackedContext(
            row["packed_id"],
            row["question_id"],
            tuple(map(Piece, row["atom_ids"], row["starts"], row["ends"])),
            row["text"],
        )
        for row in table
    }
    return sorted(distinct.values(), key=lambda packed: (packed.question_id, packed.packed_id))


def read_splits(path: Path = DATA / "splits.json") -> dict[str, list[str]]:
    """The question IDs of train, dev and test.

    Raises:
        StudyError: the file is missing or lacks a split, a split is no list of IDs, or a question is in two of them.
    """
    value = read_json(path)
    if not isinstance(value, dict):
        raise StudyError(f"{path}: holds no mapping of splits. Run `dvc repro -f split`.")
    for split in SPLITS:
        ids = value.get(split)
        if not isinstance(ids, list) or not all(isinstance(question_id, str) for question_id in ids):
            raise StudyError(f"{path}: {split!r} must be a list of question IDs. Run `dvc repro -f split`.")
    splits: dict[str, list[str]] = {split: value[split] for split in SPLITS}
    counts = Counter(question_id for ids in splits.values() for question_id in ids)
    if doubled := sorted(question_id for question_id, count in counts.items() if count > 1):
        raise all_problems(f"{path}: questions in two splits:", doubled, remedy="Run `dvc repro -f split`.")
    return splits
