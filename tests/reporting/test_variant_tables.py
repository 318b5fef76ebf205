import pytest

from plancheck.params.pack import Policy
from plancheck.records import Atom
from plancheck.reporting.variant_tables import order_table, sensitivity_table, twins

POLICIES = {
    "bm25": Policy(fill="bm25"),
    "sft+nothing": Policy(selector="sft", fill="none"),
    "sft+bm25": Policy(selector="sft", fill="bm25"),
    "sft+hybrid_order": Policy(selector="sft", order="hybrid", fill="none"),
    "sft_early+bm25": Policy(selector="sft_early", fill="bm25"),
    "sft_early+nothing": Policy(selector="sft_early", fill="none"),
    "prompted+nothing": Policy(selector="prompted", fill="none"),
}
OUTCOMES = {name: [number % 2, 1, 0] for number, name in enumerate(POLICIES)}


def atoms(*names):
    return [Atom(name, "c", 0, 1, 0) for name in names]


def test_sensitivity_pairs_policies_by_what_they_are_and_has_the_plans_overlap(study, method):
    results = study(OUTCOMES)
    plans = {
        "sft": {"q0000": atoms("a", "b"), "q0001": atoms("a"), "q0002": []},
        "sft_early": {"q0000": atoms("b"), "q0001": atoms("c"), "q0002": []},
    }
    table = sensitivity_table(results, POLICIES, plans, [900], method)
    assert table[["fill", "treatment", "control"]].to_numpy().tolist() == [
        ["nothing", "sft+nothing", "sft_early+nothing"],
        ["bm25", "sft+bm25", "sft_early+bm25"],
    ]
    assert table["jaccard"].tolist() == pytest.approx([(0.5 + 0 + 1) / 3] * 2)
    assert table["tests"].tolist() == [2, 2]


def test_order_compares_the_same_plan_in_two_orders(study, method):
    table = order_table(study(OUTCOMES), POLICIES, [900], method)
    assert table[["selector", "treatment", "control"]].to_numpy().tolist() == [
        ["sft", "sft+nothing", "sft+hybrid_order"]
    ]


def test_a_policy_without_a_twin_or_a_selector_has_no_pair():
    assert list(twins({"bm25": POLICIES["bm25"]}, {"order": "selected"}, {"order": "hybrid"})) == []
