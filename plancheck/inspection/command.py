"""`plancheck inspect`. What it reads with is imported when it runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from plancheck.plumbing.errors import SHOWN_PROBLEMS, StudyError

if TYPE_CHECKING:
    from plancheck.inspection.cases import Case
    from plancheck.inspection.conditions import Rows
    from plancheck.inspection.reading import Study
    from plancheck.inspection.wins import Win

HELP: Final = """
Look at one question: what was shown, asked and answered in each condition, and why it counts as it does.

Example: plancheck inspect QUESTION --condition rerank@900

--wins A B walks the questions that A answers right and B does not.
"""


def inspect(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="Its ID, or the beginning of just one.", show_default=False)
    ] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(
            "--condition",
            metavar="POLICY@BUDGET",
            help="This condition in full; again for more. A policy alone is all its budgets. Without: an overview.",
        ),
    ] = None,
    wins: Annotated[
        tuple[str, str] | None, typer.Option("--wins", metavar="A B", help="The questions that A wins against B.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", metavar="CHARS", help="Of --wins; else the largest that both have.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page; - is standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    full: Annotated[bool, typer.Option("--full", help="On the terminal: prompts whole, and every win.")] = False,
) -> None:
    from plancheck.inspection.reading import Study

    if wins and (question or condition):
        raise StudyError("--wins walks questions by itself: leave QUESTION and --condition out.")
    if not wins and not question:
        raise StudyError("Name a question, or --wins A B. The IDs are in data/questions.parquet and on the page.")
    if budget is not None and not wins:
        raise StudyError("--budget: goes with --wins. Of one question give --condition POLICY@BUDGET.")
    study = Study.read()
    if wins:
        walk(study, wins, budget, html=html, force=force, full=full)
        return
    meant = study.meant(question or "")
    rows = study.rows([meant])
    cases = study.cases(rows, [(meant, condition or ())])
    if html:
        write_page(cases, rows, html, title=f"Question {meant}", force=force)
        return
    from plancheck.inspection.terminal import line, question_parts, show

    show(line(problem) for problem in rows.missing)
    for case in cases:
        show(question_parts(case, full=full))


def walk(
    study: "Study", pair: tuple[str, str], budget: int | None, *, html: Path | None, force: bool, full: bool
) -> None:
    found = study.wins(*pair, budget_chars=budget)
    wanted = [(win.question_id, (win.winner.name, win.loser.name)) for win in found]
    walked = wanted if full or html else wanted[:SHOWN_PROBLEMS]
    rows = study.rows([question_id for question_id, _ in walked] or list(study.questions))
    cases = study.cases(rows, walked)
    if html:
        write_page(cases, rows, html, title=f"{pair[0]} wins against {pair[1]}", wins=found, force=force)
        return
    from plancheck.inspection.terminal import line, question_parts, show, win_parts

    show(line(problem) for problem in rows.missing)
    show(win_parts(found, *pair, study.split_of))
    for case in cases:
        show(question_parts(case, full=full))
    if len(walked) < len(wanted):
        show([line(f"... and {len(wanted) - len(walked)} more, shown by --full or --html FILE")])


def write_page(
    cases: "Iterator[Case]", rows: "Rows", html: Path, *, title: str, force: bool, wins: "Sequence[Win]" = ()
) -> None:
    from plancheck.exporting.destination import write_lines
    from plancheck.inspection.page import page

    write_lines(page(cases, title=title, missing=rows.missing, wins=wins), html, force=force)
