"""The `plancheck` program: the stages that need no Prefect, exports, and looking at results."""

import importlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from plancheck.caching.command import app as cache
from plancheck.difference.command import HELP as DIFF
from plancheck.difference.command import diff
from plancheck.estimating.command import HELP as ESTIMATE
from plancheck.estimating.command import estimate
from plancheck.exporting.command import app as exports
from plancheck.inspection.command import HELP as INSPECT
from plancheck.inspection.command import inspect
from plancheck.locking.command import HELP as LOCK
from plancheck.locking.command import lock
from plancheck.plumbing.errors import StudyError, say
from plancheck.plumbing.interrupts import STATUS_WHEN_INTERRUPTED, loaded
from plancheck.plumbing.lifeline import exit_with_dvc
from plancheck.plumbing.logs import set_up_logging
from plancheck.plumbing.privacy import switch_off_telemetry
from plancheck.plumbing.shortage import shortage_told
from plancheck.plumbing.threads import sleep_when_idle
from plancheck.starting.command import HELP as NEW
from plancheck.starting.command import new
from plancheck.verification.command import HELP as VERIFY
from plancheck.verification.command import verify

STAGES: Final[Mapping[str, str]] = {
    "parameters": "Check whether params.yaml can be run with here.",
    "inputs": "Check whether the study can be made of the benchmark.",
    "models": "Resolve, fetch and pin every model: models/lock.json.",
    "benchmark": "Read or generate the questions and their contexts.",
    "split": "Split the questions into train, dev and test.",
    "atoms": "Cut the contexts into atoms: windows, or spans of your own.",
    "given": "Read and check the plans that you give.",
    "rows": "Write the planner's training rows: one rewarded plan a question.",
    "leakage": "Find what test questions share with all that was learned from.",
    "pack": "Pack what each policy shows at each budget.",
    "analyze": "Make every table, the survival ladder and the metrics.",
    "report": "Make the page that shows the study: reports/index.html.",
    "release": "Make what others can check the study by, without its text: release/bundle.tar.gz.",
}

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


@app.callback()
def program() -> None:
    """Run one stage on params.yaml, as `dvc repro` does, export to a program of yours, or look at results.

    Stages that call a model, and route, are Prefect flows: `python -m flows.NAME`.
    """


def runner(name: str) -> Callable[[], None]:
    def run() -> None:
        # A stage's alone: help and compare read no parameters.
        from plancheck.locking.guard import refuse_changed
        from plancheck.params.study import read_params

        params = read_params()
        refuse_changed(params)
        importlib.import_module(f"plancheck.stages.{name}").run(params)

    return run


for _name, _help in STAGES.items():
    app.command(_name, help=_help)(runner(_name))

app.add_typer(exports, name="export")
app.add_typer(cache, name="cache")
app.command("new", help=NEW)(new)
app.command("inspect", help=INSPECT)(inspect)
app.command("diff", help=DIFF)(diff)
app.command("lock", help=LOCK)(lock)
app.command("estimate", help=ESTIMATE)(estimate)
app.command("verify", help=VERIFY)(verify)


COMPARE = """
Compare two files of per-question results, paired by question ID.

Files: data/predictions.parquet; CSV with commas, semicolons or tabs; JSON Lines; JSON; results of LongBench-v2's own \
script; samples_*.jsonl of lm-evaluation-harness; logs of inspect_ai. Each may be packed (gzip, Zstandard, bzip2, xz). \
A field inside an object is named with a dot (doc.passage).

Without a score, predictions are compared with gold answers where both are there: the same but for case and blanks is \
right, a missing prediction wrong.

Example: plancheck compare data/predictions.parquet data/predictions.parquet --where budget_chars=900 \
--where-a policy=rerank --where-b policy=bm25
"""


@app.command("compare", help=COMPARE)
def compare_results(
    file_a: Annotated[Path, typer.Argument(help="Results of A, such as a new system.", show_default=False)],
    file_b: Annotated[Path, typer.Argument(help="Results of B, such as a baseline.", show_default=False)],
    id_field: Annotated[
        list[str] | None,
        typer.Option(
            "--id", help="Field of the question's ID; else detected. Twice: of A, then of B; as the next three."
        ),
    ] = None,
    score_field: Annotated[list[str] | None, typer.Option("--score", help="Field of the score; else detected.")] = None,
    pred_field: Annotated[
        list[str] | None, typer.Option("--pred", help="Field of the prediction, to be compared with the gold answer.")
    ] = None,
    gold_field: Annotated[list[str] | None, typer.Option("--gold", help="Field of the gold answer.")] = None,
    repeats: Annotated[
        str | None,
        typer.Option(metavar="mean", help="Average several results of a question, such as epochs or seeds."),
    ] = None,
    cluster_field: Annotated[
        str | None, typer.Option("--cluster", help="Field of A that questions with a shared context share.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="FIELD=VALUE", help="Only results with that value.")
    ] = None,
    where_a: Annotated[
        list[str] | None, typer.Option("--where-a", metavar="FIELD=VALUE", help="The same, of A alone.")
    ] = None,
    where_b: Annotated[
        list[str] | None, typer.Option("--where-b", metavar="FIELD=VALUE", help="The same, of B alone.")
    ] = None,
    intersect: Annotated[bool, typer.Option("--intersect", help="Compare the questions that both files have.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the bootstrap.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    # Its libraries take a second to import: no stage waits for them.
    files = importlib.import_module("plancheck.comparison.files")
    report = importlib.import_module("plancheck.comparison.report")

    names = {"--id": id_field, "--score": score_field, "--pred": pred_field, "--gold": gold_field}
    of_a, of_b = zip(*(of_each(option, given or ()) for option, given in names.items()), strict=True)

    def selection(fields: Sequence[str | None], cluster: str | None, *wheres: Sequence[str] | None) -> Any:
        key, score, pred, gold = fields
        return files.Selection(key, score, cluster, conditions(*wheres), pred, gold, repeats)

    found = files.compare_files(
        file_a,
        file_b,
        selection_a=selection(of_a, cluster_field, where, where_a),
        selection_b=selection(of_b, None, where, where_b),
        intersect=intersect,
        seed=seed,
    )
    print(json.dumps(report.as_json(found), indent=2) if as_json else report.as_text(found))


def of_each(option: str, given: Sequence[str]) -> tuple[str | None, str | None]:
    """The field of file A and that of file B: one name stands for both, none for neither."""
    if len(given) > 2:
        raise StudyError(f"{option}: give it once for both files, or twice, first for A and then for B.")
    return (given[0], given[-1]) if given else (None, None)


def conditions(*options: Sequence[str] | None) -> dict[str, str]:
    """The values that fields must have, from FIELD=VALUE; a later one of a field holds."""
    given = [condition for option in options for condition in option or ()]
    for condition in given:
        if "=" not in condition:
            raise StudyError(f"--where {condition}: must be FIELD=VALUE, such as --where policy=bm25.")
    return dict(condition.split("=", 1) for condition in given)


def main() -> None:
    """Run the program; what the user can mend is printed without a traceback, exit status 1."""
    loaded()
    exit_with_dvc()
    switch_off_telemetry()
    sleep_when_idle()
    set_up_logging()
    for stream in (sys.stdout, sys.stderr):  # what a terminal cannot show is escaped
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with shortage_told():
            app()
    except StudyError as error:
        say(error)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(STATUS_WHEN_INTERRUPTED)
