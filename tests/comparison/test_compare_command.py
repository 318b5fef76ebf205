"""`plancheck compare` on files that lm-evaluation-harness and inspect_ai wrote, and on our own and anyone's tables."""

import csv
import json
import re
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from plancheck import cli

DATA = Path(__file__).parent / "data"
SUMS = (DATA / "samples_sums_1.jsonl", DATA / "samples_sums_2.jsonl")
GENS = (DATA / "samples_gens_1.jsonl", DATA / "samples_gens_2.jsonl")
LOGS = (DATA / "inspect_1.eval", DATA / "inspect_2.eval")
TWO_SCORERS = (DATA / "inspect_two_scorers_1.json", DATA / "inspect_two_scorers_2.json")


def table(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def logged(path, score):
    return {row["doc"]["qid"]: row[score] for row in map(json.loads, path.read_text().splitlines())}


def held_out(folder):
    """The published held-out comparison: 12 wins, 20 losses, 44 both right, 76 both wrong."""
    scores = [(1, 0)] * 12 + [(0, 1)] * 20 + [(1, 1)] * 44 + [(0, 0)] * 76
    arms = [[{"id": f"q{i}", "correct": pair[arm]} for i, pair in enumerate(scores)] for arm in (0, 1)]
    return table(folder / "a.csv", arms[0]), lines(folder / "b.jsonl", arms[1][::-1])


def test_the_published_comparison_in_words(compare, tmp_path):
    status, out, _ = compare(*held_out(tmp_path))

    assert status == 0
    for words in (
        "questions         152",
        "36.84 % [",
        "42.11 % [",
        "12 wins, 20 losses, 120 ties",
        "-5.26 points [-12.50, +1.97]",
        "p = 0.215 (exact, two-sided)",
        "discordance       21.1 %",
        "a difference of 10.8 points at 80 % power and 5 % level",
    ):
        assert words in out


def test_the_published_comparison_as_json(figures, tmp_path):
    found = figures(*held_out(tmp_path))

    assert found["outcomes"] == {"wins": 12, "losses": 20, "ties": 120}
    assert found["treatment"]["correct"] == 56
    assert found["interval"]["low"] == -0.125
    assert found["bootstrap"] == {"resamples": 10_000, "seed": 0}
    assert found["a"]["format"] == "CSV" and found["b"]["format"] == "JSON Lines"
    assert figures(*held_out(tmp_path), "--seed", 1)["p"] == found["p"]


def test_samples_of_lm_evaluation_harness(figures):
    found = figures(*SUMS)
    first, second = (logged(path, "acc") for path in SUMS)

    assert (found["a"]["format"], found["a"]["id"], found["a"]["score"]) == (
        "lm-evaluation-harness samples",
        "doc_id",
        "acc",
    )
    assert found["questions"] == 8
    assert (found["treatment"]["correct"], found["control"]["correct"]) == (sum(first.values()), sum(second.values()))
    assert found["outcomes"]["wins"] == sum(first[key] > second[key] for key in first)


def test_another_metric_id_and_cluster_of_lm_evaluation_harness(figures):
    found = figures(*SUMS, "--score", "acc_norm", "--id", "doc.qid", "--cluster", "doc.story")

    assert found["treatment"]["correct"] == sum(logged(SUMS[0], "acc_norm").values())
    assert found["clusters"] == 2


def test_two_filters_of_lm_evaluation_harness_must_be_told_apart(compare, figures):
    status, _, err = compare(*GENS)

    assert status == 1
    assert "0: 2 results" in err and "--where filter=VALUE" in err and "strict-match, flexible-extract" in err
    assert figures(*GENS, "--where", "filter=strict-match")["questions"] == 8


def test_other_documents_under_the_same_number_are_refused(compare, tmp_path):
    rows = [json.loads(line) for line in SUMS[1].read_text().splitlines()]
    rows[3]["doc_hash"] = "0" * 64
    status, _, err = compare(SUMS[0], lines(tmp_path / "other.jsonl", rows))

    assert status == 1
    assert "doc_hash" in err and "  - 3\n" in err


def test_logs_of_inspect_ai_in_both_formats_and_dumped(figures):
    archive = figures(*LOGS)
    scores = [
        {s["id"]: s["scores"]["match"]["value"] == "C" for s in json.loads(path.read_text())["samples"]}
        for path in TWO_SCORERS
    ]

    assert archive["a"]["format"] == "inspect_ai log"
    assert archive["questions"] == 8
    assert [archive[arm]["correct"] for arm in ("treatment", "control")] == [sum(arm.values()) for arm in scores]
    assert figures(DATA / "inspect_dump_1.json", LOGS[1])["outcomes"] == archive["outcomes"]
    assert figures(*TWO_SCORERS, "--score", "match")["outcomes"] == archive["outcomes"]
    assert figures(*LOGS, "--cluster", "metadata.passage")["clusters"] == 3


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        (TWO_SCORERS, ["--score", "match, includes"]),
        ((DATA / "inspect_epochs_1.eval", LOGS[1]), ["q0: 2 results", "--where epoch=VALUE", "epoch is 1, 2"]),
        ((DATA / "inspect_failed.eval", LOGS[1]), ["inspect_failed.eval", "no sample was scored"]),
    ],
)
def test_logs_of_inspect_ai_that_leave_a_question_open(compare, paths, words):
    status, _, err = compare(*paths)

    assert status == 1
    assert all(word in err for word in words)


