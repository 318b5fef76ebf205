"""Rerank: exactly the candidate pool of every question, ranked."""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import RERANK
from validation.frames import counted, disordered_ranks, misplaced_ranks, rows_by_question, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import among, between, finite, none_of, present_in, suite, unique

KEY = ["question_id", "atom_id"]
NAME = "rerank"


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    return pool_frames(inputs, NAME)


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    return pool_suites(NAME)


def pool_frames(inputs: Inputs, name: str) -> dict[str, pd.DataFrame]:
    """Of the table, rows with whether they are candidates and misread; questions with what their rows lack."""
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
            finite("rerank_score"),
            between("tokens", 0, None, "tokens are not negative"),
            among("misread", [False], "truncated is what rerank.coverage makes of the atom"),
        ),
        suite(
            f"{name}_by_question",
            table_file(name),
            none_of("missing_candidates", "every candidate is reranked"),
            none_of("rerank_rank_missing", "rerank_rank holds 1 to n, each once"),
            none_of("rerank_rank_disordered", "rerank_rank follows rerank_score, ties by position"),
        ),
    ]


def candidates(inputs: Inputs) -> pd.DataFrame:
    """Question and atom of every candidate, each once."""
    pairs = inputs.tables["retrieval"].select([*KEY, "candidate"]).to_pandas().drop_duplicates(KEY)
    return pairs[pairs["candidate"]]


def positions(inputs: Inputs) -> pd.DataFrame:
    """Question, atom and the atom's position in its context, each once."""
    return inputs.tables["retrieval"].select([*KEY, "position"]).to_pandas().drop_duplicates(KEY)


def rerank(inputs: Inputs, name: str) -> pd.DataFrame:
    frame = inputs.tables[name].to_pandas()
    pool = pd.MultiIndex.from_frame(candidates(inputs)[KEY])
    frame = frame.assign(candidate=pd.MultiIndex.from_frame(frame[KEY]).isin(pool), misread=misread(inputs, frame))
    return with_records(frame, KEY)


def misread(inputs: Inputs, frame: pd.DataFrame) -> pd.Series:
    """Where ``truncated`` is not what rerank.coverage makes of the atom.

    In parts every atom is read whole. Of snippets just those are not whole whose atom is longer than the snippet. Where
    the beginning is read, what has no more tokens than another atom that the same question left whole is whole as well.
    """
    truncated = frame["truncated"].astype(bool)
    match inputs.params.rerank.coverage:
        case "windows":
            return truncated
        case "snippet":
            atoms = inputs.tables["atoms"].to_pandas().drop_duplicates("atom_id").set_index("atom_id")
            chars = frame["atom_id"].map(atoms["end"] - atoms["start"])
            return truncated != (chars > (inputs.params.planner.snippet_chars or 0))
    read_whole = frame["tokens"].where(~truncated).groupby(frame["question_id"]).transform("max")
    return truncated & (frame["tokens"] <= read_whole)


def by_question(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: candidates not reranked, ranks not given or not of the scores."""
    ids = question_frame(inputs)["question_id"]
    pool = candidates(inputs).groupby("question_id").size()
    placed = rows.merge(positions(inputs), on=KEY, how="left")
    found = {
        "question_id": ids,
        "missing_candidates": counted(ids, pool) - counted(ids, rows_by_question(rows, rows["candidate"], ["atom_id"])),
        "rerank_rank_missing": counted(ids, misplaced_ranks(rows, "question_id", "rerank_rank")),
        "rerank_rank_disordered": counted(ids, disordered_ranks(placed, "question_id", "rerank_rank", "rerank_score")),
    }
    return with_records(pd.DataFrame(found), ["question_id"])
