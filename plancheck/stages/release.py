"""Stage release: what others can check the study by, without any of its text."""

import json
import logging
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from plancheck import __version__
from plancheck.benchmark.tables import CONTEXTS_FILE, QUESTIONS_FILE, each_context, read_questions
from plancheck.page.provenance import parameters_text
from plancheck.params.study import Params
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import all_problems
from plancheck.plumbing.files import DATA, read_json, read_table, replacing, write_json, write_table
from plancheck.plumbing.places import portable
from plancheck.release import dictionary, texts
from plancheck.release.archive import write_archive
from plancheck.release.croissant import croissant
from plancheck.release.environment import environment
from plancheck.release.sums import SUMS, files_of, sums_text
from plancheck.release.tables import released, released_schema, stored_schemas

LOG = logging.getLogger("plancheck.release")

RELEASE: Final = Path("release")
NAME: Final = "bundle"
HERE: Final = Path(dictionary.__file__).parent
REPORTS: Final = ("atoms", "benchmark", "given", "leakage", "metrics", "preregistration", "rerank", "retrieve")
OPTIONAL: Final = ("reports/train.json", "run.lock.json")  # of a stage and a command that need not have run
LABELS: Final = ("domain", "sub_domain", "difficulty", "length")


def run(params: Params) -> None:
    """Write release/bundle and release/bundle.tar.gz.

    Raises:
        StudyError: a file of an earlier stage is missing, or the release would hold text; the files are named.
    """
    with replacing(RELEASE) as temporary:
        folder = temporary / NAME
        schemas = write_tables(folder, params)
        copy_files(folder)
        write_own(folder, params, schemas)
        refuse_texts(folder)
        (folder / SUMS).write_text(sums_text(folder), encoding="ascii")
        write_archive(folder, temporary / f"{NAME}.tar.gz")
    LOG.info("The release is %s: %s files, none with text of the study", RELEASE, len(files_of(RELEASE / NAME)))


def write_tables(folder: Path, params: Params) -> dict[str, pa.Schema]:
    """Write the tables of data/ without text; their columns by name."""
    schemas = {name: released_schema(name, stored) for name, stored in stored_schemas(params).items()}
    for name, columns in schemas.items():
        write_table(folder / DATA / f"{name}.parquet", released(name, read_table(DATA / f"{name}.parquet")), columns)
    return schemas


def copy_files(folder: Path) -> None:
    """Copy what holds no text, as it is."""
    paths = [DATA / "splits.json", Path("models/lock.json"), Path("reports/index.html")]
    paths += [Path(f"reports/{name}.json") for name in REPORTS]
    paths += [*sorted(Path("reports/checks").glob("*.json")), *sorted(Path("reports/tables").glob("*.csv"))]
    paths += [path for path in map(Path, OPTIONAL) if path.exists()]
    if missing := [str(path) for path in paths if not path.is_file()]:
        raise all_problems("Files of earlier stages are missing:", missing, remedy="Run `dvc repro` to make them.")
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / path)


def write_own(folder: Path, params: Params, schemas: Mapping[str, pa.Schema]) -> None:
    """Write what says how the study was made, and what the release is."""
    (folder / "params.yaml").write_text(parameters_text(params.model_dump(mode="json")), encoding="utf-8")
    if Path("dvc.lock").exists():
        (folder / "dvc.lock").write_text(lock_text(Path("dvc.lock")), encoding="utf-8")
    write_json(folder / "environment.json", environment(Path("requirements.lock")))
    digests = {name: file_sha256(folder / DATA / f"{name}.parquet") for name in schemas}
    write_json(folder / "croissant.json", croissant(params.profile, __version__, schemas, digests))
    named = {"profile": params.profile, "version": __version__}
    named |= {"benchmark": params.benchmark.source, "models": "\n".join(model_lines(Path("models/lock.json")))}
    for name in ("README.md", "LICENSES.md", "CITATION.cff"):
        text = (HERE / name).read_text(encoding="utf-8")
        for key, value in named.items():
            text = text.replace(f"{{{key}}}", value)
        (folder / name).write_text(text, encoding="utf-8")
    files = dict.fromkeys([*files_of(folder), "dictionary.csv", SUMS])
    (folder / "dictionary.csv").write_text(dictionary.dictionary(files, schemas), encoding="utf-8")


