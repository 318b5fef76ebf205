"""`plancheck diff`: what differs between two runs, in the pipeline's order, and what could not be compared."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from plancheck.plumbing.files import read_table

OVERFLOW = {"pack": {"overflow": "skip", "budgets_chars": [9]}}


@pytest.fixture
def differing(plancheck):
    """The difference of two runs, as values."""

    def diff(*names):
        status, out, err = plancheck("diff", *names, "--json")
        assert status == 0, err
        return json.loads(out)

    return diff


def part(found, name):
    return next(part for part in found["parts"] if part["part"] == name)


def statuses(found, status):
    return [part["part"] for part in found["parts"] if part["status"] == status]


def test_the_same_run_differs_in_nothing(runs, differing, plancheck):
    found = differing(*runs())
    assert not found["differs"]
    assert found["first_difference"] is None
    assert found["flips"] == []
    assert "Nothing that could be compared differs." in plancheck("diff", "a", "b")[1]


def test_a_changed_parameter_is_the_cause_of_what_its_stage_makes(runs, differing):
    names = runs(params=OVERFLOW, shown="a1", letters={"bm25": "AAB", "sft+bm25": "AAA"}, verdict="supported")
    found = differing(*names)
    assert statuses(found, "differs") == ["parameters", "packed contexts", "answers", "verdicts"]
    assert found["first_difference"] == {
        "part": "packed contexts", "stage": "pack", "causes": ["parameter pack.overflow"],
    }  # fmt: skip
    assert part(found, "parameters")["changes"] == [{"place": "pack.overflow", "a": "'cut'", "b": "'skip'"}]
    groups = part(found, "packed contexts")["groups"]
    assert {name: (group["differing"], group["rows"], group["questions"]) for name, group in groups.items()} == {
        "bm25@9": (0, 3, []), "sft+bm25@9": (1, 3, ["q2"]),
    }  # fmt: skip
    assert part(found, "verdicts")["changes"] == [
        {"place": "sft+bm25 rerank 9 test: verdict", "a": "cannot_tell", "b": "supported"}
    ]
    assert found["flips"] == [
        {"question_id": "q2", "condition": "sft+bm25@9", "letter_a": "B", "letter_b": "A", "right_in": "B"}
    ]


def test_an_answer_that_differs_with_no_known_cause_says_where_to_look(runs, plancheck):
    _, out, _ = plancheck("diff", *runs(letters={"bm25": "BAA", "sft+bm25": "ABA"}))
    assert "First difference: answers, of stage answer." in out
    assert "Nothing is known to have changed that this stage reads" in out
    assert "Questions that flipped: 2, in 2 answers; 1 are right in B alone, 1 in A alone." in out
    assert "q1: right in A alone: bm25@9 (A -> B)" in out
    assert "q3: right in B alone: bm25@9 (B -> A)" in out


def test_figures_that_differ_alone_are_told_apart_from_letters(runs, differing):
    found = differing(*runs(probs=(0.6, 0.4)))
    assert statuses(found, "differs") == ["answers"]
    for group in part(found, "answers")["groups"].values():
        assert (group["differing"], group["figures_alone"], group["columns"]) == (0, 3, {})
    assert found["flips"] == []


def test_a_policy_that_one_run_has_is_told_and_flips_nothing(runs, differing):
    found = differing(*runs(letters={"bm25": "AAB"}))
    group = part(found, "answers")["groups"]["sft+bm25@9"]
    assert (group["rows"], group["only_a"], group["only_b"]) == (3, 3, 0)
    assert found["flips"] == []


def test_a_trained_planner_that_differs_comes_before_what_it_planned(runs, differing):
    found = differing(*runs(weights=b"other", letters={"bm25": "BBB", "sft+bm25": "ABA"}))
    assert found["first_difference"]["part"] == "planner"
    assert [change["place"] for change in part(found, "planner")["changes"]] == ["adapter_model.safetensors"]


def test_lists_end_after_20_with_a_count_and_json_has_all(runs, plancheck, differing):
    many = [f"policy{number}" for number in range(25)]
    names = runs(before={"letters": dict.fromkeys(many, "AAA")}, letters=dict.fromkeys(many, "BBB"))
    _, out, _ = plancheck("diff", *names)
    assert out.count("@9: 3 of 3 rows") == 20
    assert "... and 5 more (25 in all), shown by --json" in out
    assert "right in A alone: policy0@9 (A -> B), policy1@9 (A -> B), policy2@9 (A -> B) and 22 more" in out
    assert len(differing(*names)["flips"]) == 75


def test_parts_that_a_run_lacks_are_named_with_the_reason(runs, plancheck, differing):
    names = runs()
    Path("b/data/predictions.parquet").unlink()
    found = differing(*names)
    assert not found["complete"]
    assert part(found, "answers")["notes"] == ["B: not in this folder"]
    _, out, _ = plancheck("diff", *names)
    assert "Answers were not compared." in out
    assert "answers           not compared" in out


@pytest.mark.parametrize(
    ("others", "missing", "status"),
    [({}, False, 2), ({"verdict": "supported"}, False, 1), ({}, True, 2)],
    ids=["same, but not all could be compared", "differs", "refused"],
)
def test_the_exit_status_is_that_of_diff_where_it_is_asked_for(others, missing, status, runs, plancheck):
    a, b = runs(**others)
    b = "nowhere" if missing else b
    assert plancheck("diff", a, b, "--exit-code")[0] == status
    assert plancheck("diff", a, b)[0] == (1 if missing else 0)


def test_revisions_are_compared_by_their_lock_and_the_cache(project, differing):
    project("one")
    project("two", code={"pack": "1"}, shown="a1", verdict="supported")
    found = differing("one", "two")
    assert statuses(found, "differs") == ["code and inputs", "packed contexts", "verdicts"]
    assert found["first_difference"] == {"part": "packed contexts", "stage": "pack", "causes": ["code/pack.py"]}
    assert part(found, "planner")["status"] == "same"
    assert part(found, "traces")["notes"] == [
        f"{letter}: dvc.lock of this revision does not name it, for its stage had not run" for letter in "AB"
    ]


def test_an_experiment_of_dvc_is_a_run_by_its_name(project, differing):
    project("one")
    project("two", verdict="supported")
    commit = Path(".git/refs/tags/two").read_text()
    for name in ("master/calm-auk", "main/bold-elk"):
        ref = Path(".git/refs/exps/ab/cdef") / name
        ref.parent.mkdir(parents=True, exist_ok=True)
        ref.write_text(commit)
    assert statuses(differing("one", "calm-auk"), "differs") == ["verdicts"]


def test_a_revision_and_a_folder_are_compared(project, differing, tmp_path):
    project("one")
    from_cache = differing("one", "one")
    assert not from_cache["differs"]
    assert part(from_cache, "verdicts")["status"] == "same"
    status = part(differing("one", "."), "answers")
    assert status["notes"] == ["B: not in this folder"]


def test_outputs_that_the_cache_lacks_are_told_with_the_remedy(project, plancheck):
    project("one")
    shutil.rmtree(".dvc/cache")
    _, out, _ = plancheck("diff", "one", "one")
    assert "not in DVC's cache (.dvc/cache): run `dvc fetch --all-commits`" in out


def test_a_folder_of_outputs_that_lists_no_files_is_refused(project, plancheck):
    project("one")
    for listing in Path(".dvc/cache").rglob("*.dir"):
        listing.write_text("[3]")
    status, _, err = plancheck("diff", "one", "one")
    assert status == 1
    assert "lists no files of models/planner" in err


def test_a_cache_elsewhere_is_found_by_dvcs_configuration(project, differing, tmp_path):
    project("one")
    shutil.move(".dvc/cache", tmp_path / "shared")
    Path(".dvc/config").write_text(f"[cache]\n    dir = {tmp_path / 'shared'}\n")
    assert part(differing("one", "one"), "answers")["status"] == "same"


@pytest.mark.parametrize("name", ["nowhere", "--help=x", "HEAD~99", "\x1b[2J"])
def test_what_is_neither_folder_nor_revision_is_refused(name, project, plancheck):
    project("one")
    status, _, err = plancheck("diff", "--", "one", name)
    assert status == 1
    assert "neither a folder, a release (.tar.gz, .tgz, .zip) nor a revision of this project" in err
    assert "\x1b" not in err


def test_a_damaged_table_is_named(runs, plancheck):
    names = runs()
    Path("b/data/plans.parquet").write_bytes(b"PAR1 no more")
    status, _, err = plancheck("diff", *names)
    assert status == 1
    assert "data/plans.parquet of b: not readable" in err


def test_hostile_names_do_not_reach_the_terminal(runs, plancheck):
    names = runs(params={"pack": {"overflow": "\x1b[2J\n"}}, letters={"\x1b]0;x\x07": "AAA", "a\rb": "BBB"})
    _, out, _ = plancheck("diff", *names)
    assert not set(out) & set("\x1b\x07\r")
    assert "\\x1b]0;x\\x07@9: 3 of 3 rows" in out


def test_a_column_that_an_older_run_lacks_is_not_compared_and_told(runs, differing):
    names = runs()
    path = Path("a/data/predictions.parquet")
    table = read_table(path).drop_columns(["probs"])
    path.unlink()
    pq.write_table(table, path)
    found = part(differing(*names), "answers")
    assert found["notes"] == ["not compared, for one run has no such column: probs"]
    assert all(group["differing"] == 0 for group in found["groups"].values())
