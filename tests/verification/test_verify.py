"""A release verified: what agrees, what a changed letter moves, and contracts that a bundle breaks."""

import errno
import json
import os
import subprocess
import sys
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plancheck.plumbing.errors import StudyError
from plancheck.release.sums import SUMS
from plancheck.verification import contracts
from plancheck.verification.verify import verify


def test_a_release_is_verified_from_its_archive_and_its_page_is_made_again(study):
    found = verify(study.bundle.with_name("bundle.tar.gz"))
    assert found.differences == ()
    assert (found.tables, found.page) == (17, "is the same to the last byte")
    assert found.cells > 5_000


def test_verify_within_its_bounds_loads_no_model_library_no_orchestrator_and_no_gate(study):
    heavy = ["torch", "transformers", "sentence_transformers", "sklearn", "prefect", "dvc", "great_expectations"]
    code = (
        "import atexit, sys\n"
        f"atexit.register(lambda: print('loaded:', [name for name in {heavy} if name in sys.modules]))\n"
        "from plancheck.cli import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, "verify", str(study.bundle)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-2:] == ["Verified.", "loaded: []"]


def test_one_letter_changed_is_told_with_every_cell_that_it_moves(bundle, plancheck):
    table = pq.read_table(bundle.path / "data" / "predictions.parquet").to_pylist()
    place, row = next(
        (place, row)
        for place, row in enumerate(table)
        if (row["policy"], row["budget_chars"], row["correct"]) == ("sft+hybrid_anchor", 900, True)
    )
    wrong = "ABCD"[("ABCD".index(row["gold"]) + 1) % 4]
    bundle.change("predictions", letter=lambda letters: [*letters[:place], wrong, *letters[place + 1 :]])
    status, _, told = plancheck(bundle.path, "--all")
    assert status == 1
    found = [line.removeprefix("  - ") for line in told.splitlines() if line.startswith("  - ")]
    key = f"{row['question_id']}, sft+hybrid_anchor, 900"
    assert f"data/predictions.parquet; {key}: correct is True, rebuilt False" in found
    main = [
        line for line in found if line.startswith("main.csv; policy=sft+hybrid_anchor, budget_chars=900, split=all")
    ]
    assert any(": correct is " in line for line in main) and any(": accuracy is " in line for line in main)
    assert {"ladder.csv", "comparisons.csv"} <= {line.partition(";")[0].partition(":")[0] for line in found}
    status, out, err = plancheck(bundle.path)
    assert status == 1 and "Verified." not in out
    assert f"{len(found):,} in all. Not verified." in err and key in err
    assert f"{len(found) - 20:,} more; --all names them" in err


def test_a_changed_cell_of_a_table_is_named_with_its_row_and_both_values(bundle, plancheck):
    path = bundle.path / "reports" / "tables" / "main.csv"
    lines = path.read_text().splitlines(keepends=True)
    header, cells = lines[0].rstrip().split(","), lines[1].split(",")
    place = header.index("correct")
    old, cells[place] = cells[place], "23"
    path.write_text("".join([lines[0], ",".join(cells), *lines[2:]]))
    bundle.seal()
    status, _, err = plancheck(bundle.path)
    assert status == 1
    assert (
        f"main.csv; policy={cells[0]}, budget_chars={cells[1]}, split={cells[2]}: correct is 23, rebuilt {old}" in err
    )


def test_a_changed_page_and_changed_metrics_are_told(bundle):
    path = bundle.path / "reports" / "index.html"
    path.write_text(path.read_text().replace("<h1", "<h1 hidden", 1))
    path = bundle.path / "reports" / "metrics.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"more": 1}))
    bundle.seal()
    figure, line = verify(bundle.path).differences
    assert str(figure) == "metrics.json: more is 1, rebuilt empty"
    assert line.file == "index.html" and "hidden" in line.released


def test_the_last_digits_may_differ_between_processors(bundle):
    path = bundle.path / "reports" / "tables" / "main.csv"
    header, first, *rest = path.read_text().splitlines()
    place, cells = header.split(",").index("wilson_high"), first.split(",")
    cells[place] = repr(float(np.nextafter(float(cells[place]), 1)))
    path.write_text("\n".join([header, ",".join(cells), *rest, ""]))
    bundle.seal()
    assert all(difference.file == "index.html" for difference in verify(bundle.path).differences)


def refused(bundle, *told):
    with pytest.raises(StudyError) as caught:
        verify(bundle.path)
    for words in told:
        assert words in str(caught.value)


def test_wrong_missing_and_extra_files_are_all_named(bundle):
    (bundle.path / "README.md").write_text("other")
    (bundle.path / "params.yaml").unlink()
    (bundle.path / "more.txt").write_text("more")
    refused(bundle, "README.md: its SHA-256", "params.yaml: is missing", f"more.txt: is not in {SUMS}")


def test_a_bundle_without_a_needed_file_is_refused_though_its_sums_are_right(bundle):
    for name in ("params.yaml", "data/routing.parquet", "reports/tables/ladder.csv"):
        (bundle.path / name).unlink()
    bundle.seal()
    refused(
        bundle, "params.yaml: is missing", "data/routing.parquet: is missing", "reports/tables/ladder.csv: is missing"
    )


@pytest.mark.parametrize("lines", ["nonsense\n", f"{'0' * 64}  ../a\n", f"{'0' * 64}  a\n" * 2, "é"])
def test_sums_that_are_none_are_refused(lines, bundle):
    (bundle.path / SUMS).write_text(lines, encoding="utf-8")
    refused(bundle, SUMS)


@pytest.mark.parametrize(
    ("name", "column", "changed", "told"),
    [
        ("rankings", "score", lambda values: [float("nan"), *values[1:]], "score has 1 values that are no finite"),
        ("rerank", "score", lambda values: [float("inf"), *values[1:]], "score has 1 values"),
        ("predictions", "question_id", lambda values: [values[-1], *values[1:]], "has 2 rows"),
        ("questions", "question_id", lambda values: [values[1], *values[1:]], "has 2 rows"),
        ("predictions", "policy", lambda values: ["other", *values[1:]], "other, 900: is not in data/packed.parquet"),
        ("packed", "question_id", lambda values: ["nobody", *values[1:]], "has no row"),
        ("plans", "selector", lambda values: ["nobody", *values[1:]], "cannot be rebuilt"),
        ("routing", "policy", lambda values: ["nobody"] * len(values), "cannot be rebuilt"),
    ],
)  # fmt: skip
def test_values_that_break_the_contracts_are_refused(name, column, changed, told, bundle):
    bundle.change(name, **{column: changed})
    refused(bundle, told)


def test_rows_that_come_twice_and_columns_that_are_not_the_declared_ones_are_refused(bundle):
    place = bundle.path / "data"
    rows = pq.read_table(place / "predictions.parquet")
    pq.write_table(pa.concat_tables([rows, rows.slice(0, 1)]), place / "predictions.parquet")
    atoms = pq.read_table(place / "atoms.parquet")
    pq.write_table(atoms.append_column("text", [["x"] * len(atoms)]), place / "atoms.parquet")
    (place / "plans.parquet").write_bytes(b"PAR1 no table PAR1")
    bundle.seal()
    refused(bundle, "has 2 rows", "data/atoms.parquet: must have the columns", "data/plans.parquet: ")


def test_a_table_that_says_it_is_too_large_is_refused_before_it_is_read(bundle, monkeypatch):
    monkeypatch.setattr(contracts, "MOST_ROWS", 100)
    monkeypatch.setattr(contracts, "MOST_VALUES", 50_000)
    refused(bundle, "data/predictions.parquet: says that it has")


def test_tables_whose_bytes_are_damaged_are_refused_or_read_as_tables(bundle):
    """A footer that lies about sizes, and pages that are no pages: no crash, whatever byte is another."""
    path = bundle.path / "data" / "predictions.parquet"
    whole = path.read_bytes()
    columns = contracts.pq.read_schema(path)
    generator = np.random.default_rng(1)
    for place in generator.integers(4, len(whole) - 8, 60).tolist():
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            table = contracts.read_table(path, columns)
        except (pa.ArrowException, OSError, ValueError, MemoryError):
            continue
        assert table.schema.equals(columns)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &a [1]\nb: *a\n", "holds references"),
        ("a: {b: [", "not readable as YAML"),
        ("[" * 100_000, "is nested more than 50 deep"),
        ("- 1\n", "holds no mapping"),
        ("profile: demo\n", "break a rule"),
        ("x" * (1 << 21), "is larger than"),
    ],
    ids=["references", "broken", "deep", "no mapping", "not all", "large"],
)
def test_parameters_that_are_none_are_refused(text, told, bundle):
    (bundle.path / "params.yaml").write_text(text)
    bundle.seal()
    refused(bundle, told)


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, "{"])
def test_json_that_is_none_is_refused(text, bundle):
    (bundle.path / "reports" / "given.json").write_text(text)
    bundle.seal()
    refused(bundle, "reports/given.json: is no JSON")


