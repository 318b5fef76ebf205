"""`plancheck lock`. What it works with is imported when it runs."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.visible import in_a_line

if TYPE_CHECKING:
    from plancheck.locking.record import Lock

HELP: Final = """
Write down what the study is before it is run: run.lock.json.

Parameters and what they declare, prompts, files, code, packages, machine, and of models, questions and split what is \
known yet. Run again, it fills in what has become known, and changes nothing else.

With run.locked=true every stage refuses to start when something differs.
"""
PREDICTIONS: Final = Path("data/predictions.parquet")


def lock(
    diff: Annotated[bool, typer.Option("--diff", help="List what differs from the lock; exit with 1 if any.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write a new lock, of now, in place of one that is there.")
    ] = False,
) -> None:
    from plancheck.locking import comparing
    from plancheck.locking.declaration import declaration
    from plancheck.locking.git import revision
    from plancheck.locking.record import LOCK, Lock, read_lock, write_lock, written
    from plancheck.locking.state import state
    from plancheck.params.study import read_params

    if diff and force:
        raise StudyError("--diff changes nothing, and --force replaces the lock: give one of them.")
    params = read_params()
    now = state(params)
    missing = [path for path, digest in now["files"].items() if digest is None]
    if missing and not diff:
        raise all_problems("Files that the parameters name are not there:", missing, remedy="Put them there first.")
    held = None if force else read_lock()
    if held is None and diff:
        raise StudyError(f"{LOCK}: there is no lock to compare with. Write one with `plancheck lock`.")
    found = comparing.differences(held, now) if held else []
    if diff:
        print("\n".join(map(str, found)) or f"Nothing differs from {LOCK}.")
        tell_unknown(comparing.unknown(now), "Not compared, for no stage has made it yet")
        if held:
            tell_unknown(
                [name for name in comparing.unknown(held.state) if now[name] is not None],
                "Not locked yet, and known now (`plancheck lock` adds it)",
            )
        raise typer.Exit(bool(found))
    if found:
        raise all_problems(
            f"{LOCK}: is there, and {len(found)} value(s) differ:",
            [str(one) for one in found],
            remedy=f"To keep it, {comparing.remedies(found)}. To replace it by a lock of now, give --force.",
        )
    clock = written(time.time())
    if held is None:
        made = Lock(written=clock, git=revision(), declaration=declaration(params), **now)
        write_lock(made)
        tell_new(made)
    elif new := [name for name in comparing.unknown(held.state) if now[name] is not None]:
        update = {name: now[name] for name in new} | {"completed": held.completed | dict.fromkeys(new, clock)}
        write_lock(held.model_copy(update=update))
        print(f"{LOCK}: completed by {', '.join(new)}. What was locked at {held.written} is as it was.")
    else:
        print(f"{LOCK}: nothing differs from what was locked at {held.written}.")
    tell_unknown(comparing.unknown(now), "Not known yet; run `plancheck lock` again once its stage has run")


def tell_new(made: "Lock") -> None:
    """What was locked, and what weakens it."""
    declared = made.declaration
    budgets = ", ".join(map(str, declared["budgets_chars"]))
    print(
        f"run.lock.json: written {made.written}. Declared: {len(declared['comparisons'])} comparisons, "
        f"{len(declared['tiers'])} tiers, budgets {budgets}, margin {declared['margin']:g}."
    )
    changed = made.git["changed"]
    if made.git["commit"] is None:
        print("This is no git repository: the lock names no revision.")
    elif changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        print(
            f"The tree is not clean ({', '.join(map(in_a_line, changed[:3]))}{more}): commit first, and lock again "
            "with --force, for others to get this code by its revision."
        )
    if PREDICTIONS.exists():
        print(
            f"{PREDICTIONS} is there: what was answered before this lock was not declared before it, and the report "
            "says so."
        )
    print("Commit and publish it before the run: only then can others see that it came first (docs/lock.md).")


def tell_unknown(names: list[str], heading: str) -> None:
    if names:
        print(f"{heading}: {', '.join(names)}.")
