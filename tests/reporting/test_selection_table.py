import io

import pandas as pd
import pytest
from rich.console import Console

from plancheck.mechanisms.choices import jaccard
from plancheck.records import Atom, Question, Span
from plancheck.reporting.selection_table import SELECTION, selection_table, show
from plancheck.statistics.proportions import wilson

SPLITS = {"train": ["q1"], "dev": ["q2"], "test": ["q3", "q4"]}
ATOMS = [Atom(f"a{number}", "c", number * 10, number * 10 + 12, 0) for number in range(4)]  # overlapping by 2
EVIDENCE = {
    "q1": (Span(3, 8),),  # in atom 0
    "q2": (Span(5, 15), Span(31, 33)),  # over atoms 0 and 1; in atom 3
    "q3": None,
    "q4": (Span(10, 12),),  # in the overlap of atoms 0 and 1
}


def question(question_id):
    texts = {"question": "?", "choices": ("a", "b", "c", "d"), "answer": "A"}
    names = {"domain": "d", "sub_domain": "", "difficulty": "", "length": "", "context_id": "c"}
    return Question(question_id=question_id, evidence=EVIDENCE[question_id], **texts, **names)


QUESTIONS = {question_id: question(question_id) for question_id in EVIDENCE}


def atoms(*numbers):
    return [ATOMS[number] for number in numbers]


def table(**plans):
    return selection_table(plans, QUESTIONS, SPLITS, judged="sft", confidence=0.95)


def everyone(found, selector):
    return found[(found["selector"] == selector) & (found["split"] == "all")].iloc[0]


SFT = {"q1": atoms(0, 1), "q2": atoms(1, 0), "q3": atoms(2), "q4": []}


def test_a_row_a_selector_and_split_in_the_order_given():
    found = table(prompted=SFT, sft=SFT)
    assert list(found.columns) == SELECTION.names
    assert found["selector"].tolist() == ["prompted"] * 4 + ["sft"] * 4
    assert found["split"].tolist() == ["all", "train", "dev", "test"] * 2
    assert found["questions"].tolist() == [4, 1, 1, 2] * 2


def test_a_split_without_questions_has_no_row():
    splits = {"train": ["q1", "q2"], "dev": [], "test": ["q3", "q4"]}
    found = selection_table({"sft": SFT}, QUESTIONS, splits, judged="sft", confidence=0.95)
    assert found["split"].tolist() == ["all", "train", "test"]


def test_a_failed_plan_counts_in_the_parse_rate_and_not_in_the_size_of_plans():
    row = everyone(table(sft=SFT), "sft")
    interval = wilson(3, 4, confidence=0.95)
    assert (row["parsed"], row["parse_rate"]) == (3, 0.75)
    assert (row["wilson_low"], row["wilson_high"]) == (interval.low, interval.high)
    assert row["mean_atoms"] == pytest.approx(5 / 3)


def test_recall_is_of_spans_inside_the_union_and_zero_for_a_failed_plan():
    row = everyone(table(sft=SFT), "sft")
    assert row["evidence_questions"] == 3
    assert row["evidence_recall"] == pytest.approx((1 + 1 / 2 + 0) / 3)


def test_precision_is_of_atoms_that_hold_a_span_whole_where_there_is_a_plan():
    # q1: one of two atoms; q2: the span lies over both, so neither holds it; q4 has no plan.
    assert everyone(table(sft=SFT), "sft")["evidence_precision"] == pytest.approx((1 / 2 + 0) / 2)
    both = SFT | {"q4": atoms(0, 1, 3)}
    assert everyone(table(sft=both), "sft")["evidence_precision"] == pytest.approx((1 / 2 + 0 + 2 / 3) / 3)


def test_means_over_no_question_are_empty():
    found = table(sft={name: [] for name in QUESTIONS})
    row = everyone(found, "sft")
    assert row["parse_rate"] == 0 and row["evidence_recall"] == 0
    assert pd.isna(row["mean_atoms"]) and pd.isna(row["evidence_precision"])
    only_unknown = selection_table(
        {"sft": {"q3": atoms(0)}},
        QUESTIONS,
        {"train": ["q3"], "dev": ["q3"], "test": ["q3"]},
        judged="sft",
        confidence=0.95,
    )
    assert only_unknown["evidence_recall"].isna().all()


def test_jaccard_is_with_sft_and_empty_for_itself_and_without_it():
    early = {"q1": atoms(0), "q2": atoms(0, 1), "q3": atoms(3), "q4": []}
    found = table(sft=SFT, sft_early=early)
    assert everyone(found, "sft_early")["jaccard"] == pytest.approx((0.5 + 1 + 0 + 1) / 4)
    assert pd.isna(everyone(found, "sft")["jaccard"])
    assert table(sft_early=early)["jaccard"].isna().all()


@pytest.mark.parametrize(
    ("first", "second", "expected"), [((), (), 1), ((0,), (), 0), ((0, 1), (1, 0), 1), ((0, 1), (1, 2), 1 / 3)]
)
def test_jaccard_is_of_sets(first, second, expected):
    assert jaccard(atoms(*first), atoms(*second)) == pytest.approx(expected)


def test_a_question_without_a_plan_row_is_an_error():
    with pytest.raises(ValueError, match="q2"):
        table(sft={name: plan for name, plan in SFT.items() if name != "q2"})


def test_the_printed_table_sets_all_beside_test(tmp_path):
    table(sft=SFT, sft_early=SFT).to_csv(tmp_path / "selection.csv", index=False)
    console = Console(file=io.StringIO(), width=120)
    show(tmp_path / "selection.csv", console=console)
    printed = console.file.getvalue()
    assert "75.0 | 50.0" in printed
    assert "1.67 | 1" in printed
    assert "50.0 | 0.0" in printed


def test_no_selectors_print_nothing(tmp_path):
    table().to_csv(tmp_path / "selection.csv", index=False)
    console = Console(file=io.StringIO(), width=120)
    show(tmp_path / "selection.csv", console=console)
    assert console.file.getvalue() == ""
