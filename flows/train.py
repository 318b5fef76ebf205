"""Stage train as a Prefect flow: models/planner, models/planner_early, reports/train.json, reports/train_loss.csv."""

import csv
import logging
import shutil
import time
from pathlib import Path
from typing import Any

from prefect import flow

from flows.entry import main
from plancheck.backends.adapters import adapter_digest
from plancheck.backends.finetuning import EARLY, FINAL
from plancheck.backends.models import is_served, locked
from plancheck.params.planning import Train
from plancheck.params.study import read_params
from plancheck.plumbing.files import replacing, write_json
from tasks.train import Training, train_planner

LOG = logging.getLogger("plancheck.train")

ADAPTER, EARLY_ADAPTER = Path("models/planner"), Path("models/planner_early")
REPORT, CURVE = Path("reports/train.json"), Path("reports/train_loss.csv")
DECIMALS = 6


@flow(name="train")
def train() -> None:
    """Fine-tune the planner, and keep its adapter, the early one and how it went."""
    params = read_params()
    started = time.monotonic()
    if is_served("planner"):
        train_nothing()
        return
    training = train_planner(locked("planner"), params.train)
    for made, target in ((FINAL, ADAPTER), (EARLY, EARLY_ADAPTER)):
        with replacing(target) as temporary:
            shutil.copytree(training.work / made, temporary)
    write_json(REPORT, report(training, params.train))
    write_curve(training.trained.losses)
    # What is left of it would only be in the way: the same training, run again, is to be run, not remembered.
    shutil.rmtree(training.work)
    steps, resumed = training.trained.steps, training.trained.resumed_at
    LOG.info(
        "planner trained on %d rows: %d steps, %d of them now, in %.0f s",
        len(training.rows), steps, steps - resumed, time.monotonic() - started,
    )  # fmt: skip


def train_nothing() -> None:
    """A served planner's weights are not here; params.yaml then has no selector with an adapter of this study."""
    for target in (ADAPTER, EARLY_ADAPTER):
        with replacing(target) as temporary:
            temporary.mkdir()
    write_json(REPORT, {})
    write_curve(())
    LOG.info("models.planner is served: nothing is trained")


def report(training: Training, settings: Train) -> dict[str, Any]:
    """What reports/train.json says."""
    trained, rows = training.trained, training.rows
    return {
        "rows": len(rows),
        "dev_rows": len(training.dev),
        "steps": trained.steps,
        "early_step": settings.early_step,
        "dtype": training.dtype,
        "tokens": sum(len(row.tokens) for row in rows),
        "longest_row_tokens": max(len(row.tokens) for row in rows),
        "supervised_tokens": sum(row.supervised for row in rows),
        "fewest_supervised_tokens": min(row.supervised for row in rows),
        "losses": [round(loss, DECIMALS) for loss in trained.losses],
        "dev_loss": None if trained.dev_loss is None else round(trained.dev_loss, DECIMALS),
        "adapters": {"planner": adapter_digest(ADAPTER), "planner_early": adapter_digest(EARLY_ADAPTER)},
    }


def write_curve(losses: tuple[float, ...]) -> None:
    with replacing(CURVE) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["step", "loss"])
        writer.writerows((step, round(loss, DECIMALS)) for step, loss in enumerate(losses, start=1))


if __name__ == "__main__":
    raise SystemExit(main(train))
