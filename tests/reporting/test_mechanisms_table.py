import numpy as np
import pandas as pd

from plancheck.mechanisms.measures import Case, Scored
from plancheck.records import Atom
from plancheck.reporting.mechanisms_table import MECHANISMS, mechanisms_table
from plancheck.reporting.picks import Pick

KINDS = {"bm25": "bm25", "dense": "dense", "rerank": "cross_encoder"}

ATOMS = {name: Atom(name, "c", 10 * place, 10 * place + 10, 0) for place, name in enumerate("abcd")}


def cases(results, planner_wins, *, recall=None):
    """Where the planner wins, it selects the reranker's first atom; else its last."""
    generator = np.random.default_rng(2)
    found = {}
    for question_id in results.splits["all"]:
        ranks, pool = {"a": 1, "b": 2, "c": 3, "d": 4}, generator.random(4).tolist()
        wins = planner_wins[question_id]
        found[question_id] = Case(
            selected=[ATOMS["a" if wins else "d"]],
            atoms=ATOMS,
            shown=["a", "b"] if wins else ["d"],
            shown_by_control=["a", "b"],
            scorers={name: Scored(kind, ranks, pool) for name, kind in KINDS.items()},
            evidence_recall=recall,
        )
    return found


def table(results, *, recall=None, **kwargs):
    found = {900: cases(results, results.right("sft", 900), recall=recall)}
    controls = {900: Pick("rerank", "same_questions", "all", 3)}
    return mechanisms_table(results, found, treatment="sft", controls=controls, top=2, **kwargs)


def test_wins_and_losses_stand_side_by_side_and_the_family_is_all_tests(study):
    results = study({"sft": [1] * 10 + [0] * 10 + [1], "rerank": [0] * 10 + [1] * 10 + [1]})
    found = table(results)
    assert list(found.columns) == MECHANISMS.names
    first = found.set_index(["measure", "scorer"]).loc[("mean_rank", "rerank")]
    assert first[["wins", "losses", "mean_wins", "mean_losses"]].tolist() == [10, 10, 1, 4]
    assert first["p"] < 0.001
    assert set(found["control"]) == {"rerank"} and set(found["pick"]) == {"same_questions"}
    assert set(found["candidates"]) == {3}
    assert found["tests"].dropna().unique().tolist() == [found["p"].notna().sum()] == [19]
    assert found["members"].unique().tolist() == [len(found)] == [20]
    assert (found["p_adjusted"].dropna() >= found["p"].dropna()).all()


def test_unknown_evidence_is_no_test_and_known_evidence_is_one_more(study):
    results = study({"sft": [1] * 10 + [0] * 10, "rerank": [0] * 10 + [1] * 10})
    unknown = table(results).set_index("measure").loc["evidence_recall"]
    assert (unknown["wins"], unknown["losses"]) == (0, 0)
    assert pd.isna(unknown["p"]) and pd.isna(unknown["mean_wins"]) and pd.isna(unknown["tests"])
    assert unknown["untested"] == "undefined"
    known = table(results, recall=0.5).set_index("measure").loc["evidence_recall"]
    assert (known["p"], known["tests"], known["untested"]) == (1, 20, None)


def test_too_few_wins_leave_every_row_untested(study):
    results = study({"sft": [1] * 4 + [0] * 10, "rerank": [0] * 4 + [1] * 10})
    found = table(results)
    assert found["p"].isna().all() and found["tests"].isna().all() and len(found) == 20
    assert set(found["untested"]) == {"too few wins", "undefined"}
    assert found.loc[found["measure"] == "displacement", "wins"].tolist() == [4]


def test_each_budget_has_its_own_control_and_all_are_one_family(study):
    results = study({"sft": [1] * 10 + [0] * 10, "rerank": [0] * 10 + [1] * 10, "fused": [0] * 20}, budgets=(900, 600))
    found = mechanisms_table(
        results,
        {budget: cases(results, results.right("sft", budget)) for budget in (900, 600)},
        treatment="sft",
        controls={900: Pick("rerank", "same_questions", "all", 2), 600: Pick("fused", "same_questions", "all", 2)},
        top=2,
    )
    assert found.groupby("budget_chars")["control"].agg(set).to_dict() == {900: {"rerank"}, 600: {"fused"}}
    assert set(found["members"]) == {40} and set(found["tests"].dropna()) == {19}
    assert set(found.loc[found["budget_chars"] == 600, "untested"]) == {"too few losses", "undefined"}


def test_a_study_that_looks_into_nothing_has_an_empty_table(study):
    results = study({"sft": [1, 0], "rerank": [0, 1]}, sizes=(1, 0, 1))
    assert mechanisms_table(results, {}, treatment="", controls={}, top=1).empty
