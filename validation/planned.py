"""Columns that traces and plans share: lists of atoms that a plan names."""

from collections.abc import Mapping

import pandas as pd
import pyarrow as pa

from validation.inputs import Inputs, question_frame


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
    table = inputs.tables["candidates"].to_pandas()
    return {str(question_id): frozenset(ids) for question_id, ids in table.groupby("question_id")["atom_id"]}


def atoms_by_question(inputs: Inputs) -> dict[str, frozenset[str]]:
    """The atoms of every question's context."""
    table = inputs.tables["atoms"].select(["context_id", "atom_id"]).to_pandas()
    by_context = {name: frozenset(ids) for name, ids in table.groupby("context_id")["atom_id"]}
    questions = question_frame(inputs)
    pairs = zip(questions["question_id"], questions["context_id"], strict=True)
    return {question_id: by_context.get(context_id, frozenset()) for question_id, context_id in pairs}
