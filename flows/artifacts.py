"""What a run of the study shows in Prefect: Table 1, the ladder's verdicts, the gates' outcomes, and the pages."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from prefect.artifacts import create_markdown_artifact, create_table_artifact

from plancheck.plumbing.files import read_json
from plancheck.reporting.ladder import LADDER
from plancheck.reporting.main_table import MAIN
from plancheck.reporting.reading import read_report
from plancheck.reporting.results import ALL, records
from plancheck.reporting.table import Table
from plancheck.reporting.writing import cell

TABLES = Path("reports/tables")
CHECKS = Path("reports/checks")
PAGES: Final = {"The report": Path("reports/index.html"), "Data Docs": Path("reports/data_docs/index.html")}
LADDER_FIRST: Final = ("planner", "budget_chars", "tier", "verdict", "difference")
REPORTS_URL = "PLANCHECK_REPORTS_URL"  # where a server shows the folder reports
GATE = "check_"
LAST_OF_TABLES, LAST = "analyze", "report"


def publish(done: Sequence[str], failed: tuple[str, str] | None = None) -> None:
    """Give the flow run that calls it an artifact for each thing that its stages made.

    Args:
        done: stages that are up to date, in their order.
        failed: the stage that was refused, and why; None when all went well.
    """
    gates = gate_rows(done, failed)
    if gates:
        create_table_artifact(gates, key="gates", description="What each gate judged, and the outcome.")
    if LAST_OF_TABLES in done:
        create_table_artifact(table_rows(MAIN), key="table-1", description=MAIN.notes)
        create_table_artifact(table_rows(LADDER, LADDER_FIRST), key="ladder", description=LADDER.notes)
    if links := page_links(report=LAST in done, docs=bool(gates)):
        create_markdown_artifact(links, key="report", description="The pages of this working copy, as they are now.")


def table_rows(table: Table, first: Sequence[str] = ()) -> list[dict[str, str]]:
    """The rows of all questions, under the headings and with the rounding of the report; columns ``first`` lead."""
    rows = read_report(TABLES / f"{table.name}.csv", table)
    shown = [column for column in table.shown if column.printed and column.name != "split"]
    # Prefect's page shows some five columns before one has to scroll.
    shown.sort(key=lambda column: first.index(column.name) if column.name in first else len(first))
    return [{column.header: cell(column, row) for column in shown} for row in records(rows[rows["split"] == ALL])]


def gate_rows(done: Sequence[str], failed: tuple[str, str] | None) -> list[dict[str, str]]:
    """A row for each suite of each gate that holds, and one for the gate that does not."""
    rows = [
        {"gate": stage, "suite": suite, "file": judged["file"], "expectations": str(len(judged["expectations"])),
         "outcome": "hold"}
        for stage in done if stage.startswith(GATE)
        for suite, judged in read_json(CHECKS / f"{stage.removeprefix(GATE)}.json")["suites"].items()
    ]  # fmt: skip
    if failed and failed[0].startswith(GATE):
        rows.append({"gate": failed[0], "suite": "", "file": "", "expectations": "", "outcome": failed[1]})
    return rows


def page_links(*, report: bool, docs: bool) -> str:
    """A Markdown list of the pages: over HTTP where a server shows them, else as files, which browsers open by hand."""
    wanted = {"The report": report, "Data Docs": docs}
    base = os.environ.get(REPORTS_URL)
    lines = []
    for name, path in PAGES.items():
        if wanted[name] and path.exists():
            there = f"{base}/{path.relative_to('reports')}" if base else path.resolve().as_uri()
            lines.append(f"- [{name}]({there})")
    return "\n".join(lines)