def test_an_epoch_can_be_chosen_for_one_file(figures):
    assert figures(DATA / "inspect_epochs_1.eval", LOGS[1], "--where-a", "epoch=1")["questions"] == 8


def test_a_damaged_archive_names_the_remedy(compare, tmp_path):
    content = bytearray(LOGS[0].read_bytes())
    with zipfile.ZipFile(LOGS[0]) as archive:
        start = archive.getinfo("samples/q0_epoch_1.json").header_offset
    content[start + 200 : start + 300] = bytes(100)
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(content)
    status, _, err = compare(damaged, LOGS[1])

    assert status == 1
    assert "damaged.eval" in err and "inspect log convert" in err


@pytest.fixture
def predictions(tmp_path):
    rows = [
        {"question_id": f"q{i}", "policy": policy, "budget_chars": budget, "correct": i % step == 0}
        for policy, step in (("planner", 2), ("bm25", 3))
        for budget in (600, 900)
        for i in range(12)
    ]
    path = tmp_path / "predictions.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_two_policies_of_our_predictions(figures, predictions):
    found = figures(
        predictions,
        predictions,
        "--where",
        "budget_chars=600",
        "--where-a",
        "policy=planner",
        "--where-b",
        "policy=bm25",
    )
    assert (found["treatment"]["correct"], found["control"]["correct"]) == (6, 4)
    assert found["outcomes"] == {"wins": 4, "losses": 2, "ties": 6}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            [],
            ["q0: 4 results", "--where policy=VALUE --where budget_chars=VALUE", "policy is bm25, planner", "600, 900"],
        ),
        (["--where", "budget_chars=601"], ["no result has budget_chars=601", "600, 900"]),
        (["--where", "budget=600"], ["No result has a field budget; the fields are question_id, policy, budget_chars"]),
        (["--where", "bm25"], ["--where bm25", "FIELD=VALUE"]),
    ],
)
def test_a_selection_that_is_not_clear_lists_what_there_is(compare, predictions, options, words):
    status, _, err = compare(predictions, predictions, *options)

    assert status == 1
    assert all(word in err for word in words)


def test_questions_in_one_file_only_are_refused_or_left_out_on_request(compare, figures, tmp_path):
    a = lines(tmp_path / "a.jsonl", [{"id": i, "score": i % 2} for i in range(10)])
    b = lines(tmp_path / "b.jsonl", [{"id": i, "score": 1} for i in range(3, 12)])
    status, _, err = compare(a, b)

    assert status == 1
    assert f"{a} only: 0" in err and f"{b} only: 11" in err and "--intersect" in err
    found = figures(a, b, "--intersect")
    assert (found["questions"], found["a"]["left_out"], found["b"]["left_out"]) == (7, 3, 2)
    assert "left out: 3 in A only, 2 in B only" in compare(a, b, "--intersect")[1]


def test_scores_that_are_not_0_or_1_are_compared_by_their_means(compare, tmp_path):
    a = lines(tmp_path / "a.jsonl", [{"id": i, "f1": i / 10} for i in range(10)])
    b = lines(tmp_path / "b.jsonl", [{"id": str(i), "f1": i / 20} for i in range(10)])
    status, out, _ = compare(a, b)

    assert status == 0
    assert "mean 0.45\n" in out and "9 wins, 0 losses, 1 ties" in out and "paired t test" in out
    assert "p = 0.004" in out and "right" not in out


