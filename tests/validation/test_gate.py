"""The gates as commands: what they write, what they say, and what they survive."""

import json
import logging
import re
import shutil
import threading

import pytest

from plancheck.plumbing.errors import StudyError
from validation import data_docs, gate
from validation.inputs import read_splits


@pytest.fixture
def folder(make_study, tmp_path, monkeypatch):
    """A working folder with a whole study; ``folder.write()`` writes it again after changes."""
    monkeypatch.chdir(tmp_path)
    study = make_study()
    monkeypatch.setattr(gate, "read_params", lambda: study.params)
    study.write()
    study.path = tmp_path
    return study


def pages(folder):
    return list((folder.path / "reports/data_docs").rglob("*.html"))


def holds_no_secret(folder):
    kept = [path for place in ("reports", ".plancheck") for path in (folder.path / place).rglob("*") if path.is_file()]
    return bool(kept) and not any(b"SECRET" in path.read_bytes() for path in kept)


def test_a_gate_that_passes_writes_its_report_and_one_site_for_all(folder, capsys):
    for name in ("split", "retrieval", "rows", "packed", "results"):
        assert gate.main([name]) == 0
    said = capsys.readouterr()
    counts = re.findall(r"^check_(\w+): (\d+) expectations hold", said.out, re.MULTILINE)
    assert counts == [("split", "32"), ("retrieval", "95"), ("rows", "71"), ("packed", "130"), ("results", "212")]
    assert said.err == ""
    written = json.loads((folder.path / "reports/checks/retrieval.json").read_text())
    assert written["success"] and written["expectations"] == 95
    assert written["suites"]["rankings"]["expectations"][-2] == {
        "type": "expect_column_values_to_be_between",
        "rule": "tokens are not negative",
        "success": True,
        "checked": 60,
        "unexpected": 0,
    }
    names = {page.parent.parent.parent.name for page in pages(folder)}
    assert {"questions", "splits", "rows_train", "predictions"} <= names


def test_a_report_is_the_same_bytes_again_and_the_site_does_not_grow(folder):
    reports, counts = [], []
    for _ in range(2):
        gate.check("split")
        reports.append((folder.path / "reports/checks/split.json").read_bytes())
        counts.append(len(pages(folder)))
    assert reports[0] == reports[1]
    assert counts[0] == counts[1]
    assert json.loads(reports[0])["overlap"]["question_texts"]["shared"] == 2


def test_a_failed_gate_names_everything_and_leaves_no_report(folder, capsys):
    stale = folder.path / "reports/checks/results.json"
    stale.parent.mkdir(parents=True)
    stale.write_text("{}")
    for prediction in folder.rows["predictions"]:
        prediction["correct"] = not prediction["correct"]
    folder.rows["predictions"][0]["letter"] = "SECRET reply"
    folder.rows["routing"][0]["kind"] = "fixed"
    folder.write()
    assert gate.main(["results"]) == 1
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert "data/predictions.parquet, suite predictions, correct and right: correct says whether" in error
    assert "broken by 35 of 36: q0/head/50, " in error
    assert "q3/bm25/100 and 15 more" in error  # the first 20, then a count
    assert "data/routing.parquet, suite routing, kind and entry_kind: kind is the router's; broken by 1 of" in error
    assert "a letter is that of a choice; broken by 1 of 36: q0/head/100" in error
    assert not stale.exists()
    assert pages(folder)
    assert "SECRET" not in error and holds_no_secret(folder)


def test_faults_before_the_answers_leave_no_report_for_the_stages_that_ask(folder, capsys):
    for name in ("retrieval", "packed"):
        gate.check(name)
    folder.rows["atoms"][0]["end"] = 60
    folder.rows["packed"][0]["chars"] = 101
    folder.write()
    assert [gate.main([name]) for name in ("retrieval", "packed")] == [1, 1]
    error = capsys.readouterr().err
    assert "data/atoms.parquet, suite atoms_by_context, uncovered_chars: every character is in some atom" in error
    assert "data/packed.parquet, suite packed, budget_chars and chars: a packed context fits its budget" in error
    assert "broken by 1 of 36: q0/head/100" in error
    assert sorted(path.name for path in (folder.path / "reports/checks").iterdir()) == []


def test_a_test_question_among_the_training_rows_fails_the_gate_and_leaves_no_report(folder, capsys):
    gate.check("rows")
    report = folder.path / "reports/checks/rows.json"
    assert report.exists()
    injected = folder.sft["train"][0] | {"question_id": "q4"}
    folder.sft["train"].append(injected)
    folder.write()
    assert gate.main(["rows"]) == 1
    error = capsys.readouterr().err
    assert "data/sft/train.jsonl, suite rows_train, question_id: no row is of a test question" in error
    assert "train/q4" in error
    assert not report.exists()
    assert holds_no_secret(folder)


def test_lines_that_are_no_objects_are_all_named(folder, capsys):
    path = folder.path / "data/sft/dev.jsonl"
    path.write_text(path.read_text() + '["a list"]\n{"cut sh')
    assert gate.main(["rows"]) == 1
    error = capsys.readouterr().err
    for part in ("data/sft/dev.jsonl", "line 2: not an object", "line 3: not JSON", "dvc repro -f rows"):
        assert part in error


