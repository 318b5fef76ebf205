import pandas as pd
import pytest

from plancheck.reporting.results import join_results

SPLITS = {"train": ["b"], "dev": ["a"], "test": ["c"]}
CONTEXTS = {"a": "c1", "b": "c1", "c": "c2"}


def predictions(ids, policy="bm25"):
    return pd.DataFrame(
        {"question_id": list(ids), "policy": policy, "budget_chars": 9, "packed_id": "t", "correct": True}
    )


def test_questions_are_joined_by_id_in_ascending_order():
    found = join_results(predictions("cab"), CONTEXTS, SPLITS)
    assert found.correct.index.tolist() == ["a", "b", "c"]
    assert found.splits["all"] == ("a", "b", "c")
    assert found.splits["train+dev"] == ("a", "b")
    assert found.accuracy("bm25", 9, "test") == 1
    assert found.texts("bm25", 9) == {"a": "t", "b": "t", "c": "t"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (predictions("abcb"), "hold twice: b"),
        (predictions("ab"), "same questions: c"),
        (predictions("abcd"), "same questions: d"),
        (pd.concat([predictions("abc"), predictions("ac", "dense")]), "lacks the questions: b"),
    ],
)
def test_a_missing_or_doubled_id_is_an_error_that_names_it(rows, message):
    with pytest.raises(ValueError, match=message):
        join_results(rows, CONTEXTS, SPLITS)