def lock_text(path: Path) -> str:
    """dvc.lock without this stage, which is noted in it only afterwards, and without folders outside the project."""
    lock = yaml.safe_load(path.read_text(encoding="utf-8"))
    lock.get("stages", {}).pop("release", None)
    return yaml.safe_dump(portable_everywhere(lock), sort_keys=True, allow_unicode=True, width=100)


def portable_everywhere(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: portable_everywhere(item) for key, item in value.items()}
    if isinstance(value, list):
        return [portable_everywhere(item) for item in value]
    return portable(value) if isinstance(value, str) else value


def model_lines(path: Path) -> list[str]:
    models = read_json(path)["models"].values()
    return sorted(
        f"- {portable(model['name'])} ({model['source']}), revision {portable(model['revision'])}" for model in models
    )


def refuse_texts(folder: Path) -> None:
    """Raise a StudyError that names each file of the release which holds text of the study, and whose text."""
    questions, held = read_questions(), texts.contents(folder)
    labels = {getattr(question, label) for question in questions for label in LABELS}
    own = [path.read_text(encoding="utf-8") for path in code_texts()]
    refuse_places(held)
    found = texts.found_texts(held, study_texts(), allowed=[*labels, *own])
    if problems := [f"{file}: of {name}" for file, name in found]:
        raise all_problems(
            f"The release would hold text of the study (runs of {texts.RUN} characters):",
            problems,
            remedy="Nothing was written. If an ID is a text, such as question_id, give others; else this is a fault of "
            "plancheck: please report it.",
        )


def refuse_places(held: Mapping[str, str]) -> None:
    """Raise a StudyError that names each file which holds a path in this project's folder or the user's own."""
    places = {str(place) for place in (Path.cwd(), Path.home()) if place != place.parent}
    sought = re.compile("|".join(rf"(?<![\w.-]){re.escape(place)}/[^\s\"'<>]{{0,60}}" for place in sorted(places)))
    found = {file: match[0] for file, text in held.items() if places and (match := sought.search(text))}
    if found:
        raise all_problems(
            "The release would show folders of this machine:",
            [f"{file}: {path}" for file, path in found.items()],
            remedy="Nothing was written. Name files by paths within the project, and served models by names; run what "
            "made these files again.",
        )


def code_texts() -> Iterator[Path]:
    """What plancheck itself writes into a release: it may stand in a context too, such as a licence."""
    for folder in (HERE, HERE.parent / "page"):
        yield from (path for path in sorted(folder.iterdir()) if path.suffix in (".md", ".cff", ".html", ".css", ".js"))


def study_texts() -> Iterator[tuple[str, str]]:
    """Name and text of every question, choice, context, training row and text of the user's own."""
    for question in read_questions(QUESTIONS_FILE):
        yield f"question {question.question_id}", "\x00".join([question.question, *question.choices])
    ids = read_table(CONTEXTS_FILE, columns=["context_id"])["context_id"].to_pylist()
    for context_id, text in zip(ids, each_context(ids), strict=True):
        yield f"context {context_id}", text
    for path in sorted((DATA / "sft").glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            row = json.loads(line)
            messages = [*row["prompt"], *row["completion"]]
            yield f"{path} line {number}", "\x00".join(message["content"] for message in messages)
    for name in ("given_contexts", "packed"):
        with pq.ParquetFile(DATA / f"{name}.parquet") as file:
            for batch in file.iter_batches(columns=["question_id", "text"]):
                for row in batch.to_pylist():
                    if row["text"] is not None:
                        yield f"data/{name}.parquet, text of question {row['question_id']}", row["text"]
