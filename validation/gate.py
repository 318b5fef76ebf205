"""Run a gate, by its name in ``validation.gates``: ``python -m validation.gate split``.

A gate that passes writes reports/checks/<gate>.json, which the stages after it depend on; one that fails removes it,
names every failed expectation and exits with status 1. Either way the Data Docs in reports/data_docs are rebuilt.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import great_expectations as gx
import pandas as pd
from great_expectations.core.run_identifier import RunIdentifier
from great_expectations.data_context import AbstractDataContext

from plancheck.locking.guard import refuse_changed
from plancheck.params.study import read_params
from plancheck.plumbing.errors import SHOWN_PROBLEMS, StudyError, say
from plancheck.plumbing.files import unwritable, write_json
from plancheck.plumbing.interrupts import STATUS_WHEN_INTERRUPTED, loaded
from plancheck.plumbing.lifeline import exit_with_dvc
from plancheck.plumbing.privacy import switch_off_telemetry
from plancheck.plumbing.shortage import shortage_told
from validation import schemas
from validation.data_docs import DOCS, context_faults, documented
from validation.frames import RECORD
from validation.gates import GATES, Gate
from validation.inputs import Inputs, read_inputs
from validation.outcomes import Outcome, failed, outcomes, report

CHECKS = Path("reports/checks")


def check(name: str) -> list[Outcome]:
    """Run a gate in the working folder.

    Raises:
        StudyError: a file is missing or unreadable, or an expectation does not hold.
    """
    switch_off_telemetry()
    target = CHECKS / f"{name}.json"
    withdraw(target)
    gate = GATES[name]
    inputs = read_inputs(read_params(), gate.tables, splits=gate.splits, rows=gate.rows, leakage=gate.leakage)
    found = documented(name, lambda context: judged(gate, inputs, context, run_name=name))
    if not all(item.success for item in found):
        raise failed(name, found, docs=f"{DOCS}/index.html")
    write_json(target, report(name, found, gate.measures(inputs)))
    return found


def withdraw(report_file: Path) -> None:
    """An earlier report must not vouch for tables that this run may refuse."""
    try:
        report_file.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(report_file, error) from error


def judged(gate: Gate, inputs: Inputs, context: AbstractDataContext, *, run_name: str) -> list[Outcome]:
    """Columns and types first; contents only where those hold, because every other rule reads columns by name."""
    found = validate(schemas.frames(inputs), schemas.suites(inputs), context=context, run_name=run_name)
    if all(item.success for item in found):
        for module in gate.modules:
            found += validate(module.frames(inputs), module.suites(inputs), context=context, run_name=run_name)
    return found


def validate(
    frames: Mapping[str, pd.DataFrame],
    suites: Sequence[gx.ExpectationSuite],
    *,
    context: AbstractDataContext,
    run_name: str = "",
) -> list[Outcome]:
    """Each suite on the frame of its name; results are kept in the context's store."""
    found: list[Outcome] = []
    with context_faults():
        tables = context.data_sources.add_or_update_pandas("tables")
    for suite in suites:
        frame = frames[suite.name]
        with context_faults():
            batch = tables.add_dataframe_asset(suite.name).add_batch_definition_whole_dataframe("whole")
            stored = context.suites.add_or_update(suite)
            definition = gx.ValidationDefinition(name=suite.name, data=batch, suite=stored)
            result = context.validation_definitions.add_or_update(definition).run(
                batch_parameters={"dataframe": frame},
                result_format={
                    "result_format": "SUMMARY",
                    "partial_unexpected_count": SHOWN_PROBLEMS,
                    "unexpected_index_column_names": [RECORD] if RECORD in frame else [],
                },
                run_id=RunIdentifier(run_name=run_name),
            )
        found += outcomes(suite, result)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m validation.gate", description="Check whether tables may be used.")
    parser.add_argument("gate", choices=list(GATES))
    name = parser.parse_args(arguments).gate
    loaded()
    exit_with_dvc()
    try:
        with shortage_told():
            refuse_changed(read_params())
            found = check(name)
    except StudyError as error:
        say(error)
        return 1
    except KeyboardInterrupt:
        return STATUS_WHEN_INTERRUPTED
    print(f"check_{name}: {len(found)} expectations hold. Report: {CHECKS / name}.json, details: {DOCS}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
