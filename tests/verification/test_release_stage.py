"""Stage release: what is in it, that no text is, and that it is the same each time."""

import csv
import json
import shutil
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.difference.comparing import compare
from plancheck.difference.runs import run_named
from plancheck.given.sources import source_rows
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import write_table
from plancheck.records import GIVEN_CONTEXTS
from plancheck.release.sums import SUMS, check_sums, files_of, read_sums
from plancheck.release.tables import KEYS, TEXTS, released_schema, restored, stored_schemas
from plancheck.release.texts import RUN, contents
from plancheck.stages import release, split


def runs(text):
    return {text[place : place + RUN] for place in range(len(text) - RUN + 1)}


def every_text(study):
    """Questions, choices, contexts and replies of the study, found another way than the stage does."""
    questions = read_questions(study.folder / "data" / "questions.parquet")
    yield from (question.question for question in questions)
    yield from (choice for question in questions for choice in question.choices)
    yield from read_contexts(path=study.folder / "data" / "contexts.parquet").values()
    yield study.reply


def test_no_file_of_the_release_holds_a_run_of_30_characters_of_any_text(study):
    held = {}
    for name, text in contents(study.bundle).items():
        for run in runs(text):
            held.setdefault(run, name)
    sought = set().union(*map(runs, every_text(study)))
    assert len(sought) > 10_000
    assert {(held[run], run) for run in sought & set(held)} == set()


def test_the_archive_holds_the_folder_and_nothing_of_who_made_it_or_when(study):
    with tarfile.open(study.bundle.with_name("bundle.tar.gz")) as archive:
        entries = archive.getmembers()
        held = {entry.name: archive.extractfile(entry).read() for entry in entries}
    assert held == {f"bundle/{name}": (study.bundle / name).read_bytes() for name in files_of(study.bundle)}
    assert {(entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname, entry.mode) for entry in entries} == {
        (0, 0, 0, "", "", 0o644)
    }
    check_sums(study.bundle, read_sums(study.bundle))


def test_two_releases_are_the_same_bytes_and_on_another_machine_but_for_the_environment(study, tmp_path, monkeypatch):
    shutil.copytree(study.folder, tmp_path / "clone", ignore=shutil.ignore_patterns("release"))
    monkeypatch.chdir(tmp_path / "clone")
    release.run(study.params)
    first = {name: (study.bundle.parent / name).read_bytes() for name in files_of(study.bundle.parent)}
    assert {name: (tmp_path / "clone" / "release" / name).read_bytes() for name in first} == first
    monkeypatch.setattr("platform.machine", lambda: "other")
    release.run(study.params)
    before = read_sums(study.bundle)
    after = read_sums(tmp_path / "clone" / "release" / "bundle")
    assert {name for name in before if before[name] != after[name]} == {"environment.json"}


def test_every_table_is_there_without_its_texts_and_comes_back_in_its_stored_columns(study):
    schemas = stored_schemas(study.params)
    assert set(KEYS) == set(schemas)
    for name, columns in schemas.items():
        table = pq.read_table(study.bundle / "data" / f"{name}.parquet")
        own = pq.read_table(study.folder / "data" / f"{name}.parquet")
        assert table.schema.equals(released_schema(name, columns))
        back = restored(name, table, columns)
        kept = [column for column in columns.names if column not in TEXTS.get(name, ())]
        assert back.select(kept).equals(own.select(kept))


def test_columns_of_text_are_those_that_are_declared_large_and_what_a_question_is_made_of(study):
    large = {
        (name, field.name)
        for name, columns in stored_schemas(study.params).items()
        for field in columns
        if pa.types.is_large_string(field.type)
    }
    listed = {(name, column) for name, columns in TEXTS.items() for column in columns}
    assert listed == large | {("questions", "question"), ("questions", "choices")}


