"""Several results of a question: refused, or averaged by question and resampled by question."""

import statistics
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
EPOCHS = (DATA / "inspect_epochs_1.eval", DATA / "inspect_1.eval")


def runs(scores, **more):
    """Rows of seeds 0, 1, ... for each question's list of scores."""
    return [
        {"id": key, "seed": seed, "score": score, **more}
        for key, found in scores.items()
        for seed, score in enumerate(found)
    ]


A = {"w": [1, 0, 1], "x": [1, 1, 1], "y": [0, 0, 0], "z": [0, 1, 0]}
B = {"w": [0, 1, 1], "x": [0, 0, 1], "y": [0, 0, 0], "z": [1, 1, 0]}


def test_repeats_are_averaged_by_question_before_pairing(figures, results):
    found = figures(results("a", runs(A)), results("b", runs(B)[::-1]), "--repeats", "mean")

    assert found["questions"] == 4 and found["a"]["results"] == 12
    assert found["treatment"]["mean"] == pytest.approx(statistics.mean(map(statistics.mean, A.values())))
    assert found["outcomes"] == {"wins": 1, "losses": 1, "ties": 2}
    assert found["test"] == "sign-flip test"


def test_repeating_every_result_changes_nothing(figures, results):
    single = {key: [statistics.mean(found)] for key, found in A.items()}, {key: [found[0]] for key, found in B.items()}
    once = figures(*(results(f"once {n}", runs(scores)) for n, scores in enumerate(single)))
    thrice = [results(f"thrice {n}", runs({k: v * 3 for k, v in scores.items()})) for n, scores in enumerate(single)]
    found = figures(*thrice, "--repeats", "mean")
    assert all(
        found[name] == once[name] for name in ("interval", "p", "difference", "outcomes", "detectable", "questions")
    )


def test_equal_means_tie_whatever_the_order_and_the_number_of_repeats(figures, results):
    a = results("a", runs({"x": [0.1, 0.2, 0.3], "y": [0.1] * 3, "z": [1, 0]}))
    b = results("b", runs({"x": [0.3, 0.1, 0.2], "y": [0.1], "z": [0, 1, 1, 0]}))
    assert figures(a, b, "--repeats", "mean")["outcomes"]["ties"] == 3


def test_numbers_of_repeats_are_told(compare, results):
    a, b = results("a", runs(A)), results("b", runs(B | {"z": [1]}))
    status, out, _ = compare(a, b, "--repeats", "mean")
    assert status == 0
    assert "A: 3 results a question, which differ in seed, averaged by question, of 12" in out
    assert "B: 1 to 3 results a question, which differ in seed, averaged by question, of 10" in out


def test_what_is_averaged_is_told_where_it_is_no_repeat(compare, results):
    rows = [row | {"policy": policy} for policy in ("bm25", "dense") for row in runs(A)]
    status, out, _ = compare(results("a", rows), results("b", runs(B)), "--repeats", "mean")
    assert status == 0 and "6 results a question, which differ in seed and policy" in out


def test_without_the_option_repeats_are_refused_with_it_as_remedy(compare, results):
    a = results("a", runs(A))
    status, _, err = compare(a, a)
    assert status == 1
    assert "w: 3 results" in err and "--repeats mean" in err and "--where seed=VALUE" in err
    status, _, err = compare(a, a, "--repeats", "median")
    assert status == 1 and "--repeats must be among ['mean']" in err


def test_epochs_of_inspect_logs_are_averaged(figures, compare):
    assert figures(*EPOCHS, "--repeats", "mean")["questions"] == 8
    status, _, err = compare(*EPOCHS)
    assert status == 1 and "--repeats mean" in err and "--where epoch=VALUE" in err


def test_repeats_keep_to_one_cluster_and_one_document(compare, results):
    rows = runs(A)
    for field in ("passage", "doc_hash"):
        path = results("a", [row | {field: f"p{row['seed']}"} for row in rows])
        status, _, err = compare(path, path, "--repeats", "mean", "--cluster", field)
        assert status == 1 and f"results of one question differ in {field}" in err and "w: p0, p1, p2" in err


def test_whole_clusters_of_averaged_questions_are_resampled(figures, results):
    a = results("a", [row | {"passage": row["id"] in "wx"} for row in runs(A)])
    assert figures(a, results("b", runs(B)), "--repeats", "mean", "--cluster", "passage")["clusters"] == 2


def test_repeats_of_predictions_beside_gold_answers(figures, results):
    a = results("a", [{"id": k, "run": r, "pred": p, "gold": "A"} for k in "xy" for r, p in enumerate("ABA")])
    b = results("b", [{"id": k, "run": 0, "pred": "A", "gold": "A"} for k in "xy"])
    assert figures(a, b, "--repeats", "mean")["difference"] == pytest.approx(-1 / 3)
