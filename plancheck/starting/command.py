"""`plancheck new`: the first version of a program of the user's own, which runs as it is."""

from collections.abc import Iterable
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
    from plancheck.starting.starter import start

    params = read_params()
    grids = params.pack.grids.values()
    started = start(
        kind,
        name,
        folder,
        taken={*params.rankings, *params.selectors, *params.shown, *params.predictions},
        budgets_chars=params.pack.budgets_chars,
        packings=next((grid.packings for grid in grids), list(params.pack.packings)),  # as the study's own planners'
        force=force,
    )
    print(
        f"{started.program} is your program, {started.entry_file} its entry in the parameters:\n\n"
        f"{indented(started.entry.splitlines())}\n\n"
        f"In the project's folder run\n\n{indented(started.commands)}\n\n"
        f"then add {name} to the list of policies in conf/profile/{params.profile}.yaml, and run\n\n"
        f"  dvc exp run -S profile={params.profile}"
    )


def indented(lines: Iterable[str]) -> str:
    return "\n".join(f"  {line}".rstrip() for line in lines)
