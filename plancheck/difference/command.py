"""`plancheck diff`. What it reads with is imported when it runs."""

import json
from typing import Annotated, Final

import typer

from plancheck.plumbing.errors import StudyError, say

HELP: Final = """
Compare two runs of the study, part by part in the pipeline's order: what differs first, and why.

A run is a study's folder, its release (folder, .tar.gz or .zip), or a revision of this project (commit, tag, branch \
or DVC experiment) whose outputs are in DVC's cache.

Example: plancheck diff HEAD~1 .
"""


def diff(
    run_a: Annotated[
        str, typer.Argument(metavar="RUN_A", help="A folder, a release or a revision.", show_default=False)
    ],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The other.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with nothing left out.")] = False,
    exit_code: Annotated[
        bool,
        typer.Option(
            "--exit-code", help="Exit with 1 where something differs, 2 where something could not be compared."
        ),
    ] = False,
) -> None:
    from plancheck.difference import report
    from plancheck.difference.comparing import compare
    from plancheck.difference.runs import run_named

    try:
        with run_named(run_a) as a, run_named(run_b) as b:
            found = compare(a, b)
    except StudyError as error:
        if not exit_code:
            raise
        say(error)
        raise typer.Exit(2) from error
    print(json.dumps(report.as_json(found), indent=2) if as_json else report.as_text(found))
    if exit_code and found.differs:
        raise typer.Exit(1)
    if exit_code and not found.complete:
        raise typer.Exit(2)
