"""Finished systems, of which only the answers are known, as policies that were asked at every budget."""

from collections.abc import Sequence

import pandas as pd

from plancheck.plumbing.files import DATA, read_table


def read_systems(budgets_chars: Sequence[int]) -> list[pd.DataFrame]:
    """The answers of finished systems as predictions at each budget, for what they are compared with there.

    They read what they like, so ``packed_id`` stands for no text that another is shown.
    """
    table = read_table(DATA / "given_predictions.parquet").to_pandas().rename(columns={"system": "policy"})
    if table.empty:
        return []
    own = table["policy"] + " " + table["question_id"]
    return [table.assign(budget_chars=budget, packed_id=own) for budget in budgets_chars]
