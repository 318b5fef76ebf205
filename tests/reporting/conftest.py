"""Small studies from outcomes written down by policy."""

import pandas as pd
import pytest

from plancheck.reporting.paired import Method
from plancheck.reporting.results import join_results

BUDGET = 900


@pytest.fixture
def method():
    return Method(confidence=0.95, power=0.8, margin=0.05, seed=7, resamples=500)


@pytest.fixture(scope="session")
def study_of():
    """Results of ``outcomes`` (a row of 0 and 1 a policy), a context a question unless ``contexts`` says otherwise.

    The first questions are train, then come dev and test, by ``sizes``. Every policy shows a text of its own, but for
    those of ``shown``: a text a question.
    """

    def make(outcomes, *, sizes=None, contexts=None, budgets=(BUDGET,), shuffle=None, shown=None):
        count = len(next(iter(outcomes.values())))
        ids = [f"q{number:04}" for number in range(count)]
        train, dev, _ = sizes or (count - 2, 1, 1)
        splits = {"train": ids[:train], "dev": ids[train : train + dev], "test": ids[train + dev :]}
        rows = pd.DataFrame(
            [
                {"question_id": name, "policy": policy, "budget_chars": budget, "packed_id": text,
                 "correct": bool(right)}
                for policy, row in outcomes.items()
                for budget in budgets
                for name, right, text in zip(ids, row, (shown or {}).get(policy, [policy] * count), strict=True)
            ]
        )  # fmt: skip
        if shuffle is not None:
            rows = rows.sample(frac=1, random_state=shuffle)
            splits = {split: members[::-1] for split, members in splits.items()}
        return join_results(rows, dict(zip(ids, contexts or ids, strict=True)), splits)

    return make


@pytest.fixture
def study(study_of):
    return study_of
