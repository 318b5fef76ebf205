from plancheck.reporting.accuracy_tables import HELDOUT, heldout_table
from plancheck.statistics.proportions import wilson


def test_the_test_split_stands_beside_all_questions(study):
    results = study({"bm25": [1, 1, 0, 0, 1]}, sizes=(2, 1, 2))
    table = heldout_table(results, ["bm25"], 900, confidence=0.95)
    assert list(table.columns) == HELDOUT.names
    row = table.iloc[0]
    assert row[["test_questions", "test_correct", "test_accuracy"]].tolist() == [2, 1, 0.5]
    assert row[["all_questions", "all_correct", "all_accuracy"]].tolist() == [5, 3, 0.6]
    interval = wilson(3, 5, confidence=0.95)
    assert row[["all_low", "all_high"]].tolist() == [interval.low, interval.high]


def test_the_published_accuracy_with_its_interval(study):
    results = study({"hybrid_anchor": [1] * 182 + [0] * 321})
    row = heldout_table(results, ["hybrid_anchor"], 900, confidence=0.95).iloc[0]
    assert [round(100 * row[f"all_{name}"], 2) for name in ("accuracy", "low", "high")] == [36.18, 32.10, 40.47]
