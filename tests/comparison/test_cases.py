"""`plancheck compare` on the files that people have: the shared cases, each against counts made here by hand."""

import csv
import json

import pytest


def longbench(path):
    return {row["_id"]: row["judge"] for row in map(json.loads, path.read_text().splitlines())}


def semicolons(path):
    return {row["id"]: row["correct"] == "1" for row in rows(path, ";")}


def letters(path):
    return {row["question_id"]: row["pred"].strip().lower() == row["answer"].strip().lower() for row in rows(path, ",")}


def rows(path, delimiter):
    return csv.DictReader(path.read_text("utf-8-sig").splitlines(), delimiter=delimiter)


@pytest.mark.parametrize(
    ("name", "right", "fields"),
    [
        ("longbench_v2_results_{}.jsonl", longbench, {"id": "_id", "score": "judge", "format": "LongBench-v2 results"}),
        ("excel_semicolons_{}.csv", semicolons, {"id": "id", "score": "correct", "format": "CSV with semicolons"}),
        ("letters_and_gold_{}.csv", letters, {"id": "question_id", "score": None, "pred": "pred", "gold": "answer"}),
    ],
)
def test_a_file_that_people_have(figures, cases, name, right, fields):
    paths = [cases / name.format(arm) for arm in "ab"]
    a, b = map(right, paths)
    found = figures(*paths)

    assert found["a"] | fields == found["a"]
    assert found["questions"] == 40
    assert [found[arm]["correct"] for arm in ("treatment", "control")] == [sum(a.values()), sum(b.values())]
    assert found["outcomes"] == {
        "wins": sum(a[key] > b[key] for key in a),
        "losses": sum(a[key] < b[key] for key in a),
        "ties": sum(a[key] == b[key] for key in a),
    }


def test_the_fields_of_prediction_and_gold_answer_can_be_named(figures, cases):
    paths = [cases / f"letters_and_gold_{arm}.csv" for arm in "ab"]
    assert figures(*paths, "--pred", "pred", "--gold", "answer")["outcomes"] == figures(*paths)["outcomes"]
