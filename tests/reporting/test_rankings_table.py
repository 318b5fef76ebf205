import pandas as pd

from plancheck.reporting.rankings_table import RANKINGS, rankings_table


def scores(**questions):
    rows = [(name, score) for name, own in questions.items() for score in own]
    return pd.DataFrame(rows, columns=["question_id", "score"])


def test_questions_whose_scores_are_all_equal_are_counted_and_those_with_one_atom_among_them():
    table = rankings_table(
        {
            "bm25": scores(a=[0.0, 0.0, 0.0], b=[0.0, 1.5], c=[2.0], d=[-0.5, -0.5]),
            "dense": scores(a=[0.1, 0.2], b=[0.3, 0.1]),
        }
    )
    assert list(table.columns) == RANKINGS.names
    assert table.to_numpy().tolist() == [["bm25", 4, 3, 1], ["dense", 2, 0, 0]]


def test_a_ranking_that_was_not_made_has_no_row():
    assert rankings_table({"rerank_tuned": scores()}).empty