def test_the_dictionary_has_each_file_and_each_column_with_its_meaning(study):
    with (study.bundle / "dictionary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["file"] for row in rows} == set(files_of(study.bundle))
    assert all(row["meaning"] for row in rows)
    for path in sorted((study.bundle / "reports" / "tables").glob("*.csv")):
        header = path.read_text().splitlines()[0].split(",")
        name = path.relative_to(study.bundle).as_posix()
        assert [row["column"] for row in rows if row["file"] == name] == header
    (letter,) = [row for row in rows if (row["file"], row["column"]) == ("data/predictions.parquet", "letter")]
    assert (letter["type"], letter["nullable"]) == ("string", "yes")


def test_croissant_describes_each_table_by_its_sum_and_its_columns(study):
    """mlcroissant itself says the same; it is not among the project's libraries."""
    made = json.loads((study.bundle / "croissant.json").read_text())
    sums = read_sums(study.bundle)
    files = {entry["@id"]: entry["sha256"] for entry in made["distribution"]}
    assert files == {f"data/{name}.parquet": sums[f"data/{name}.parquet"] for name in KEYS}
    for found in made["recordSet"]:
        name = found["name"]
        columns = pq.read_schema(study.bundle / "data" / f"{name}.parquet").names
        fields = [field["source"]["extract"]["column"] for field in found["field"]]
        assert set(columns) - set(fields) == ({"evidence"} if name == "questions" else
                                              {"documents"} if name == "contexts" else set())  # fmt: skip
        assert {field["source"]["fileObject"]["@id"] for field in found["field"]} == {f"data/{name}.parquet"}
        assert {key["@id"] for key in found["key"]} == {f"{name}/{column}" for column in KEYS[name]}
    assert made["conformsTo"] == "http://mlcommons.org/croissant/1.0"


def test_the_lock_is_without_the_stage_itself_and_without_folders_outside_the_project(study):
    lock = yaml.safe_load((study.bundle / "dvc.lock").read_text())
    assert lock == {"stages": {"split": {"deps": [{"path": "…/split.csv"}]}}}


@pytest.fixture
def clone(study, tmp_path, monkeypatch):
    folder = tmp_path / "clone"
    shutil.copytree(study.folder, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("text_of", "told"),
    [
        (lambda: next(iter(read_contexts().values()))[700:740], "context "),
        (lambda: read_questions()[0].question, "question "),
        (lambda: json.loads((release.DATA / "sft" / "train.jsonl").read_text().splitlines()[0])["completion"][0][
            "content"], "data/sft/train.jsonl line 1"),
    ],
    ids=["context", "question", "reply"],
)  # fmt: skip
def test_a_text_in_a_file_of_the_study_stops_the_release_and_leaves_the_last_one(text_of, told, study, clone):
    before = (clone / "release" / "bundle" / SUMS).read_bytes()
    text = text_of()
    assert len(text) >= RUN
    (clone / "reports" / "retrieve.json").write_text(json.dumps({"note": f"so {text[:RUN]}."}))
    with pytest.raises(StudyError) as caught:
        release.run(study.params)
    assert f"reports/retrieve.json: of {told}" in str(caught.value)
    assert text[:RUN] not in str(caught.value)
    assert (clone / "release" / "bundle" / SUMS).read_bytes() == before


def test_a_text_of_the_users_own_stops_the_release(study, clone):
    text = "what a summariser of theirs says of it"
    row = {"question_id": "q", "policy": "summary", "budget_chars": 900, "text": text, "cut": False}
    write_table(release.DATA / "given_contexts.parquet", [row], GIVEN_CONTEXTS)
    (clone / "reports" / "retrieve.json").write_text(json.dumps({"note": text}))
    with pytest.raises(StudyError, match=r"reports/retrieve.json: of data/given_contexts.parquet, text of question q"):
        release.run(study.params)


@pytest.mark.parametrize("place", [Path.cwd, Path.home], ids=["project", "home"])
def test_a_folder_of_this_machine_stops_the_release(place, study, clone):
    path = f"{place()}/models/mine"
    (clone / "reports" / "retrieve.json").write_text(json.dumps({"note": path, "url": f"https://x.org{path}"}))
    with pytest.raises(StudyError, match=f"reports/retrieve.json: {path}"):
        release.run(study.params)
    (clone / "reports" / "retrieve.json").write_text(json.dumps({"url": f"https://x.org{path}"}))
    release.run(study.params)


def test_what_is_said_of_a_file_outside_the_project_names_no_folder(tmp_path):
    path = tmp_path / "plans.jsonl"
    path.write_text(json.dumps({"about": {"name": "ours", "model": f"{tmp_path}/weights"}}) + "\n")
    (row,) = source_rows([("selectors", "mine", path)], [])
    assert (row["file"], row["system"], row["model"], row["revision"]) == ("plans.jsonl", "ours", "…/weights", None)
    assert split.source(path)["path"] == "…/plans.jsonl"


def test_a_lock_is_taken_where_there_is_one(study, clone):
    (clone / "run.lock.json").write_text("{}\n")
    release.run(study.params)
    added = set(files_of(clone / "release" / "bundle")) - set(files_of(study.bundle))
    assert added == {"run.lock.json"}


def test_missing_files_are_all_named(study, clone):
    for name in ("metrics", "given"):
        (clone / "reports" / f"{name}.json").unlink()
    with pytest.raises(StudyError) as caught:
        release.run(study.params)
    assert "reports/metrics.json" in str(caught.value) and "reports/given.json" in str(caught.value)


def difference(a, b):
    with run_named(str(a)) as one, run_named(str(b)) as other:
        return compare(one, other)


def differing(a, b):
    return {part.name for part in difference(a, b).parts if part.status == "differs"}


def test_a_study_and_its_release_differ_in_nothing_whichever_way_it_is_packed(study, clone):
    (clone / "params.yaml").write_text(yaml.safe_dump(study.params.model_dump(mode="json", exclude_defaults=True)))
    (clone / "dvc.lock").write_text("stages: {release: {cmd: x, deps: [{path: plancheck/release, md5: x}]}}\n")
    release.run(study.params)
    shutil.make_archive("zipped", "zip", "release/bundle")
    for name in ("release/bundle", "release/bundle.tar.gz", "zipped.zip"):
        assert differing(clone, name) == set()
    lacking = [part.name for part in difference("zipped.zip", clone).parts if part.status == "not compared"]
    assert lacking[0] == "training rows"


def test_releases_that_differ_in_a_letter_and_a_parameter_say_which_and_what_it_changed_for(study, bundle):
    """A release has no dvc.yaml: which stage reads a parameter stands in its dvc.lock."""
    (bundle.path / "params.yaml").write_text(
        (bundle.path / "params.yaml").read_text().replace("margin: 0.05", "margin: 0.02")
    )
    noted = {"stages": {"answer": {"params": {"params.yaml": {"analyze": {}}}}}}
    (bundle.path / "dvc.lock").write_text(yaml.safe_dump(noted))
    bundle.change("predictions", letter=lambda letters: ["C" if letters[0] == "D" else "D", *letters[1:]])
    assert differing(study.bundle, bundle.path) == {"parameters", "answers"}
    assert difference(study.bundle, bundle.path).causes["answer"] == ["parameter analyze.margin"]
