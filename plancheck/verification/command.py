"""`plancheck verify`. What it reads with is imported by it alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from plancheck.plumbing.errors import SHOWN_PROBLEMS, StudyError
from plancheck.visible import in_a_line

HELP: Final = """
Verify a bundle of `plancheck release`: its sums and contracts; every table and the page, rebuilt from files that hold \
no text and compared cell by cell. Exit status 1 where anything differs.

Example: plancheck verify release/bundle.tar.gz

With --counts check the arithmetic of any CSV of counts, also another group's: docs/verify.md has the columns.
"""


def verify(
    bundle: Annotated[
        Path | None, typer.Argument(help="Folder, .tar.gz or .zip of a release.", show_default=False)
    ] = None,
    counts: Annotated[
        Path | None, typer.Option("--counts", metavar="FILE", help="A CSV of counts, instead of a bundle.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help=f"Name every cell that differs, not the first {SHOWN_PROBLEMS} alone.")
    ] = False,
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.5, max=0.9999, help="Of the intervals in the CSV of counts.")
    ] = 0.95,
) -> None:
    from plancheck.verification.bounds import bound

    if (bundle is None) == (counts is None):
        raise StudyError("Name a bundle, or a CSV of counts with --counts FILE; `plancheck verify --help` says more.")
    bound()
    if counts is not None:
        from plancheck.verification.counts import check_counts

        checked = check_counts(counts, confidence=confidence)
        print(f"{counts}: {checked.rows:,} rows, {checked.cells:,} cells checked")
        if checked.left:
            print(f"not checked, for nothing in the file tells what they must be: {', '.join(checked.left)}")
        refuse(
            [in_a_line(problem) for problem in checked.problems],
            f"{counts}: cells that are not what the counts give:",
            everything,
        )
    if bundle is not None:
        from plancheck.verification.verify import verify as verified

        found = verified(bundle)
        print(
            f"{bundle}: {found.files:,} files with their sums; {found.tables} tables rebuilt, {found.cells:,} cells "
            f"compared; the page {found.page}"
        )
        refuse(
            [in_a_line(str(difference)) for difference in found.differences],
            f"{bundle}: not what its files give:",
            everything,
        )
    print("Verified.")


def refuse(problems: Sequence[str], heading: str, everything: bool) -> None:
    """Raise a StudyError that lists any problems, the first 20 or all, and how many there are."""
    if not problems:
        return
    shown = problems if everything else problems[:SHOWN_PROBLEMS]
    more = [f"  ... and {len(problems) - len(shown):,} more; --all names them"] if len(problems) > len(shown) else []
    lines = [f"  - {problem}" for problem in shown]
    raise StudyError("\n".join([heading, *lines, *more, f"{len(problems):,} in all. Not verified."]))
