import numpy as np
import pandas as pd

from plancheck.mechanisms.measures import SCORERS, Case, Scored
from plancheck.reporting.mechanisms_table import COLUMNS, mechanisms_table


def cases(results, planner_wins, *, recall=None):
    """Where the planner wins, it selects the reranker's first atom; else its last."""
    generator = np.random.default_rng(2)
    found = {}
    for question_id in results.splits["all"]:
        scored = Scored({"a": 1, "b": 2, "c": 3, "d": 4}, generator.random(4).tolist())
        wins = planner_wins[question_id]
        found[question_id] = Case(
            selected=["a" if wins else "d"],
            reranked=["a", "b", "c", "d"],
            shown=["a", "b"] if wins else ["d"],
            shown_by_control=["a", "b"],
            scorers={name: scored for name in SCORERS},
            evidence_recall=recall,
        )
    return found


def table(results, *, recall=None, **kwargs):
    found = {900: cases(results, results.right("sft", 900), recall=recall)}
    return mechanisms_table(results, found, treatment="sft", control="rerank", top=2, **kwargs)


def test_wins_and_losses_stand_side_by_side_and_the_family_is_all_tests(study):
    results = study({"sft": [1] * 10 + [0] * 10 + [1], "rerank": [0] * 10 + [1] * 10 + [1]})
    found = table(results)
    assert list(found.columns) == list(COLUMNS)
    first = found.set_index(["measure", "scorer"]).loc[("mean_rank", "rerank")]
    assert first[["wins", "losses", "mean_wins", "mean_losses"]].tolist() == [10, 10, 1, 4]
    assert first["p"] < 0.001
    assert found["tests"].dropna().unique().tolist() == [found["p"].notna().sum()] == [17]
    assert (found["p_adjusted"].dropna() >= found["p"].dropna()).all()


def test_unknown_evidence_is_no_test_and_known_evidence_is_one_more(study):
    results = study({"sft": [1] * 10 + [0] * 10, "rerank": [0] * 10 + [1] * 10})
    unknown = table(results).set_index("measure").loc["evidence_recall"]
    assert (unknown["wins"], unknown["losses"]) == (0, 0)
    assert pd.isna(unknown["p"]) and pd.isna(unknown["mean_wins"]) and pd.isna(unknown["tests"])
    known = table(results, recall=0.5).set_index("measure").loc["evidence_recall"]
    assert (known["p"], known["tests"]) == (1, 18)


def test_too_few_wins_leave_every_row_untested(study):
    results = study({"sft": [1] * 4 + [0] * 10, "rerank": [0] * 4 + [1] * 10})
    found = table(results)
    assert found["p"].isna().all() and found["tests"].isna().all()
    assert found.loc[found["measure"] == "displacement", "wins"].tolist() == [4]


def test_a_study_that_looks_into_nothing_has_an_empty_table(study):
    results = study({"sft": [1, 0], "rerank": [0, 1]}, sizes=(1, 0, 1))
    assert mechanisms_table(results, {}, treatment="", control="", top=1).empty
