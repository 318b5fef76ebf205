"""What the study ends with on the console: the tables, then what they say."""

import sys

from rich.console import Console

from plancheck.page.answer import answer
from plancheck.params.study import Params
from plancheck.reporting import ladder, main_table, selection_table
from plancheck.stages.report import PAGE, TABLES, read_study

PLAIN_COLUMNS = 120


def show(params: Params) -> None:
    """Print what the selectors select, the survival ladder, the answer as the page begins with it, and Table 1.

    Raises:
        StudyError: tables are missing or damaged.
    """
    console = Console(width=None if sys.stdout.isatty() else PLAIN_COLUMNS, highlight=False)
    selection_table.show(TABLES / "selection.csv", console=console)
    ladder.show(TABLES / "ladder.csv", console=console)
    told = answer(read_study(params))
    for sentence in (told.verdict, *told.points):
        console.print(sentence, markup=False, end="\n\n")
    main_table.show(TABLES / "main.csv", console=console)
    if PAGE.exists():
        print(f"The report: {PAGE}. Every table: {TABLES}")