def test_a_bundle_that_makes_endless_work_is_stopped_in_time_and_memory(bundle):
    """In a process of its own, for its bounds stay."""
    path = bundle.path / "params.yaml"
    path.write_text(path.read_text().replace("resamples: 200", "resamples: 2000000000"))
    bundle.seal()
    code = (
        "from plancheck.verification import bounds\n"
        "bounds.MOST_MEMORY, bounds.MOST_SECONDS = 1 << 30, 20\n"
        "from plancheck.cli import main; main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, "verify", str(bundle.path)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert "error: " in ended.stderr and "Traceback" not in ended.stderr


def test_a_bundle_or_counts_must_be_named(plancheck):
    status, _, err = plancheck()
    assert status == 1 and "Name a bundle" in err


@pytest.mark.parametrize(
    ("table", "column", "change", "told"),
    [
        ("rankings", "rank", lambda ranks: [ranks[1], ranks[0], *ranks[2:]], "a later rank has a higher score"),
        ("rerank", "rank", lambda ranks: [10**15, *ranks[1:]], "ranks are not 1 to n, each once"),
        ("plans", "atom_ids", lambda lists: [lists[0][:1], *lists[1:]], "are of several lengths"),
        ("plans", "atom_ids", lambda lists: [["nowhere"] * len(lists[0]), *lists[1:]], "nowhere has no such part"),
        ("packed", "starts", lambda lists: [[-1 for _ in starts] for starts in lists], "has no such part"),
        ("packed", "chars", lambda chars: [1] * len(chars), "1 chars do not hold its pieces"),
        ("packed", "packed_id", lambda ids: ["x", *ids[1:]], "packed_id is not that of data/packed.parquet"),
        ("predictions", "budget_chars", lambda budgets: [901, *budgets[1:]], "901: is not in data/packed.parquet"),
        ("questions", "choices", lambda counts: [10**12, *counts[1:]], "has 1000000000000 choices"),
        ("questions", "right", lambda letters: [[], *letters[1:]], "right letters []"),
        ("predictions", "letter", lambda letters: ["a", *letters[1:]], "letter is 'a' of 4 choices"),
        ("predictions", "failure", lambda found: ["error"] * len(found), "failure 'error'"),
    ],
)  # fmt: skip
def test_tables_that_contradict_each_other_are_refused_with_the_row(table, column, change, told, bundle):
    bundle.change(table, **{column: change})
    with pytest.raises(StudyError, match=f"data/{'predictions' if column == 'packed_id' else table}.parquet") as caught:
        verify(bundle.path)
    assert "contradict each other" in str(caught.value) and told in str(caught.value)


def test_escapes_of_a_stranger_do_not_reach_the_terminal(bundle, plancheck):
    bundle.change("plans", atom_ids=lambda lists: [["\x1b[2J"] * len(lists[0]), *lists[1:]])
    status, _, err = plancheck(bundle.path)
    assert status == 1 and "\\x1b[2J has no such part" in err and "\x1b" not in err


def test_parameters_of_another_version_are_told_as_such(bundle, plancheck):
    with (bundle.path / "params.yaml").open("a") as file:
        file.write("more: 1\n")
    bundle.seal()
    _, _, err = plancheck(bundle.path)
    assert "more: Extra inputs" in err and "with the version that made it" in err and "conf/" not in err


def test_infinity_in_json_is_refused_however_it_is_written(bundle):
    (bundle.path / "reports" / "metrics.json").write_text('{"x": 1e999}')
    bundle.seal()
    with pytest.raises(StudyError, match=r"metrics.json: is no JSON \(holds 1e999\)"):
        verify(bundle.path)


def test_what_is_no_bundle_is_told_before_it_is_copied(study, plancheck, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "notes").touch()
    told = {tmp_path / "pipe": "neither a folder nor a plain file", "/dev/zero": "neither a folder nor a plain file",
            tmp_path: "no SHA256SUMS", study.bundle.parent: f"It holds {study.bundle}: name that",
            study.folder: f"It holds {study.bundle}: name that"}  # fmt: skip
    for path, message in told.items():
        status, _, err = plancheck(path)
        assert status == 1 and message in err, err


def test_a_full_disk_is_told_as_such(study, plancheck, monkeypatch):
    monkeypatch.setattr("plancheck.release.unpacking.copied", Mock(side_effect=OSError(errno.ENOSPC, "No space")))
    status, _, err = plancheck(study.bundle)
    assert status == 1 and "The disk is full" in err and "Get it anew" not in err


def test_what_a_bundle_says_of_itself_is_compared_with_its_files(bundle):
    """An additional file with its sum, another type, another digest, a declaration without a lock."""
    (bundle.path / "data" / "more.csv").write_text("a\n")
    text = (bundle.path / "dictionary.csv").read_text()
    (bundle.path / "dictionary.csv").write_text(text.replace("chars,int64", "chars,int32", 1))
    metadata = json.loads((bundle.path / "croissant.json").read_text())
    metadata["distribution"][0]["sha256"] = "0" * 64
    (bundle.path / "croissant.json").write_text(json.dumps(metadata))
    declared = {"sha256": "1", "written": "2026-01-01T00:00:00Z", "commit": None, "clean": None,
                "declared_before": False, "reasons": ["so"], "elsewhere": []}  # fmt: skip
    (bundle.path / "reports" / "preregistration.json").write_text(json.dumps(declared))
    bundle.seal()
    found = [str(difference) for difference in verify(bundle.path).differences if difference.file != "index.html"]
    told = ["more.csv: row is empty", "row is int32", f"sha256 is {'0' * 64}", "sha256 of run.lock.json is 1"]
    assert len(found) == 4 and all(any(part in line for line in found) for part in told), found
