"""Columns that more than one suite needs, derived with pandas."""

from collections.abc import Collection, Sequence

import pandas as pd

RECORD = "record"
OTHER = "(other)"


def with_records(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The frame with a first column ``record``: the ID columns joined by "/", how messages name a row."""
    record = frame[columns[0]].astype(str)
    for column in columns[1:]:
        record = record + "/" + frame[column].astype(str)
    return pd.concat([record.rename(RECORD), frame], axis=1)


def masked(values: pd.Series, allowed: Collection[str]) -> pd.Series:
    """Values outside a closed vocabulary become "(other)", so that stray text reaches no report; nulls stay."""
    return values.where(values.isin(list(allowed)) | values.isna(), OTHER)


def misplaced_ranks(frame: pd.DataFrame, group: Sequence[str], rank: str) -> pd.Series:
    """By group: how many of the ranks 1 to n, n its rows, do not occur. 0 says that they are a permutation."""
    group = list(group)
    sizes = frame.groupby(group).size()
    places = frame.groupby(group)[rank].transform("size")  # a number for each row, also where there are none
    within = frame[frame[rank].between(1, places)]
    found = within.drop_duplicates([*group, rank]).groupby(group).size()
    return sizes - found.reindex(sizes.index, fill_value=0)


def disordered_ranks(frame: pd.DataFrame, group: Sequence[str], rank: str, score: str) -> pd.Series:
    """By group: how many rows have a greater score than the row ranked before, or the same and an earlier position.

    0 says that ranks follow scores, ties by ``position``. Equal ranks are put as they should be, because they are a
    fault of another rule, and a row without rank or score is left out; without position, it is of no tie.
    """
    group = list(group)
    ascending = [*(True for _ in group), True, False, True]
    rows = frame.dropna(subset=[rank, score]).sort_values(
        [*group, rank, score, "position"], ascending=ascending, kind="stable"
    )
    before = rows.groupby(group)[[score, "position"]].shift()
    wrong = (rows[score] > before[score]) | ((rows[score] == before[score]) & (rows["position"] < before["position"]))
    return wrong.groupby([rows[name] for name in group]).sum()


def counted(ids: pd.Series, counts: pd.Series) -> pd.Series:
    """Counts of the IDs in their order, as whole numbers; 0 for an ID without one."""
    return ids.map(counts).fillna(0).astype("int64")


def rows_by_question(frame: pd.DataFrame, kept: pd.Series, key: Sequence[str]) -> pd.Series:
    """By question: its kept rows, equal keys counted once."""
    return frame[kept].drop_duplicates(["question_id", *key]).groupby("question_id").size()
