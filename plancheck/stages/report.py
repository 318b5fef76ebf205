"""Stage report: the page that shows the study."""

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from plancheck.errors import StudyError
from plancheck.files import DATA, read_json, read_table, replacing
from plancheck.page.drilldown import drilldown
from plancheck.page.families import families_of
from plancheck.page.page import page
from plancheck.page.provenance import models, parameters_text, split_digest
from plancheck.page.study import Study
from plancheck.params import Params
from plancheck.tables import read_splits

LOG = logging.getLogger("plancheck.report")

PAGE = Path("reports/index.html")
TABLES = Path("reports/tables")
TRAINING = Path("reports/train.json")
LOCK = Path("models/lock.json")


def run(params: Params) -> None:
    """Write reports/index.html from the tables, without any text of the benchmark."""
    splits = read_splits()
    study = Study(
        tables=read_tables(TABLES),
        training=read_json(TRAINING) if TRAINING.exists() else None,
        family_of=families_of(
            {name: policy.selector for name, policy in params.pack.policies.items()}, params.analyze.tiers
        ),
        planner=params.route.planner,
        control=params.route.control,
        budgets_chars=params.pack.budgets_chars,
        confidence=params.analyze.confidence,
        margin=params.analyze.margin,
    )
    html = page(
        study,
        questions=read_questions(splits, params.pack.policies, params.pack.budgets_chars),
        provenance=provenance(params, splits),
    )
    with replacing(PAGE) as temporary:
        temporary.write_text(html, encoding="utf-8", newline="\n")
    LOG.info("The report is %s", PAGE)


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every CSV of the folder by its name without suffix. Only an empty field is a missing value: "none" is a word.

    Raises:
        StudyError: there is no table, or one is no CSV.
    """
    tables = {}
    for path in sorted(folder.glob("*.csv")):
        try:
            tables[path.stem] = pd.read_csv(path, keep_default_na=False, na_values=[""])
        except (ValueError, OSError) as error:
            raise StudyError(f"{path}: not readable as CSV ({error}). Run `dvc repro -f analyze`.") from error
    if not tables:
        raise StudyError(f"{folder}: holds no table. Run `dvc repro` (or `make demo`) to make them.")
    return tables


def read_questions(
    splits: Mapping[str, Sequence[str]], policies: Iterable[str], budgets_chars: Sequence[int]
) -> dict[str, Any]:
    """IDs, domains and letters of every question; the columns that hold benchmark text are never read."""
    columns = ["question_id", "policy", "budget_chars", "letter", "gold", "failure"]
    domains = read_table(DATA / "questions.parquet", columns=["question_id", "domain"]).to_pylist()
    return drilldown(
        read_table(DATA / "predictions.parquet", columns=columns).to_pandas(),
        {row["question_id"]: row["domain"] for row in domains},
        splits,
        policies=list(policies),
        budgets_chars=budgets_chars,
    )


def provenance(params: Params, splits: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What the page says of its own origin: nothing that differs between two runs of the same inputs."""
    lock = read_json(LOCK)
    files = [*sorted(TABLES.glob("*.csv")), TRAINING, LOCK, DATA / "splits.json"]
    return {
        "profile": params.profile,
        "parameters": parameters_text(params.model_dump(mode="json")),
        "models": models(lock),
        "environment": dict(sorted(lock["environment"].items())),
        "splits": {split: len(ids) for split, ids in splits.items()},
        "split_digest": split_digest(splits),
        "files": {path.name: digest(path) for path in files if path.exists()},
    }


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
