"""Rankings: of every atom of a question's context, or of exactly its candidate pool by a cross-encoder."""

import math

import great_expectations.expectations as gxe
import numpy as np
import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.params.rankings import Bm25, CrossEncoder, Dense, Fusion, Run, cross_encoders, read_by_models
from plancheck.records import RANKINGS
from validation.frames import counted, disordered_ranks, misplaced_ranks, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import among, between, equal, none_of, present, present_in, suite, unique

KEY = ["question_id", "ranking", "atom_id"]
GROUP = ["question_id", "ranking"]
SCORED = (Bm25, CrossEncoder, Dense, Fusion)  # a run may lack atoms


def declared(inputs: Inputs, name: str) -> list[str]:
    """The rankings that the table of that name must hold, as declared."""
    rankings, role = inputs.params.rankings, inputs.params.tune.role
    if name == "rankings":
        return [ranking for ranking in rankings if not read_by_models(rankings, ranking)]
    return list(cross_encoders(rankings, role, tuned=name == "rerank_tuned"))


def table_frames(inputs: Inputs, name: str) -> dict[str, pd.DataFrame]:
    """Of the table, rows with what their question and atom say of themselves; rankings with what their rows lack."""
    rows = ranked(inputs, name)
    return {name: rows, f"{name}_by_ranking": by_ranking(inputs, rows, name)}


def table_suites(inputs: Inputs, name: str) -> list[ExpectationSuite]:
    file, names, whole = table_file(name), declared(inputs, name), name == "rankings"
    if not names:
        nothing = gxe.ExpectTableRowCountToEqual(value=0, description="there are no rows, for no ranking is made here")
        return [suite(name, file, nothing)]
    atoms = "atom of the question's context" if whole else "candidate"
    in_pool = among("candidate", [True], "a cross-encoder ranks candidates alone")
    return [
        suite(
            name,
            file,
            *present_in(RANKINGS),
            *present("question_context", "atom_context"),
            unique(KEY, "a ranking ranks an atom once for a question"),
            among("ranking", names, "ranking is in section rankings, and made here"),
            equal("question_context", "atom_context", "an atom is of its question's context"),
            *(() if whole else (in_pool,)),
            none_of("unscored", "a score is a finite number, and is there where the kind of ranking has one"),
            none_of("no_cosine", "a dense ranking's score is a cosine, in [-1, 1]"),
            between("tokens", 0, None, "tokens are not negative"),
            none_of("misread", "truncated is what the ranking's coverage makes of the atom"),
        ),
        suite(
            f"{name}_by_ranking",
            file,
            none_of("missing_rows", f"every {atoms} is ranked"),
            none_of("rank_missing", "rank holds 1 to n, each once"),
            none_of("rank_disordered", "rank follows score, ties by position"),
        ),
    ]


def pairs_of(table: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(table[["question_id", "atom_id"]])


def ranked(inputs: Inputs, name: str) -> pd.DataFrame:
    """One row a question, ranking and atom, with the contexts of both, the atom's position and its faults."""
    frame = inputs.tables[name].to_pandas()
    questions = question_frame(inputs).drop_duplicates("question_id").set_index("question_id")
    atoms = inputs.tables["atoms"].to_pandas().drop_duplicates("atom_id").set_index("atom_id")
    score = frame["score"].astype("float64")
    scoring = [item for item, spec in inputs.params.rankings.items() if isinstance(spec, SCORED)]
    dense = [item for item, spec in inputs.params.rankings.items() if isinstance(spec, Dense)]
    frame = frame.assign(
        question_context=frame["question_id"].map(questions["context_id"]),
        atom_context=frame["atom_id"].map(atoms["context_id"]),
        position=frame["atom_id"].map(atoms["position"]),
        candidate=pairs_of(frame).isin(pairs_of(inputs.tables["candidates"].to_pandas())),
        unscored=(score.abs().eq(math.inf) | (score.isna() & frame["ranking"].isin(scoring))).astype(int),
        no_cosine=(frame["ranking"].isin(dense) & (score.abs() > 1) & (score.abs() < math.inf)).astype(int),
        misread=misread(inputs, frame, atoms["end"] - atoms["start"]).astype(int),
    )
    return with_records(frame, KEY)


def misread(inputs: Inputs, frame: pd.DataFrame, atom_chars: pd.Series) -> pd.Series:
    """Where ``truncated`` is not what a ranking's coverage makes of the atom, or says something without a model.

    In parts every atom is read whole. Of snippets just those are not whole whose atom is longer than the snippet. Where
    the beginning is read, what has no more tokens than another atom that the same question left whole is whole as well.
    """
    wrong = pd.Series(False, index=frame.index)
    for name, own in frame.groupby("ranking"):
        spec = inputs.params.rankings.get(str(name))
        truncated = own["truncated"].fillna(False).astype(bool)
        if not isinstance(spec, Dense | CrossEncoder):
            wrong[own.index] = own["truncated"].notna() | own["tokens"].notna()
            continue
        match spec.coverage:
            case "windows":
                found = truncated
            case "snippet":
                chars = own["atom_id"].map(atom_chars)
                found = truncated != (chars > (inputs.params.planner.snippet_chars or 0))
            case _:
                whole = own["tokens"].where(~truncated).groupby(own["question_id"]).transform("max")
                found = truncated & (own["tokens"] <= whole)
        wrong[own.index] = found | own["truncated"].isna() | own["tokens"].isna()
    return wrong


def by_ranking(inputs: Inputs, rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """One row a question and ranking: rows that it lacks, ranks not given or not of the scores."""
    questions = question_frame(inputs)
    if name == "rankings":
        atoms = inputs.tables["atoms"].to_pandas().groupby("context_id").size()
        wanted, kept = counted(questions["context_id"], atoms), rows["question_context"] == rows["atom_context"]
    else:
        pool = inputs.tables["candidates"].to_pandas().drop_duplicates(["question_id", "atom_id"])
        wanted, kept = counted(questions["question_id"], pool.groupby("question_id").size()), rows["candidate"]
    # A run's ties are told apart by its own ranks, which no table here holds.
    runs = [item for item, spec in inputs.params.rankings.items() if isinstance(spec, Run)]
    scored = rows.assign(position=rows["position"].where(~rows["ranking"].isin(runs)))
    found = questions[["question_id"]].assign(wanted=wanted)
    found = found.merge(pd.DataFrame({"ranking": declared(inputs, name)}, dtype=object), how="cross")
    each = pd.MultiIndex.from_frame(found[GROUP])
    known = rows[kept.astype(bool)].drop_duplicates(KEY).groupby(GROUP).size()
    counts = {
        "missing_rows": found["wanted"] - of_each(known, each),
        "rank_missing": of_each(misplaced_ranks(rows, GROUP, "rank"), each),
        "rank_disordered": of_each(disordered_ranks(scored, GROUP, "rank", "score"), each),
    }
    return with_records(found[GROUP].assign(**counts), GROUP)


def of_each(counts: pd.Series, each: pd.MultiIndex) -> np.ndarray:
    """The count of each question and ranking, 0 for one without."""
    found: np.ndarray = counts.reindex(each).fillna(0).astype("int64").to_numpy()
    return found
