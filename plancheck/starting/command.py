"""`plancheck new`: the first version of a program of the user's own, which runs as it is."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

HELP: Final = """
Write an example program of your own, which runs as it is, and the entry that lets the study read what it writes.

Example: plancheck new planner my_planner

The formats are in docs/bring-your-own.md.
"""


def new(
    kind: Annotated[
        Literal["planner", "ranking", "compressor", "predictions"],
        typer.Argument(help="What it does: predictions are a finished system's answers.", show_default=False),
    ],
    name: Annotated[str, typer.Argument(help="What the study is to call it.", show_default=False)],
    folder: Annotated[Path, typer.Option("--folder", help="Where to write it.")] = Path("yours"),
    force: Annotated[bool, typer.Option("--force", help="Replace a program of that name.")] = False,
) -> None:
    from plancheck.params.study import read_params
    from plancheck.starting.starter import POLICIES, start

    started = start(kind, name, folder, budgets_chars=read_params().pack.budgets_chars, force=force)
    steps = "\n".join(f"  {command}" for command in started.commands)
    print(
        f"{started.program} is your program, {started.entry_file} its entry in the parameters:\n\n"
        f"{started.entry}\n"
        f"In the project's folder run\n\n{steps}\n\n"
        f"and name {name} in the list of policies in conf/profile/, which DVC composes from {POLICIES.as_posix()}/; "
        "or, for one run, in `-S 'policies=[...]'` of `dvc exp run`."
    )
