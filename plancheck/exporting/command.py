"""`plancheck export`: what a user's own program is given of the study. What an export reads is imported by it alone."""

import json
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

LOG = logging.getLogger("plancheck.export")

HELP: Final = """
Write what a program of your own is to work on: it never holds a gold letter or a gold span, but for qrels.

Example: plancheck export candidates --split all --out candidates.jsonl

Formats, and how what your program writes comes back: docs/bring-your-own.md.
"""

SplitOption = Annotated[
    Literal["train", "dev", "test", "all"],
    typer.Option("--split", help="Whose questions. Learn from train and dev alone."),
]
OutOption = Annotated[Path, typer.Option("--out", metavar="FILE", help="File to write; - is standard output.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")]
TextOption = Annotated[bool, typer.Option("--text", help="With the texts.")]

app = typer.Typer(no_args_is_help=True, help=HELP, short_help="Write what a program of your own is to work on.")


@app.command("candidates")
def export_candidates(out: OutOption, split: SplitOption = "all", force: ForceOption = False) -> None:
    """Each question with the atoms that a planner chooses among: JSON Lines."""
    from plancheck.exporting import sources, texts

    questions = sources.chosen(split, *sources.TEXTS, sources.CANDIDATES_FILE)
    write_json_lines(texts.candidate_rows(questions), out, force=force)


@app.command("atoms")
def export_atoms(
    out: OutOption, split: SplitOption = "all", text: TextOption = False, force: ForceOption = False
) -> None:
    """Every atom of the questions' contexts: JSON Lines."""
    from plancheck.exporting import sources, texts

    questions = sources.chosen(split, *sources.TEXTS)
    write_json_lines(texts.atom_rows(questions, with_text=text), out, force=force)


@app.command("questions")
def export_questions(
    out: OutOption, split: SplitOption = "all", text: TextOption = False, force: ForceOption = False
) -> None:
    """Each question with its choices, and its whole context with --text: JSON Lines."""
    from plancheck.exporting import sources, texts

    questions = sources.chosen(split, *sources.TEXTS[: 2 if text else 1])
    write_json_lines(texts.question_rows(questions, with_context=text), out, force=force)


@app.command("run")
def export_run(
    out: OutOption,
    ranking: Annotated[str, typer.Option("--ranking", metavar="NAME", help="Name of the ranking.")],
    split: SplitOption = "all",
    force: ForceOption = False,
) -> None:
    """A ranking of every question's atoms: a TREC run."""
    from plancheck.exporting import judgements, sources
    from plancheck.params.study import read_params

    params = read_params()
    judgements.refuse_unknown_ranking(ranking, params.rankings)
    tables = judgements.tables_of(ranking, params.rankings, params.tune.role)
    questions = sources.chosen(split, sources.ATOMS_FILE, *judgements.files_of(tables))
    write(judgements.run_lines(questions, ranking, params.rankings, tables), out, force=force)


@app.command("qrels")
def export_qrels(out: OutOption, split: SplitOption = "all", force: ForceOption = False) -> None:
    """The atoms that hold gold evidence, where it is known: TREC qrels. Not for a program that is to be judged."""
    from plancheck.exporting import judgements, sources

    questions = sources.chosen(split, sources.ATOMS_FILE)
    write(judgements.qrels_lines(questions), out, force=force)


@app.command("prompts")
def export_prompts(
    out: OutOption,
    split: SplitOption = "all",
    policy: Annotated[
        list[str] | None, typer.Option("--policy", metavar="NAME", help="Only this policy; again for more.")
    ] = None,
    budget: Annotated[
        list[int] | None, typer.Option("--budget", metavar="CHARS", help="Only this budget; again for more.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """What the answer model is asked in each condition, as chats: JSON Lines. Harness policies show gold evidence."""
    from plancheck.exporting import prompts, sources
    from plancheck.params.study import read_params

    questions = sources.chosen(split, *sources.TEXTS, prompts.PACKED_FILE)
    rows = prompts.prompt_rows(questions, read_params().answer, policies=policy or (), budgets_chars=budget or ())
    write_json_lines(rows, out, force=force)


def write_json_lines(rows: Iterable[dict[str, Any]], out: Path, *, force: bool) -> None:
    write((json.dumps(row, ensure_ascii=False) for row in rows), out, force=force)


def write(lines: Iterable[str], out: Path, *, force: bool) -> None:
    from plancheck.exporting.destination import write_lines

    LOG.info("%s lines in %s", f"{write_lines(lines, out, force=force):,}", out)
