"""Columns that traces and plans share: lists of atoms that a plan names."""

from collections.abc import Mapping

import pandas as pd
import pyarrow as pa

from validation.inputs import Inputs


def with_atoms(table: pa.Table) -> pd.DataFrame:
    """The table with ``atom_ids`` as tuples, how many they are (``atoms``) and how many of them came before."""
    frame = table.to_pandas()
    named = pd.Series([tuple(ids or ()) for ids in table["atom_ids"].to_pylist()], index=frame.index, dtype=object)
    return frame.assign(
        atom_ids=named,
        atoms=[len(ids) for ids in named],
        repeated=[len(ids) - len(set(ids)) for ids in named],
    )


def strangers(frame: pd.DataFrame, known: Mapping[str, frozenset[str]]) -> list[int]:
    """Of each row, how many atoms are not among those of its question in ``known``."""
    rows = zip(frame["question_id"], frame["atom_ids"], strict=True)
    return [len(set(ids) - known.get(question_id, frozenset())) for question_id, ids in rows]


def pools(inputs: Inputs) -> dict[str, frozenset[str]]:
    """The candidate pool of every question."""
    return atoms_by_question(inputs, candidates_only=True)


def atoms_by_question(inputs: Inputs, *, candidates_only: bool) -> dict[str, frozenset[str]]:
    """Atoms that retrieval ranked for a question: all of its context's, or the candidates."""
    table = inputs.tables["retrieval"].select(["question_id", "atom_id", "candidate"]).to_pandas()
    kept = table[table["candidate"]] if candidates_only else table
    return {str(question_id): frozenset(ids) for question_id, ids in kept.groupby("question_id")["atom_id"]}
