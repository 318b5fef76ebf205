import numpy as np
import pytest

from plancheck.reporting.comparison_tables import Declared, comparisons_table
from plancheck.reporting.domain_tables import DOMAIN_DIFFERENCES, domain_differences_table, domains_table

COUNTS = ["questions", "contexts", "wins", "losses", "ties", "identical"]


def test_domains_come_by_size_then_name_and_sum_to_all_questions(study):
    results = study({"bm25": [1, 0, 1, 1, 0], "dense": [0, 0, 0, 0, 1]})
    domains = dict(zip(results.splits["all"], ["b", "c", "a", "c", "b"], strict=True))
    table = domains_table(results, domains, ["bm25", "dense"], [900], confidence=0.95)
    assert table["domain"].tolist() == ["b", "c", "a"] * 2
    assert table["correct"].tolist() == [1, 1, 1, 1, 0, 0]
    assert table["questions"].tolist() == [2, 2, 1] * 2


@pytest.fixture
def five(study):
    """Domain b of three questions, of which two share a context; a of two in one context."""
    return study(
        {"sft+bm25": [1, 1, 0, 1, 0], "bm25": [0, 1, 1, 0, 0]},
        contexts=["x", "y", "y", "z", "z"],
        shown={"sft+bm25": ["t1", "t2", "t3", "t4", "t5"], "bm25": ["t0", "t2", "t0", "t0", "t0"]},
    )


def domains_of(results):
    return dict(zip(results.splits["all"], ["b", "b", "b", "a", "a"], strict=True))


def test_the_difference_of_a_pair_by_domain_has_its_counts(five, method):
    declared = {"one": Declared(["sft+bm25"], ["bm25"], [900], "all")}
    table = domain_differences_table(five, domains_of(five), declared, method)
    assert list(table.columns) == DOMAIN_DIFFERENCES.names
    assert table[["name", "treatment", "control", "budget_chars", "split", "domain"]].to_numpy().tolist() == [
        ["one", "sft+bm25", "bm25", 900, "all", "b"],
        ["one", "sft+bm25", "bm25", 900, "all", "a"],
    ]
    assert table[COUNTS].to_numpy().tolist() == [[3, 2, 1, 1, 1, 1], [2, 1, 1, 0, 1, 0]]
    assert table["treatment_accuracy"].tolist() == [2 / 3, 0.5] and table["control_accuracy"].tolist() == [2 / 3, 0]
    assert table["difference"].tolist() == [0, 0.5]
    assert not [name for name in table.columns if name == "p" or name.startswith("p_")]


def test_a_domain_of_one_context_has_no_interval_and_the_others_have(five, method):
    declared = {"one": Declared(["sft+bm25"], ["bm25"], [900], "all")}
    table = domain_differences_table(five, domains_of(five), declared, method).set_index("domain")
    assert table.loc["a", ["low", "high"]].isna().all()
    assert table.loc["b", "low"] == -0.5 and table.loc["b", "high"] == 1  # all of y; all of x


def test_a_question_alone_in_its_domain_and_a_domain_without_test_questions(five, method):
    domains = dict(zip(five.splits["all"], ["b", "b", "b", "b", "a"], strict=True))
    declared = {name: Declared(["sft+bm25"], ["bm25"], [900], name) for name in ("all", "test")}
    table = domain_differences_table(five, domains, declared, method)
    assert table[["split", "domain", "questions"]].to_numpy().tolist() == [
        ["all", "b", 4], ["all", "a", 1], ["test", "a", 1],
    ]  # fmt: skip


def test_domains_add_up_to_the_declared_comparison_whatever_the_order_of_questions(study, method):
    generator = np.random.default_rng(3)
    rows = {name: generator.random(60) < 0.5 for name in ("sft+bm25", "bm25")}
    declared = {"one": Declared(["sft+bm25"], ["bm25"], [900, 600], "test")}
    tables = []
    for shuffle in (None, 5):
        results = study(rows, sizes=(20, 10, 30), budgets=(900, 600), shuffle=shuffle)
        domains = {name: f"d{number % 3}" for number, name in enumerate(results.splits["all"])}
        tables.append(domain_differences_table(results, domains, declared, method))
    assert tables[0].equals(tables[1])
    whole = comparisons_table(results, declared, method).set_index("budget_chars")
    counted = ["questions", "wins", "losses", "ties", "identical"]
    added = tables[0].groupby("budget_chars")[counted].sum()
    assert (added == whole.loc[added.index, counted]).all(axis=None)
    assert (tables[0]["low"] <= tables[0]["difference"]).all() and (tables[0]["difference"] <= tables[0]["high"]).all()


def test_a_swapped_pair_has_the_mirrored_differences(five, method):
    pairs = {
        "one": Declared(["sft+bm25"], ["bm25"], [900], "all"),
        "two": Declared(["bm25"], ["sft+bm25"], [900], "all"),
    }
    table = domain_differences_table(five, domains_of(five), pairs, method).set_index("name")
    assert table.loc["one", "difference"].tolist() == (-table.loc["two", "difference"]).tolist()
    assert table.loc["one", "wins"].tolist() == table.loc["two", "losses"].tolist()


def test_without_comparisons_there_are_no_rows_and_a_picked_side_is_refused(five, method):
    assert domain_differences_table(five, domains_of(five), {}, method).empty
    picked = {"one": Declared(["sft+bm25"], ["bm25", "sft+bm25"], [900], "all")}
    with pytest.raises(ValueError, match="one picks a side"):
        domain_differences_table(five, domains_of(five), picked, method)
