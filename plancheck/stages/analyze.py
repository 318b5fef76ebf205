"""Stage analyze: Table 1."""

import logging
from pathlib import Path

from plancheck.files import DATA, read_json, read_table, replacing, write_json
from plancheck.params import Params
from plancheck.records import SPLITS
from plancheck.reporting.main_table import ALL, main_table

LOG = logging.getLogger("plancheck.analyze")

MAIN = Path("reports/tables/main.csv")
METRICS = Path("reports/metrics.json")


def run(params: Params) -> None:
    """Write reports/tables/main.csv, and its accuracies as DVC metrics in reports/metrics.json."""
    splits = read_json(DATA / "splits.json")
    table = main_table(
        read_table(DATA / "predictions.parquet").to_pandas(),
        read_table(DATA / "packed.parquet").to_pandas(),
        {split: splits[split] for split in SPLITS},
        policies=list(params.pack.policies),
        budgets_chars=params.pack.budgets_chars,
        confidence=params.analyze.confidence,
    )
    with replacing(MAIN) as temporary:
        table.to_csv(temporary, index=False, lineterminator="\n")
    metrics: dict[str, dict[str, float]] = {}
    for row in table[table["split"] == ALL].to_dict("records"):
        metrics.setdefault(row["policy"], {})[str(row["budget_chars"])] = round(row["accuracy"], 6)
    write_json(METRICS, {"accuracy": metrics, "failures": int(table.loc[table["split"] == ALL, "failures"].sum())})
    LOG.info("Table 1 is in %s", MAIN)
