"""Rerank: exactly the candidate pool of every question, ranked."""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import RERANK
from validation.frames import counted, misplaced_ranks, rows_by_question, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import among, none_of, present_in, suite, unique

KEY = ["question_id", "atom_id"]
NAME = "rerank"


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    return pool_frames(inputs, NAME)


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    return pool_suites(NAME)


def pool_frames(inputs: Inputs, name: str) -> dict[str, pd.DataFrame]:
    """Of the table, rows with whether they are candidates; questions with what their rows lack."""
    rows = rerank(inputs, name)
    return {name: rows, f"{name}_by_question": by_question(inputs, rows)}


def pool_suites(name: str) -> list[ExpectationSuite]:
    return [
        suite(
            name,
            table_file(name),
            *present_in(RERANK),
            unique(KEY, "an atom is reranked once for a question"),
            among("candidate", [True], "a reranked atom is in its question's candidate pool"),
        ),
        suite(
            f"{name}_by_question",
            table_file(name),
            none_of("missing_candidates", "every candidate is reranked"),
            none_of("rerank_rank_missing", "rerank_rank holds 1 to n, each once"),
        ),
    ]


def candidates(inputs: Inputs) -> pd.DataFrame:
    """Question and atom of every candidate, each once."""
    pairs = inputs.tables["retrieval"].select([*KEY, "candidate"]).to_pandas().drop_duplicates(KEY)
    return pairs[pairs["candidate"]]


def rerank(inputs: Inputs, name: str) -> pd.DataFrame:
    frame = inputs.tables[name].to_pandas()
    pool = pd.MultiIndex.from_frame(candidates(inputs)[KEY])
    frame = frame.assign(candidate=pd.MultiIndex.from_frame(frame[KEY]).isin(pool))
    return with_records(frame, KEY)


def by_question(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: candidates not reranked, ranks not given."""
    ids = question_frame(inputs)["question_id"]
    pool = candidates(inputs).groupby("question_id").size()
    found = {
        "question_id": ids,
        "missing_candidates": counted(ids, pool) - counted(ids, rows_by_question(rows, rows["candidate"], ["atom_id"])),
        "rerank_rank_missing": counted(ids, misplaced_ranks(rows, "question_id", "rerank_rank")),
    }
    return with_records(pd.DataFrame(found), ["question_id"])
