"""Retrieval: every atom of a question's context once, ranks that are permutations, a pool within its size."""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.records import RETRIEVAL
from validation.frames import counted, disordered_ranks, misplaced_ranks, rows_by_question, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import between, equal, finite, none_of, present, present_in, suite, unique

RANKS = ("bm25_rank", "dense_rank", "mmr_rank")
SCORES = {"bm25_rank": "bm25_score", "dense_rank": "dense_score"}  # ranks are made of the scores as they are written


def frames(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Rows with what their question and atom say of themselves; questions with what their rows lack."""
    rows = retrieval(inputs)
    return {"retrieval": rows, "retrieval_by_question": by_question(inputs, rows)}


def suites(inputs: Inputs) -> list[ExpectationSuite]:
    file = table_file("retrieval")
    pool = inputs.params.retrieve.pool_size
    return [
        suite(
            "retrieval",
            file,
            *present_in(RETRIEVAL),
            *present("question_context", "atom_context"),
            unique(["question_id", "atom_id"], "an atom is ranked once for a question"),
            equal("question_context", "atom_context", "an atom is of its question's context"),
            equal("position", "atom_position", "position is the atom's"),
            finite("bm25_score"),
            between("dense_score", -1, 1, "a cosine is in [-1, 1]"),
            between("tokens", 0, None, "tokens are not negative"),
        ),
        suite(
            "retrieval_by_question",
            file,
            none_of("missing_atoms", "every atom of the question's context is ranked"),
            *(none_of(f"{rank}_missing", f"{rank} holds 1 to n, each once") for rank in RANKS),
            *(
                none_of(f"{rank}_disordered", f"{rank} follows {score}, ties by position")
                for rank, score in SCORES.items()
            ),
            between("candidates", 1, pool, f"the candidate pool holds 1 to {pool} atoms (retrieve.pool_size)"),
        ),
    ]


def retrieval(inputs: Inputs) -> pd.DataFrame:
    """One row a question and atom, with the contexts of both and the atom's own position."""
    frame = inputs.tables["retrieval"].to_pandas()
    questions = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")
    atoms = inputs.tables["atoms"].to_pandas().drop_duplicates("atom_id").set_index("atom_id")
    frame = frame.assign(
        question_context=frame["question_id"].map(questions["context_id"]),
        atom_context=frame["atom_id"].map(atoms["context_id"]),
        atom_position=frame["atom_id"].map(atoms["position"]),
    )
    return with_records(frame, ["question_id", "atom_id"])


def by_question(inputs: Inputs, rows: pd.DataFrame) -> pd.DataFrame:
    """One row a question: atoms not ranked, ranks not given or not of the scores, atoms in the candidate pool."""
    questions = question_frame(inputs)
    ids = questions["question_id"]
    atoms = inputs.tables["atoms"].to_pandas().groupby("context_id").size()
    own = rows_by_question(rows, rows["question_context"] == rows["atom_context"], ["atom_id"])
    found = {
        "question_id": ids,
        "missing_atoms": counted(questions["context_id"], atoms) - counted(ids, own),
        **{f"{rank}_missing": counted(ids, misplaced_ranks(rows, "question_id", rank)) for rank in RANKS},
        **{
            f"{rank}_disordered": counted(ids, disordered_ranks(rows, "question_id", rank, score))
            for rank, score in SCORES.items()
        },
        "candidates": counted(ids, rows.groupby("question_id")["candidate"].sum()),
    }
    return with_records(pd.DataFrame(found), ["question_id"])