def test_no_question_text_reaches_messages_reports_or_data_docs(folder, capsys):
    folder.rows["questions"][0]["answer"] = "SECRET"
    folder.splits["dev"] = []
    folder.write()
    assert gate.main(["split"]) == 1
    assert "SECRET" not in capsys.readouterr().err
    assert holds_no_secret(folder)


def test_pages_fetch_nothing_under_an_id_of_the_context(folder):
    gate.check("split")
    assert not [page for page in pages(folder) if "dataContextId" in page.read_text()]


def test_wrong_columns_stop_the_gate_before_contents_are_read(folder, capsys):
    import pyarrow.parquet as pq

    path = folder.path / "data/rerank.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["rank"]), path)
    assert gate.main(["retrieval"]) == 1
    error = capsys.readouterr().err
    assert "suite rerank_columns, table: the columns are question_id" in error
    assert "check_retrieval: 2 of 39 expectations do not hold" in error


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("split", "questions.parquet"),
        ("split", "splits.json"),
        ("rows", "sft/dev.jsonl"),
        ("rows", "traces.parquet"),
        ("retrieval", "contexts.parquet"),
        ("packed", "rerank_tuned.parquet"),
        ("results", "packed.parquet"),
    ],
)
def test_a_missing_table_is_named(name, file, folder, capsys):
    (folder.path / "data" / file).unlink()
    assert gate.main([name]) == 1
    assert f"data/{file}: no such file. Run `dvc repro`" in capsys.readouterr().err


def test_a_split_file_of_another_form_names_every_problem(tmp_path):
    path = tmp_path / "splits.json"
    path.write_text('{"train": ["q0"], "dev": "q1", "test": [2]}')
    with pytest.raises(StudyError) as caught:
        read_splits(path)
    for part in (
        "dev: must be a list",
        "test: must be a list",
        "seed: missing",
        "source: missing",
        "group_by: missing",
        "dvc repro",
    ):
        assert part in str(caught.value)
    path.write_text("[]")
    with pytest.raises(StudyError, match="not an object"):
        read_splits(path)


@pytest.fixture
def warned(caplog, monkeypatch):
    """What the gate logged so far, also after another test has set up logging."""
    monkeypatch.setattr(logging.getLogger("plancheck"), "propagate", True)
    return lambda: [record.getMessage() for record in caplog.records if record.name == "plancheck.check"]


def cut_short(*paths, length=9):
    for path in paths:
        path.write_text(path.read_text()[:length])


@pytest.mark.parametrize(
    ("damage", "warnings"),
    [
        (lambda home: cut_short(home / "great_expectations.yml"), 1),
        (lambda home: (home / "great_expectations.yml").unlink(), 0),  # is written like at first
        (lambda home: cut_short(*(home / "expectations").glob("*.json")), 1),
        (lambda home: cut_short(*(home / "validation_definitions").glob("*.json")), 1),
        (lambda home: cut_short(*(home / "validation_definitions").glob("*.json"), length=0), 1),
    ],
    ids=["settings", "no settings", "suites", "definitions", "empty definitions"],
)
def test_a_context_left_half_written_is_made_anew(damage, warnings, folder, warned):
    gate.check("split")
    assert warned() == []
    before = (folder.path / "reports/checks/split.json").read_bytes()
    damage(folder.path / ".plancheck/gx")
    gate.check("split")
    assert all(said.startswith("check_split failed and is tried again") for said in warned())
    assert len(warned()) == warnings
    assert (folder.path / "reports/checks/split.json").read_bytes() == before
    assert pages(folder)


def test_a_fault_of_our_own_is_raised_at_once_and_leaves_the_context(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data_docs.documented("split", lambda context: [])
    kept = tmp_path / ".plancheck/gx/kept"
    kept.touch()
    calls = []

    def work(context):
        calls.append(context)
        raise KeyError("no such column")

    with pytest.raises(KeyError, match="no such column"):
        data_docs.documented("split", work)
    assert len(calls) == 1 and kept.exists()


def test_what_great_expectations_raises_twice_is_raised_with_its_cause(tmp_path, monkeypatch, warned):
    monkeypatch.chdir(tmp_path)

    def broken(*arguments, **settings):
        raise AttributeError("of GX\nand more")

    monkeypatch.setattr(data_docs.gx, "get_context", broken)
    with pytest.raises(data_docs.ContextFault, match=r"^AttributeError: of GX$") as caught:
        data_docs.documented("split", lambda context: [])
    assert isinstance(caught.value.__cause__, AttributeError)
    assert len(warned()) == 1


def test_gates_at_once_take_turns(folder):
    results = []
    threads = [threading.Thread(target=lambda: results.append(len(gate.check("split")))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [32, 32]


def test_a_place_that_cannot_be_written_is_named(folder, capsys):
    shutil.rmtree(folder.path / "reports")
    (folder.path / "reports").write_text("a file where a folder belongs")
    assert gate.main(["split"]) == 1
    assert "cannot be written" in capsys.readouterr().err
