"""The study's tables as they are released, without their columns of text, and back with empty ones."""

from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from plancheck.answering.rightness import right_letters
from plancheck.params.rankings import CrossEncoder, scorers
from plancheck.params.study import Params
from plancheck.records import INT, STRING, TABLES, router_features, schema

# Columns that hold text of the benchmark, or of the user's own.
TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "questions": ("question", "choices"),
    "contexts": ("text",),
    "packed": ("text",),
    "given_contexts": ("text",),
}

CHOICES: Final = schema(
    choices=(INT, "how many choices the question has"),
    right=(pa.list_(STRING), "letters that are right: the gold one, and those of choices with its text"),
)

# What no two rows of a table share.
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "questions": ("question_id",),
    "contexts": ("context_id",),
    "atoms": ("atom_id",),
    "rankings": ("question_id", "ranking", "atom_id"),
    "candidates": ("question_id", "atom_id"),
    "rerank": ("question_id", "ranking", "atom_id"),
    "rerank_tuned": ("question_id", "ranking", "atom_id"),
    "packed": ("question_id", "policy", "budget_chars"),
    "predictions": ("question_id", "policy", "budget_chars"),
    "traces": ("question_id", "sample"),
    "plans": ("question_id", "selector"),
    "given_plans": ("question_id", "selector"),
    "given_contexts": ("question_id", "policy", "budget_chars"),
    "given_predictions": ("question_id", "system"),
    "router_features": ("question_id",),
    "routing": ("question_id", "scheme", "among", "router"),
}


def stored_schemas(params: Params) -> dict[str, pa.Schema]:
    """The columns of every table in data/, by name."""
    names = list(scorers(params.rankings, params.tune.role))
    rerankers = [name for name in names if isinstance(params.rankings[name], CrossEncoder)]
    return dict(TABLES) | {"router_features": router_features(names, rerankers)}


def released_schema(name: str, stored: pa.Schema) -> pa.Schema:
    """The columns of a released table: the stored ones without text; of the questions their number of choices too."""
    kept = [field for field in stored if field.name not in TEXTS.get(name, ())]
    return pa.schema([*kept, *CHOICES] if name == "questions" else kept)


def released(name: str, table: pa.Table) -> pa.Table:
    """A table as it is released."""
    kept = table.drop_columns([column for column in TEXTS.get(name, ()) if column in table.column_names])
    if name != "questions":
        return kept
    choices = [tuple(texts) for texts in table["choices"].to_pylist()]
    right = [sorted(right_letters(*pair)) for pair in zip(choices, table["answer"].to_pylist(), strict=True)]
    counts = pa.array([len(texts) for texts in choices], INT)
    return kept.append_column(CHOICES.field(0), counts).append_column(
        CHOICES.field(1), pa.array(right, CHOICES.field(1).type)
    )


def restored(name: str, table: pa.Table, stored: pa.Schema) -> pa.Table:
    """A released table in the columns that it is stored with; texts are empty."""
    lost = TEXTS.get(name, ())
    columns = []
    for field in stored:
        if field.name == "choices":
            columns.append(pa.array([[""] * count for count in table["choices"].to_pylist()], field.type))
        elif field.name in lost:
            empty = pa.scalar(None if field.nullable else "", field.type)
            columns.append(pa.repeat(empty, table.num_rows))
        else:
            columns.append(table[field.name])
    return pa.table(columns, schema=stored)
