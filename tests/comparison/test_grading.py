"""Predictions beside gold answers, and which of the fields they and the scores are."""

import pytest

from plancheck.comparison.detection import AnswerFields
from plancheck.comparison.grading import grade
from plancheck.comparison.records import Record

FIELDS = AnswerFields("pred", "gold")


def graded(*pairs):
    return grade([Record(f"row {n}", {"pred": p, "gold": g}) for n, (p, g) in enumerate(pairs, 1)], FIELDS)


@pytest.mark.parametrize(
    ("pred", "gold", "right"),
    [
        ("B", "B", True),
        ("(b)", "B", True),
        (" B. ", "b", True),
        ("Ｂ", "B", True),
        ("C", "B", False),
        ("", "B", False),
        (None, "B", False),
        (float("nan"), "B", False),
        ("Б)", "Б", True),
        ("PARIS ", "Paris", True),
        ("New  York\n", "new york", True),
        ("ﬁne cafe\u0301", "fine café", True),
        ("Paris.", "Paris", False),
        ("Paris", "Rome", False),
        ("是", "是", True),
        (2.0, "2", True),
        ("2", 2, True),
        ("12345678901234567890", 12345678901234567891, False),
        ("2", "two", False),
        (True, "true", True),
    ],
)
def test_a_prediction_is_right_when_it_is_the_gold_answer(pred, gold, right):
    found = graded((pred, gold))
    assert (found.scores, found.problems) == ((float(right),), ())


def test_results_without_a_prediction_are_counted():
    found = graded(("", "A"), (None, "B"), ("A", "A"))
    assert (found.scores, found.unanswered) == ((0.0, 0.0, 1.0), 2)


@pytest.mark.parametrize(
    ("pairs", "problems"),
    [
        ([("The answer is B", "B"), ("A", "A")], ["row 1: gold is a letter, pred is none: 'the answer is b'"]),
        ([(1, "B"), ("A", "A")], ["row 1: gold is a letter, pred is none: '1'"]),
        ([("A", "Paris"), ("B", "Rome")], ["pred holds letters alone, gold none, such as 'paris'"]),
        ([("C", 2), ("B", 1)], ["pred holds letters alone, gold none, such as '2'"]),
        ([("A", "")], ["row 1: no gold answer in gold"]),
        (
            [("A", None), (["A"], "A")],
            ["row 2: pred must be a text or a number, got list", "row 1: no gold answer in gold"],
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(pairs, problems):
    assert list(graded(*pairs).problems) == problems


ROW = {"id": "x", "domain": "d"}
ASKED = {
    "two usual scores": ({"exact_match": 1, "f1": 0.5}, ["which field is the score", "--score: exact_match, f1"]),
    "two predictions": ({"pred": "A", "prediction": "B", "gold": "A"}, ["prediction", "--pred: pred, prediction"]),
    "two gold answers": ({"pred": "A", "answer": "B", "label": "A"}, ["gold answer", "--gold: answer, label"]),
    "gold alone": ({"answer": "A"}, ["--score", "--pred", "id, domain, answer"]),
    "scores of other names": ({"score_x": 1, "score_y": 0}, ["--score: score_x, score_y"]),
    "metrics of a harness": (
        {"metrics": ["exact_match", "f1"], "exact_match": 1, "f1": 1},
        ["--score: exact_match, f1"],
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_where_several_fields_could_be_meant_the_user_is_asked(compare, results, name):
    fields, words = ASKED[name]
    path = results("a.jsonl", [ROW | fields, ROW | fields | {"id": "y"}])
    status, _, err = compare(path, path)
    assert status == 1 and all(word in err for word in words)


@pytest.mark.parametrize(
    ("fields", "score"),
    [
        ({"Correct": True, "answer": "A", "pred": "A"}, "Correct"),
        ({"metrics": ["acc", "acc_norm"], "acc": 1, "acc_norm": 0}, "acc"),
        ({"judge": "gpt", "score": 1}, "score"),
        ({"Model Answer": "a", "correct-answer": "A"}, None),
    ],
)
def test_one_clear_field_is_taken(figures, results, fields, score):
    path = results("a.jsonl", [ROW | fields, ROW | fields | {"id": "y"}])
    found = figures(path, path)
    assert found["a"]["score"] == score and found["treatment"]["mean"] == 1


def log(results, scores):
    samples = [{"id": key, "scores": {name: {"value": v} for name, v in scores.items()}} for key in "xy"]
    return results("log.json", [{"eval": {}, "status": "success", "samples": samples}])


@pytest.mark.parametrize(
    ("scores", "names"),
    [
        ({"match": "C", "f1": 0.5}, "match, f1"),
        ({"judge": {"fluent": 1, "right": 0}}, "judge.fluent, judge.right"),
        ({"match": "C", "judge": {"right": 1}}, "match, judge.right"),
    ],
)
def test_of_several_scorers_of_a_log_none_is_picked(compare, results, scores, names):
    path = log(results, scores)
    status, _, err = compare(path, path)
    assert status == 1 and f"Name it with --score: {names}." in err


def test_a_score_within_a_scorer_is_named_with_a_dot(figures, results):
    path = log(results, {"judge": {"fluent": 1, "right": 0}})
    assert figures(path, path, "--score", "judge.right")["treatment"]["mean"] == 0
    path = log(results, {"judge": {"right": 0}})
    assert figures(path, path)["a"]["score"] == "judge.right"


def test_a_score_and_answers_are_not_both_asked_for(compare, results):
    path = results("a.jsonl", [ROW])
    status, _, err = compare(path, path, "--score", "f1", "--pred", "pred")
    assert status == 1 and "--score, or --pred and --gold" in err


def test_missing_predictions_and_other_gold_answers_are_told(compare, results):
    a = results("a.jsonl", [{"id": n, "pred": p, "gold": g} for n, (p, g) in enumerate(["AA", "AB", ("", "C")])])
    b = results("b.jsonl", [{"id": n, "pred": "A", "gold": g} for n, g in enumerate("ACC")])
    status, out, _ = compare(a, b)
    assert status == 0
    assert "A: 1 of 3 results have no prediction and count as wrong." in out
    assert "In 1 questions the gold answers of A and B differ" in out
