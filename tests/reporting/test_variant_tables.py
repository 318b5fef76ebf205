import pytest

from plancheck.params.pack import Policy
from plancheck.records import Atom
from plancheck.reporting.variant_tables import ORDER, order_table, sensitivity_table

POLICIES = {
    "bm25": Policy(fill="bm25"),
    "sft+nothing": Policy(selector="sft", fill="none"),
    "sft+bm25": Policy(selector="sft", fill="bm25"),
    "sft+hybrid_first": Policy(selector="sft", order="hybrid", fill="none"),
    "sft+hybrid_order": Policy(selector="sft", fill="none", shown_order="hybrid"),
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
    table = sensitivity_table(results, POLICIES, plans, [900], method, trained=("sft", "sft_early"))
    assert table[["fill", "treatment", "control"]].to_numpy().tolist() == [
        ["nothing", "sft+nothing", "sft_early+nothing"],
        ["bm25", "sft+bm25", "sft_early+bm25"],
    ]
    assert table["jaccard"].tolist() == pytest.approx([(0.5 + 0 + 1) / 3] * 2)
    assert table["tests"].tolist() == [2, 2]


SHOWN = {
    ("sft+nothing", 900): {"q0000": ["b", "a"], "q0001": ["c"], "q0002": []},
    ("sft+hybrid_order", 900): {"q0000": ["a", "b"], "q0001": ["c"], "q0002": []},
    ("sft+hybrid_first", 900): {"q0000": ["a", "c"], "q0001": ["c"], "q0002": []},
}


def test_order_is_hybrid_minus_own_with_the_shown_atoms_held_and_with_the_plan_held(study, method):
    results = study(
        {**OUTCOMES, "sft+nothing": [0, 0, 1], "sft+hybrid_order": [1, 0, 0], "sft+hybrid_first": [1, 1, 1]}
    )
    table = order_table(results, POLICIES, SHOWN, [900], method)
    assert list(table.columns) == ORDER.names
    assert table[["held", "selector", "treatment", "control", "same_set", "several_atoms"]].to_numpy().tolist() == [
        ["shown", "sft", "sft+hybrid_order", "sft+nothing", 3, 1],
        ["selected", "sft", "sft+hybrid_first", "sft+nothing", 2, 1],
    ]
    assert table["difference"].tolist() == pytest.approx([0, 2 / 3])
    assert table[["wins", "losses"]].to_numpy().tolist() == [[1, 1], [2, 0]]
    assert table["tests"].tolist() == [1, 1]  # each way of holding is a family


def test_a_study_without_a_policy_in_hybrid_order_has_no_row(study, method):
    table = order_table(study(OUTCOMES), {"sft+nothing": POLICIES["sft+nothing"]}, SHOWN, [900], method)
    assert table.empty and list(table.columns) == ORDER.names


def test_a_policy_without_a_twin_or_a_selector_has_no_pair(study, method):
    controls = {"bm25": POLICIES["bm25"], "shown": Policy(fill="bm25", shown_order="hybrid")}
    assert order_table(study(OUTCOMES), controls, SHOWN, [900], method).empty
