"""Stage report: the page that shows the study."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from plancheck.page.drilldown import drilldown
from plancheck.page.families import families, families_of
from plancheck.page.kin import searchless, tuned_and_not, yardstick
from plancheck.page.provenance import models, parameters_text, split_digest
from plancheck.page.study import Study
from plancheck.params.models import TunedModel
from plancheck.params.ranking_rules import untuned
from plancheck.params.selectors import of_kind
from plancheck.params.study import Params
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA, read_json, read_table, replacing
from plancheck.reporting.reading import read_report
from plancheck.reporting.systems import read_systems
from plancheck.reporting.tables import TABLES as DECLARED
from plancheck.tables import read_splits

LOG = logging.getLogger("plancheck.report")

PAGE = Path("reports/index.html")
TABLES = Path("reports/tables")
TRAINING = Path("reports/train.json")
FACTS = {name: Path(f"reports/{name}.json") for name in ("atoms", "benchmark", "rerank", "retrieve")}
LOCK = Path("models/lock.json")
GIVEN = Path("reports/given.json")


def run(params: Params) -> None:
    """Write reports/index.html from the tables, without any text of the benchmark."""
    # With its charts: the console, which reads the study by this module, draws none.
    from plancheck.page.page import page

    splits = read_splits()
    html = page(
        read_study(params),
        questions=read_questions(splits, [*params.shown, *params.predictions], params.pack.budgets_chars),
        provenance=provenance(params, splits),
    )
    with replacing(PAGE) as temporary:
        temporary.write_text(html, encoding="utf-8", newline="\n")
    LOG.info("The report is %s", PAGE)


def read_study(params: Params) -> Study:
    """The tables that stage analyze wrote, and what is needed to read them.

    Raises:
        StudyError: tables are missing or damaged.
    """
    policies, base = params.pack.policies, params.models.get(params.tune.base)
    systems = [*params.contexts, *params.predictions]
    planner = params.analyze.planner or params.route.planner
    selectors = params.selectors
    selector_of = {name: policy.selector for name, policy in policies.items()}
    return Study(
        tables=read_tables(TABLES),
        training=read_training(TRAINING),
        families=families(selectors, params.analyze.tiers, systems),
        family_of=families_of(selector_of, selectors, params.analyze.tiers, systems),
        selectors=selectors,
        selector_of=selector_of,
        planner=planner,
        subject="planner" if selector_of.get(planner) else "system",
        about=kind_of_system(planner, params),
        named=params.analyze.planner is not None,
        searchless=searchless(params.analyze.tiers, policies, params.rankings),
        control=params.route.control,
        perfect=yardstick(policies, planner, of_kind(selectors, "evidence")),
        null=yardstick(policies, planner, of_kind(selectors, "random")),
        tuned=tuned_and_not(policies, untuned(params.rankings, params.tune)),
        budgets_chars=params.pack.budgets_chars,
        confidence=params.analyze.confidence,
        power=params.analyze.power,
        margin=params.analyze.margin,
        reranker_questions=base.questions if isinstance(base, TunedModel) else None,
        overflow=params.pack.overflow,
        begun=params.mine.begin_reply,
        facts={name: read_figures(path, stage=name) for name, path in FACTS.items()},
    )


def kind_of_system(name: str, params: Params) -> str:
    """What the page says of a system that is no planner of the study; empty for a planner."""
    if name in params.predictions:
        return f"{name} is a finished system: its answers alone are known, and no budget binds it."
    if name in params.contexts:
        return f"{name} is a system that writes the text to be shown, within the budget."
    return ""


def read_tables(folder: Path) -> dict[str, pd.DataFrame]:
    """Every table that stage analyze writes, by name.

    Raises:
        StudyError: tables are missing, all of them are named; or one is not as it was written.
    """
    paths = {table: folder / f"{table.name}.csv" for table in DECLARED}
    if missing := [str(path) for path in paths.values() if not path.is_file()]:
        raise all_problems("Tables of stage analyze are missing:", missing, remedy="Run `dvc repro -f analyze`.")
    return {table.name: read_report(path, table) for table, path in paths.items()}


def read_training(path: Path) -> dict[str, Any] | None:
    """What stage train reports; None where no planner was trained.

    Raises:
        StudyError: the file does not hold what stage train writes.
    """
    return read_figures(path, stage="train") if path.exists() else None


def read_figures(path: Path, *, stage: str) -> dict[str, Any]:
    """What a stage reports.

    Raises:
        StudyError: the file is missing or does not hold what the stage writes.
    """
    figures = read_json(path)
    if not isinstance(figures, dict):
        raise StudyError(f"{path}: holds no mapping of figures. Run `dvc repro -f {stage}`.")
    return figures


def read_questions(
    splits: Mapping[str, Sequence[str]], policies: Iterable[str], budgets_chars: Sequence[int]
) -> dict[str, Any]:
    """IDs, domains and letters of every question; the columns that hold benchmark text are never read."""
    columns = ["question_id", "policy", "budget_chars", "letter", "gold", "correct", "failure"]
    domains = read_table(DATA / "questions.parquet", columns=["question_id", "domain"]).to_pylist()
    predictions = read_table(DATA / "predictions.parquet", columns=columns).to_pandas()
    return drilldown(
        pd.concat([predictions, *(found[columns] for found in read_systems(budgets_chars))]),
        {row["question_id"]: row["domain"] for row in domains},
        splits,
        policies=list(policies),
        budgets_chars=budgets_chars,
    )


def provenance(params: Params, splits: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What the page says of its own origin: nothing that differs between two runs of the same inputs."""
    lock, brought = read_json(LOCK), read_figures(GIVEN, stage="given")
    files = [*sorted(TABLES.glob("*.csv")), TRAINING, *FACTS.values(), GIVEN, LOCK, DATA / "splits.json"]
    return {
        "profile": params.profile,
        "parameters": parameters_text(params.model_dump(mode="json")),
        "models": models(lock),
        "given": brought["files"],
        "prompts": brought["prompts"],
        "environment": dict(sorted(lock["environment"].items())),
        "splits": {split: len(ids) for split, ids in splits.items()},
        "split_digest": split_digest(splits),
        "files": {path.name: file_sha256(path) for path in files if path.exists()},
    }
