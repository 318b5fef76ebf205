"""Where the tables of a bundle contradict each other, although each alone keeps its contract."""

from collections.abc import Iterator, Mapping
from typing import Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from plancheck.records import FEWEST_CHOICES, LETTERS, MOST_CHOICES, is_span_id

CONDITION: Final = ["question_id", "policy", "budget_chars"]
RANKED: Final = ("rankings", "rerank", "rerank_tuned")
LISTS: Final = ("atom_ids", "starts", "ends")
PIECES: Final[Mapping[str, list[str]]] = {
    "packed": CONDITION,
    "plans": ["question_id", "selector"],
    "given_plans": ["question_id", "selector"],
}


def contradictions(tables: Mapping[str, pa.Table]) -> Iterator[str]:
    """A line for each row or ranking that another one, or its own values, contradict.

    A question has its gold letter among its choices. Ranks are 1 to n and follow the scores. Lists of pieces are of one
    length, a piece is a part of an atom that there is, and a packed context holds its pieces within its budget. There
    is an answer to each, and to nothing else; an answer is a letter of the question's or a failure.
    """
    for name in RANKED:
        yield from misranked(name, tables[name])
    atoms = tables["atoms"].select(["atom_id", "start", "end"]).to_pandas()
    for name, key in PIECES.items():
        yield from misplaced(name, tables[name], key, atoms)
    yield from overfull(tables["packed"])
    yield from of_other_texts(tables["predictions"], tables["packed"])
    yield from no_questions(tables["questions"])
    for name in ("predictions", "given_predictions"):
        yield from no_answers(name, tables[name], tables["questions"])


def misranked(name: str, table: pa.Table) -> Iterator[str]:
    """A line for each ranking whose ranks are not 1 to n, each once, or do not fall with its scores."""
    group = ["question_id", "ranking"]
    frame = table.select([*group, "rank", "score"]).to_pandas().sort_values([*group, "rank"])
    groups = frame.groupby(group, sort=False)
    gaps, rises = frame["rank"] != groups.cumcount() + 1, groups["score"].diff() > 0
    for wrong, told in ((gaps, "ranks are not 1 to n, each once"), (rises, "a later rank has a higher score")):
        for key in frame.loc[wrong, group].drop_duplicates().itertuples(index=False):
            yield f"data/{name}.parquet: {', '.join(key)}: {told}"


def misplaced(name: str, table: pa.Table, key: list[str], atoms: pd.DataFrame) -> Iterator[str]:
    """A line for each row with lists of several lengths, or with a piece that is no part of an atom or span."""
    lengths = [pc.fill_null(pc.list_value_length(table[column]), 0).to_numpy() for column in LISTS]
    even = (lengths[0] == lengths[1]) & (lengths[0] == lengths[2])
    frame = table.select([*key, *LISTS]).to_pandas()
    for row in frame.loc[~even, key].itertuples(index=False):
        yield f"data/{name}.parquet: {', '.join(map(str, row))}: {', '.join(LISTS)} are of several lengths"
    pieces = frame[even].explode(list(LISTS)).dropna(subset=["atom_ids"])
    found = pieces.merge(atoms, left_on="atom_ids", right_on="atom_id", how="left")
    spans = found["atom_id"].isna() & found["atom_ids"].map(lambda one: is_span_id(str(one))).astype(bool)
    bounds = (
        found.loc[spans, "atom_ids"].astype(str).str.split("-", expand=True).reindex(columns=[0, 1]).astype("int64")
    )
    found.loc[spans, "start"], found.loc[spans, "end"] = bounds[0], bounds[1]
    inside = (found["starts"] >= found["start"]) & (found["starts"] < found["ends"]) & (found["ends"] <= found["end"])
    for row in found.loc[~inside.astype(bool), [*key, "atom_ids"]].itertuples(index=False):
        yield f"data/{name}.parquet: {', '.join(map(str, row[:-1]))}: {row[-1]} has no such part, or there is none"


def overfull(packed: pa.Table) -> Iterator[str]:
    """A line for each packed context that is longer than its budget, or shorter than its pieces."""
    frame = packed.select([*CONDITION, "chars", "starts", "ends"]).to_pandas()
    held = frame["ends"].map(sum) - frame["starts"].map(sum)
    wrong = (frame["chars"] > frame["budget_chars"]) | (frame["chars"] < held)
    for row in frame.loc[wrong, [*CONDITION, "chars"]].itertuples(index=False):
        yield f"data/packed.parquet: {', '.join(map(str, row[:-1]))}: {row[-1]} chars do not hold its pieces in budget"


def of_other_texts(predictions: pa.Table, packed: pa.Table) -> Iterator[str]:
    """A line for each condition that is packed alone or answered alone, or answered on another packed context."""
    columns = [*CONDITION, "packed_id"]
    answered, shown = (table.select(columns).to_pandas() for table in (predictions, packed))
    found = answered.merge(shown, on=CONDITION, how="outer", suffixes=("", "_packed"), indicator="there")
    told = found["there"].astype(str).map({"left_only": "is not in data/packed.parquet", "right_only": "has no row"})
    told[(found["packed_id"] != found["packed_id_packed"]) & told.isna()] = (
        "packed_id is not that of data/packed.parquet"
    )
    for row in found[CONDITION].assign(told=told)[told.notna()].itertuples(index=False):
        yield f"data/predictions.parquet: {', '.join(map(str, row[:-1]))}: {row[-1]}"


def no_questions(questions: pa.Table) -> Iterator[str]:
    """A line for each question without 2 to 10 choices, or whose gold letter is none of theirs or not right."""
    for row in questions.select(["question_id", "choices", "answer", "right"]).to_pylist():
        letters = LETTERS[: max(row["choices"], 0)]
        if not (
            FEWEST_CHOICES <= row["choices"] <= MOST_CHOICES and {row["answer"]} <= set(row["right"]) <= set(letters)
        ):
            told = f"has {row['choices']} choices, gold letter {row['answer']!r:.40}, right letters {row['right']}"
            yield f"data/questions.parquet: {row['question_id']}: {told:.150}"


def no_answers(name: str, table: pa.Table, questions: pa.Table) -> Iterator[str]:
    """A line for each answer that is no letter of its question, or that is both a letter and a failure, or neither.

    The file of a finished system may say that an answer is right and leave the letter out.
    """
    choices = dict(zip(*(questions[column].to_pylist() for column in ("question_id", "choices")), strict=True))
    key = ["question_id", *(["policy", "budget_chars"] if name == "predictions" else ["system"])]
    for row in table.select([*key, "letter", "failure"]).to_pylist():
        letter, failure, count = row["letter"], row["failure"], choices.get(row["question_id"], 0)
        both = letter is not None and failure is not None
        neither = name == "predictions" and letter is None and failure is None
        strange = letter is not None and letter not in LETTERS[:count]
        if both or neither or strange:
            told = f"letter is {letter!r:.40} of {count} choices, failure {failure!r:.40}"
            yield f"data/{name}.parquet: {', '.join(str(row[column]) for column in key)}: {told}"