BAD_FILES = {
    "nothing": ("", ["is empty"]),
    "blanks": ("\n \n", ["is empty"]),
    "prose": ("Results follow.\n", ["no heading of columns", "CSV"]),
    "a heading alone": ("id,score\n", ["holds no result"]),
    "an empty array": ("[]", ["holds no result"]),
    "a truncated array": ('[{"id": 1', ["not valid JSON"]),
    "an array of numbers": ("[1, 2]", ["record 1: must be an object", "record 2"]),
    "an object of results": ('{\n"results": {}\n}', ["no inspect_ai log"]),
    "bad lines": ('{"id": 1, "score": 1}\n{"id"\n7\n', ["line 2: not valid JSON", "line 3: must be an object"]),
    "bytes that are no text": (b"id,score\n\xff,1\n", ["invalid UTF-8 at byte 9"]),
    "ragged rows": ("id,score\n1,1,1\n2\n", ["row 1: not 2 values", "row 2: not 2 values"]),
    "no ID": ("name,score\nx,1\n", ["--id", "name, score"]),
    "no score": ("id,mark\nx,1\n", ["--score", "id, mark"]),
    "a missing ID": ("id,score\n,1\ny,0\n", ["row 1: no question ID in id"]),
    "missing scores": (
        "id,score\nx,\ny,high\nz,nan\n",
        ["row 1: no score", "row 2: score must be", "row 3: score must"],
    ),
    "digits in groups": ("id,score\nx,1_0\ny,0\n", ["row 1: score must be"]),
    "a doubled ID": ("id,score\nx,1\nx,0\ny,1\n", ["x: 2 results", "Keep one result a question"]),
    "a NaN as ID": ('{"id": NaN, "score": 1}\n{"id": "y", "score": 0}\n', ["line 1: no question ID in id"]),
    "a score beyond floats": (f'{{"id": "x", "score": 1{"0" * 400}}}\n', ["line 1: score must be a finite number"]),
    "a score without a variance": (
        '{"id": "x", "score": 1e308}\n',
        ["line 1: score must be a finite number up to 1e100"],
    ),
    "a doubled column": ("id,score,score\nx,1,0\ny,1,0\n", ["several columns of one name", "  - score\n"]),
    "a doubled field": ('[{"id": "x", "score": 1, "score": 0}]', ["several fields called score"]),
    "a blank heading": (",\nx,1\ny,0\n", ["no field has a name", "Name the fields"]),
    "objects without fields": ("[{}, {}]", ["no field has a name"]),
    "a deep array": ("[" * 200_000, ["nested too deeply"]),
    "a deep value": ('{"id": 1, "score": 1}\n{"id": ' + "[" * 100_000 + "]" * 100_000 + "}\n", ["line 2: not valid"]),
    "damaged Parquet": (b"PAR1 and no more", ["damaged Parquet data"]),
    "a ZIP archive": (b"PK\x03\x04 and no more", ["not readable as an .eval log"]),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_named_with_the_place_the_rule_and_the_remedy(name, compare, tmp_path):
    content, words = BAD_FILES[name]
    bad, good = tmp_path / "bad", lines(tmp_path / "good", [{"id": "x", "score": 1}, {"id": "y", "score": 0}])
    bad.write_bytes(content if isinstance(content, bytes) else content.encode())
    status, out, err = compare(bad, good)

    assert (status, out) == (1, "")
    assert str(bad) in err
    for word in words:
        assert word in err


@pytest.fixture
def refused(compare):
    """What is said of a bad file, without its name."""

    def run(path):
        status, out, err = compare(path, path)
        assert (status, out) == (1, "")
        assert str(path) in err
        return err.replace(str(path), "")

    return run


SAMPLES = {
    "a number for a sample": ([1, {"id": 2}], ["sample 1: must be an object, got int"]),
    "a list for a sample": ([{"id": 1}, []], ["sample 2: must be an object, got list"]),
    "a list for scores": ([{"id": 1, "scores": [1]}], ["sample 1: scores must be an object"]),
    "a number for a score": ([{"id": 1, "scores": {"match": 1}}], ["sample 1: scores must be an object"]),
}


def log(path, samples):
    path.write_text(json.dumps({"eval": {}, "status": "success", "samples": samples}))
    return path


def archived(path, samples, **options):
    with zipfile.ZipFile(path, "w", **options) as archive:
        archive.writestr("header.json", "{}")
        for number, sample in enumerate(samples, start=1):
            archive.writestr(f"samples/{number}.json", json.dumps(sample))
    return path


@pytest.mark.parametrize("write", [log, archived])
@pytest.mark.parametrize("name", SAMPLES)
def test_samples_of_another_shape_are_named(refused, tmp_path, write, name):
    samples, words = SAMPLES[name]
    err = refused(write(tmp_path / "log", samples))
    for word in [*words, "inspect log dump"]:
        assert word in err


@pytest.mark.parametrize("samples", [{"a": 1}, 5, "text", False])
def test_a_log_whose_samples_are_no_array(refused, tmp_path, samples):
    assert "samples must be an array" in refused(log(tmp_path / "log", samples))


@pytest.mark.parametrize(
    ("local", "central", "value", "words"),
    [(6, 8, 1, "encrypted"), (8, 10, 9, "not supported")],
    ids=["encrypted", "unknown method"],
)
def test_an_archive_that_cannot_be_unpacked(refused, tmp_path, local, central, value, words):
    path = archived(tmp_path / "log", [{"id": 1}])
    content = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        for part in range(content.count(signature)):
            content[_nth(content, signature, part) + offset] = value
    path.write_bytes(content)
    err = refused(path)
    assert words in err and "inspect log convert" in err


def _nth(content, signature, part):
    found = content.find(signature)
    for _ in range(part):
        found = content.find(signature, found + 1)
    return found


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_entry_of_each_method(refused, tmp_path, method):
    path = archived(tmp_path / "log", [{"id": 1, "text": "abc" * 300}], compression=method)
    content = bytearray(path.read_bytes())
    start = content.find(b"samples/1.json") + len("samples/1.json") + 15
    content[start : start + 10] = b"\xff" * 10
    path.write_bytes(content)
    assert "inspect log convert" in refused(path)


def _not_utf8():
    offsets, letters = (pa.array(values, pa.int32()).buffers()[1] for values in ([0, 1, 2], [-1, -1]))
    return pa.StringArray.from_buffers(2, offsets, letters)


@pytest.mark.parametrize("column", [_not_utf8(), pa.array([2**62, 1], pa.timestamp("us"))], ids=["text", "time"])
def test_parquet_values_that_cannot_be_read_are_named_by_column(refused, tmp_path, column):
    path = tmp_path / "table"
    pq.write_table(pa.table({"id": ["x", "y"], "score": [1, 0], "other": column}), path)
    assert "unreadable values in column other" in refused(path)


def test_parquet_columns_of_one_name_are_refused_as_those_of_csv(refused, tmp_path):
    table = pa.Table.from_arrays([pa.array(["x", "y"]), pa.array([1, 0]), pa.array([0, 1])], ["id", "score", "score"])
    pq.write_table(table, tmp_path / "table")
    assert "several columns of one name\n  - score\n" in refused(tmp_path / "table")


def test_a_missing_file_and_a_folder_are_named(compare, tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        status, _, err = compare(path, path)
        assert status == 1 and str(path) in err


def test_a_field_given_twice_is_that_of_a_and_that_of_b(compare, tmp_path):
    a = lines(tmp_path / "a", [{"qid": key, "id": key + "!", "f1": 0.5} for key in "xyz"])
    b = lines(tmp_path / "b", [{"query": key, "em": 0.25} for key in "zyx"])
    status, out, _ = compare(a, b, "--id", "qid", "--id", "query", "--score", "f1", "--score", "em")
    assert status == 0 and "ID qid" in out and "ID query" in out and "3 wins" in out

    status, _, err = compare(a, b, "--id", "qid", "--id", "query", "--id", "id")
    assert status == 1 and "--id: give it once for both files, or twice" in err


def test_the_example_in_the_help_is_of_the_demo():
    parameters = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())["pack"]
    asked = dict(re.findall(r"--where(?:-[ab])? (\w+)=(\w+)", cli.COMPARE))
    assert int(asked["budget_chars"]) in parameters["budgets_chars"]
    assert asked["policy"] in parameters["policies"]


@pytest.mark.parametrize("common", [0, 1])
def test_fewer_than_two_common_questions_are_refused(compare, tmp_path, common):
    a = lines(tmp_path / "a", [{"id": i, "score": 1} for i in range(2)])
    b = lines(tmp_path / "b", [{"id": 2 - common + i, "score": 1} for i in range(2)])
    status, _, err = compare(a, b, "--intersect")
    assert status == 1 and f"share {common} questions" in err


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffid,score\na,1\nb,0\n",
        "id\tscore\r\na\ttrue\r\nb\tfalse\r\n",
        "id,score\na,C\nb,I\n",
        "id,score,,\na,1,,\nb,0,,\n",
    ],
)
def test_spellings_of_a_table(figures, tmp_path, text):
    path = tmp_path / "table"
    path.write_bytes(text.encode())
    assert figures(path, path)["treatment"]["mean"] == 0.5
