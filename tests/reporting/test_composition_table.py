import pandas as pd
import pytest

from plancheck.params.pack import Anchors, Policy
from plancheck.reporting.composition_table import composition_table

POLICIES = {
    "none": Policy(fill="none"),
    "head": Policy(fill="head"),
    "anchored": Policy(selector="sft", anchors=Anchors(ranking="bm25", atoms=2), fill="bm25"),
}
PLANS = {("q1", "sft"): ["a"], ("q2", "sft"): []}
RANKS = {"bm25": {(q, atom): rank for q in ("q1", "q2") for rank, atom in enumerate("abcd", start=1)}}


def packed(policy, shown):
    rows = [
        {
            "question_id": question,
            "policy": policy,
            "budget_chars": 9,
            "atom_ids": list(atoms),
            "starts": starts,
            "ends": ends,
        }
        for question, (atoms, starts, ends) in shown.items()
    ]
    return pd.DataFrame(rows)


def test_parts_are_the_plan_then_the_anchors_then_the_fill():
    shown = {"q1": ("abc", [0, 10, 20], [10, 20, 30]), "q2": ("abc", [0, 10, 20], [10, 20, 40])}
    table = composition_table(packed("anchored", shown), POLICIES, PLANS, RANKS)
    assert table["part"].tolist() == ["selected", "anchor", "fill"]
    # q1: a is selected although BM25 puts it first; b is the other anchor. q2: its plan failed.
    assert table["mean_share"].tolist() == pytest.approx(
        [(1 / 3 + 0) / 2, (1 / 3 + 20 / 40) / 2, (1 / 3 + 20 / 40) / 2]
    )
    assert table["mean_share"].sum() == pytest.approx(1)
    assert table["mean_chars"].tolist() == [5, 15, 15]
    assert table["questions"].tolist() == [2, 2, 2]


def test_spans_are_fill_and_a_policy_that_shows_nothing_has_no_part():
    table = composition_table(
        pd.concat([packed("none", {"q1": ("", [], [])}), packed("head", {"q1": ("a", [0], [7])})]), POLICIES, {}, {}
    )
    assert table[["policy", "part", "mean_chars"]].to_numpy().tolist() == [["head", "fill", 7]]


def test_questions_that_are_shown_nothing_do_not_count():
    shown = {"q1": ("", [], []), "q2": ("cd", [20, 30], [30, 40])}
    table = composition_table(packed("anchored", shown), POLICIES, PLANS, RANKS)
    assert table["questions"].tolist() == [1, 1, 1]
    assert table["mean_share"].tolist() == [0, 0, 1]
    empty = composition_table(packed("anchored", {"q1": ("", [], [])}), POLICIES, PLANS, RANKS)
    assert empty["mean_share"].isna().all()
