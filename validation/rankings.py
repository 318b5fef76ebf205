"""Rankings: of every atom of a question's context, or of exactly its candidate pool by a cross-encoder."""

import pandas as pd
from great_expectations import ExpectationSuite

from plancheck.params.rankings import CrossEncoder, Dense, Run, cross_encoders, read_by_models
from plancheck.records import RANKINGS
from validation.frames import counted, disordered_ranks, misplaced_ranks, rows_by_question, with_records
from validation.inputs import Inputs, question_frame, table_file
from validation.suites import among, between, equal, none_of, present, present_in, suite, unique

KEY = ["question_id", "ranking", "atom_id"]
GROUP = ["question_id", "ranking"]


def declared(inputs: Inputs, name: str) -> list[str]:
    """The rankings that the table of that name must hold, as declared."""
    rankings, role = inputs.params.rankings, inputs.params.tune.role
    if name == "rankings":
        return [ranking for ranking in rankings if not read_by_models(rankings, ranking)]
    return list(cross_encoders(rankings, role, tuned=name == "rerank_tuned"))


def table_frames(inputs: Inputs, name: str) -> dict[str, pd.DataFrame]:
    """Of the table, rows with what their question and atom say of themselves; questions with what their rows lack."""
    rows = ranked(inputs, name)
    return {name: rows, f"{name}_by_question": by_question(inputs, rows, name)}


def table_suites(inputs: Inputs, name: str) -> list[ExpectationSuite]:
    file = table_file(name)
    whole = name == "rankings"
    atoms = "atom of the question's context" if whole else "candidate"
    return [
        suite(
            name,
            file,
            *present_in(RANKINGS),
            *present("question_context", "atom_context"),
            unique(KEY, "a ranking ranks an atom once for a question"),
            among("ranking", declared(inputs, name), "ranking is in section rankings, and this stage's"),
            equal("question_context", "atom_context", "an atom is of its question's context"),
            among("candidate", [True, False] if whole else [True], "a cross-encoder ranks the candidate pool alone"),
            none_of("endless", "scores are finite"),
            none_of("no_cosine", "a dense ranking's score is a cosine, in [-1, 1]"),
            between("tokens", 0, None, "tokens are not negative"),
            none_of("misread", "truncated is what the ranking's coverage makes of the atom"),
        ),
        suite(
            f"{name}_by_question",
            file,
            none_of("missing_rows", f"every ranking has every {atoms}"),
            none_of("rank_missing", "a ranking's ranks are 1 to n, each once"),
            none_of("rank_disordered", "ranks follow scores, ties by position"),
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
    dense = [name for name, spec in inputs.params.rankings.items() if isinstance(spec, Dense)]
    frame = frame.assign(
        question_context=frame["question_id"].map(questions["context_id"]),
        atom_context=frame["atom_id"].map(atoms["context_id"]),
        position=frame["atom_id"].map(atoms["position"]),
        candidate=pairs_of(frame).isin(pairs_of(inputs.tables["candidates"].to_pandas())),
        endless=score.abs().eq(float("inf")).astype(int),
        no_cosine=(frame["ranking"].isin(dense) & ~score.between(-1, 1)).astype(int),
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


def by_question(inputs: Inputs, rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """One row a question: rows that its rankings lack, ranks not given or not of the scores."""
    questions = question_frame(inputs)
    ids, names = questions["question_id"], declared(inputs, name)
    if name == "rankings":
        atoms = inputs.tables["atoms"].to_pandas().groupby("context_id").size()
        wanted, kept = counted(questions["context_id"], atoms), rows["question_context"] == rows["atom_context"]
    else:
        pool = inputs.tables["candidates"].to_pandas().drop_duplicates(["question_id", "atom_id"])
        wanted, kept = counted(ids, pool.groupby("question_id").size()), rows["candidate"]
    known = rows_by_question(rows, kept & rows["ranking"].isin(names), ["ranking", "atom_id"])
    # A run's ties are told apart by its own ranks, which no table here holds.
    runs = [item for item, spec in inputs.params.rankings.items() if isinstance(spec, Run)]
    scored = rows.assign(position=rows["position"].where(~rows["ranking"].isin(runs)))
    found = {
        "question_id": ids,
        "missing_rows": wanted * len(names) - counted(ids, known),
        "rank_missing": counted(ids, total(misplaced_ranks(rows, GROUP, "rank"))),
        "rank_disordered": counted(ids, total(disordered_ranks(scored, GROUP, "rank", "score"))),
    }
    return with_records(pd.DataFrame(found), ["question_id"])


def total(counts: pd.Series) -> pd.Series:
    """Counts by question and ranking, summed by question."""
    return counts.groupby(level="question_id").sum()
