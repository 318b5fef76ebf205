import numpy as np
import pyarrow as pa
import pytest

from plancheck.retrieval.silence import silence, silent


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], True),
        ([0.3], True),
        ([0.0, 0.0, 0.0], True),
        ([2.5, 2.5], True),
        (np.zeros(4), True),
        ([0.0, 0.0, 1e-9], False),
        ([1.0, -1.0], False),
    ],
)
def test_a_ranking_is_silent_where_no_score_differs(scores: list[float], expected: bool) -> None:
    assert silent(scores) is expected


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        silent([1.0, float("nan")])


def test_silent_questions_are_told() -> None:
    scores = [("a", 0.0), ("b", 1.0), ("a", 0.0), ("b", 0.0), ("c", 2.0)]
    rows = pa.Table.from_pylist([{"question_id": question, "score": score} for question, score in scores])
    told = "BM25: all scores are equal in 2 of 3 questions; there the order is that of position"
    assert silence("BM25", rows) == told
