"""Stage analyze: Table 1, and what the selectors selected."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from plancheck.benchmark.tables import read_questions
from plancheck.files import DATA, read_json, read_table, replacing, write_json
from plancheck.params import Params
from plancheck.records import SPLITS, Atom
from plancheck.reporting.main_table import ALL, main_table
from plancheck.reporting.selection_table import selection_table
from plancheck.tables import read_atoms

LOG = logging.getLogger("plancheck.analyze")

MAIN = Path("reports/tables/main.csv")
SELECTION = Path("reports/tables/selection.csv")
METRICS = Path("reports/metrics.json")


def run(params: Params) -> None:
    """Write main.csv and selection.csv in reports/tables, and their main figures as metrics in reports/metrics.json."""
    listed = read_json(DATA / "splits.json")
    splits = {split: listed[split] for split in SPLITS}
    table = main_table(
        read_table(DATA / "predictions.parquet").to_pandas(),
        read_table(DATA / "packed.parquet").to_pandas(),
        splits,
        policies=list(params.pack.policies),
        budgets_chars=params.pack.budgets_chars,
        confidence=params.analyze.confidence,
    )
    selection = selection_table(
        read_plans(params.plan.selectors),
        {question.question_id: question for question in read_questions()},
        splits,
        confidence=params.analyze.confidence,
    )
    write_csv(MAIN, table)
    write_csv(SELECTION, selection)
    write_json(METRICS, metrics(table, selection))
    LOG.info("Table 1 is in %s, what the selectors selected in %s", MAIN, SELECTION)


def read_plans(selectors: Sequence[str]) -> dict[str, dict[str, list[Atom]]]:
    """The atoms of every plan, by selector as declared and by question."""
    atoms = {atom.atom_id: atom for found in read_atoms().values() for atom in found}
    plans: dict[str, dict[str, list[Atom]]] = {selector: {} for selector in selectors}
    for row in read_table(DATA / "plans.parquet", columns=["question_id", "selector", "atom_ids"]).to_pylist():
        plans[row["selector"]][row["question_id"]] = [atoms[atom_id] for atom_id in row["atom_ids"]]
    return plans


def metrics(table: pd.DataFrame, selection: pd.DataFrame) -> Mapping[str, object]:
    """Accuracy by policy and budget and failed answers, over all questions; parse rates on the test split."""
    everyone = table[table["split"] == ALL]
    accuracy: dict[str, dict[str, float]] = {}
    for row in everyone.to_dict("records"):
        accuracy.setdefault(row["policy"], {})[str(row["budget_chars"])] = round(row["accuracy"], 6)
    held_out = selection[selection["split"] == "test"]
    return {
        "accuracy": accuracy,
        "failures": int(everyone["failures"].sum()),
        "parse_rate_test": {row["selector"]: round(row["parse_rate"], 6) for row in held_out.to_dict("records")},
    }


def write_csv(path: Path, table: pd.DataFrame) -> None:
    with replacing(path) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")
