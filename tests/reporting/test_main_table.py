import io

import pandas as pd
import pytest
from rich.console import Console

from plancheck.records import FAILURES
from plancheck.reporting.main_table import KINDS, MAIN, main_table, show

SPLITS = {"train": ["q1", "q2"], "dev": ["q3"], "test": ["q4", "q5"]}
QUESTIONS = ["q1", "q2", "q3", "q4", "q5"]


def tables(correct, recall, failure=None):
    predictions = pd.DataFrame(
        {
            "question_id": QUESTIONS,
            "policy": "bm25",
            "budget_chars": 600,
            "correct": correct,
            "failure": failure or [None] * 5,
        }
    )
    packed = predictions[["question_id", "policy", "budget_chars"]].assign(
        evidence_recall=recall, plan_failed=[True, False, False, True, False]
    )
    return predictions, packed.sample(frac=1, random_state=3)


def table(predictions, packed, choices=(4, 4, 4, 4, 4)):
    counts = dict(zip(QUESTIONS, choices, strict=True))
    return main_table(predictions, packed, SPLITS, counts, policies=["bm25"], budgets_chars=[600], confidence=0.95)


def test_all_questions_and_the_test_split_each_have_a_row():
    found = table(*tables([True, False, True, True, False], [1.0, 0.0, 0.5, 1.0, 0.0]))

    assert list(found.columns) == MAIN.names
    assert found["split"].tolist() == ["all", "test"]
    assert found["correct"].tolist() == [3, 1]
    assert found["accuracy"].tolist() == [0.6, 0.5]
    assert found["evidence_recall"].tolist() == [0.5, 0.5]
    assert found["failed_plans"].tolist() == [2, 1]


@pytest.mark.parametrize(
    ("choices", "chance"),
    [
        ([4] * 5, [1 / 4, 1 / 4]),
        ([2] * 5, [1 / 2, 1 / 2]),
        ([10] * 5, [1 / 10, 1 / 10]),
        ([2, 4, 5, 10, 5], [(1 / 2 + 1 / 4 + 1 / 5 + 1 / 10 + 1 / 5) / 5, (1 / 10 + 1 / 5) / 2]),
    ],
)
def test_chance_is_the_mean_of_one_over_the_choices_of_the_questions_of_the_row(choices, chance):
    found = table(*tables([True] * 5, [1.0] * 5), choices)
    assert found["chance"].tolist() == pytest.approx(chance)


def test_a_failed_answer_stays_in_the_denominator_and_is_counted():
    failure = ["unparsable", None, None, None, "too_long"]
    found = table(*tables([False, True, True, True, False], [1.0] * 5, failure))
    assert (found["questions"].tolist(), found["correct"].tolist(), found["failures"].tolist()) == (
        [5, 2],
        [3, 1],
        [2, 1],
    )
    assert found[[*KINDS.values()]].sum(axis=1).tolist() == [2, 1]
    assert found["failures_unparsable"].tolist() == [1, 0] and found["failures_too_long"].tolist() == [1, 1]
    assert list(KINDS) == list(FAILURES)


def test_recall_is_over_the_questions_whose_evidence_is_known():
    found = table(*tables([True] * 5, [1.0, None, None, None, 0.0]))
    assert found["evidence_recall"].tolist() == [0.5, 0.0]
    unknown = table(*tables([True] * 5, [None] * 5))
    assert unknown["evidence_recall"].isna().all()


def test_a_question_without_a_row_or_with_two_is_an_error():
    predictions, packed = tables([True] * 5, [1.0] * 5)
    with pytest.raises(ValueError, match="same conditions"):
        table(predictions.iloc[1:], packed)
    with pytest.raises(ValueError, match="each question"):
        table(predictions.iloc[1:], packed[packed["question_id"] != "q1"])
    with pytest.raises(ValueError):
        table(pd.concat([predictions, predictions.iloc[:1]]), packed)


def test_the_printed_table_names_accuracy_interval_recall_and_failures(tmp_path):
    table(
        *tables([True, False, True, True, False], [1.0, 0.0, 0.5, 1.0, 0.0], [None, "too_long", None, None, None])
    ).to_csv(tmp_path / "main.csv", index=False)
    console = Console(file=io.StringIO(), width=120)
    show(tmp_path / "main.csv", console=console)

    printed = console.file.getvalue()
    assert "5 questions" in printed
    assert "60.0 [23, 88] 1 failed" in printed
    assert any(line.endswith("50") for line in map(str.rstrip, printed.splitlines()))
    assert "over all policies and budgets: too long 1." in printed
