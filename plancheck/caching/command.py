"""`plancheck cache`: looking after the generation cache."""

import logging
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

LOG = logging.getLogger("plancheck.cache")

HELP: Final = """
Look after the generation cache: what models said, so that none is asked twice.

It is .plancheck/generations.sqlite, or the file that the variable PLANCHECK_CACHE names. It holds replies and no
prompts. All commands may run beside a study.
"""

StageOption = Annotated[str | None, typer.Option("--stage", help="Only replies that this stage asked for.")]
ModelOption = Annotated[
    str | None, typer.Option("--model", metavar="TEXT", help="Only replies of models whose name holds this.")
]

app = typer.Typer(no_args_is_help=True, help=HELP, short_help="Look after what models said.")


class Rule(StrEnum):
    """Which of two replies of one key stays."""

    REFUSE = "refuse"
    KEEP = "keep"
    REPLACE = "replace"


@app.command("info")
def info(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """How many replies there are by stage and model, their size and age."""
    import json
    from dataclasses import asdict

    from plancheck.caching.contents import as_text, contents
    from plancheck.caching.opening import opened

    with opened() as (path, connection):
        found = contents(path, connection)
    print(json.dumps(asdict(found), indent=2, default=str) if as_json else as_text(found))


@app.command("prune")
def prune(
    size: Annotated[
        str | None,
        typer.Option(
            "--size", help="Bound of the file, such as 500MB: the least lately used replies go until it fits."
        ),
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", min=0, help="Replies that were not used for more than so many days go.")
    ] = None,
    stage: StageOption = None,
    model: ModelOption = None,
) -> None:
    """Remove replies. Options given together all have to hold; what is removed is asked again when it is needed."""
    from plancheck.caching.opening import opened
    from plancheck.caching.pruning import bytes_of, pruned

    with opened() as (path, connection):
        bound = None if size is None else bytes_of(size)
        found = pruned(path, connection, max_bytes=bound, days=days, stage=stage, model=model)
    print(f"{path}: {found.removed:,} replies removed, {found.kept:,} kept; {found.size_bytes:,} bytes.")


@app.command("verify")
def verify() -> None:
    """Check that every reply is what was written. A damaged one is named; the next run asks it again."""
    from plancheck.caching.opening import opened
    from plancheck.caching.verifying import verified

    with opened() as (path, connection):
        print(f"{path}: {verified(path, connection):,} replies, all of them sound.")


@app.command("export")
def export(
    out: Annotated[Path, typer.Argument(metavar="FILE", help="File to write; - is standard output.")],
    stage: StageOption = None,
    model: ModelOption = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
) -> None:
    """Write the replies as JSON Lines, for another machine's cache."""
    from plancheck.caching.opening import opened
    from plancheck.caching.transfer import exported_lines
    from plancheck.exporting.destination import write_lines

    with opened() as (_, connection):
        written = write_lines(exported_lines(connection, stage=stage, model=model), out, force=force)
    LOG.info("%s replies in %s", f"{written - 2:,}", out)  # without the first line and the last


@app.command("import")
def import_replies(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `plancheck cache export` wrote elsewhere.")],
    on_conflict: Annotated[
        Rule,
        typer.Option(
            "--on-conflict",
            help="What to do where both have a reply to the same question, but another: import nothing, keep the reply "
            "that is here, or replace it.",
        ),
    ] = Rule.REFUSE,
) -> None:
    """Add an exported file's replies. All of it is checked before the first is added."""
    from plancheck.caching.opening import opened
    from plancheck.caching.transfer import checked, imported

    with opened(make=True) as (path, connection):
        conflicts = checked(file, connection, refuse_conflicts=on_conflict is Rule.REFUSE)
        found = imported(file, connection, replace=on_conflict is Rule.REPLACE)
    said = f", {conflicts:,} of them other than the one here: {on_conflict.value}" if conflicts else ""
    print(f"{path}: {found.added:,} replies added, {found.known:,} were known{said}.")
