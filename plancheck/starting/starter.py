"""An example program under a user's name, and the entry that lets the study read what it writes."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import replacing

PROGRAMS: Final = Path(__file__).parent / "programs"
POLICIES: Final = Path("conf/policies")
EXAMPLE_BUDGETS: Final = "(900, 450, 300)"  # of programs/compressor.py


@dataclass(frozen=True, slots=True)
class Starter:
    """What an example reads and writes.

    ``exports`` are what `plancheck export` is asked for, by file; ``entry`` is what stands under its name in
    ``section``, where PATH is the path of what the program writes, NAME with the ending ``writes``.
    """

    exports: Mapping[str, str]
    writes: str
    section: str
    entry: str


STARTERS: Final[Mapping[str, Starter]] = {
    "planner": Starter({"candidates.jsonl": "candidates"}, ".plans.jsonl", "selectors", "{kind: plans, path: PATH}"),
    "ranking": Starter(
        {"questions.jsonl": "questions", "atoms.jsonl": "atoms --text"}, ".run", "rankings", "{kind: run, path: PATH}"
    ),
    "compressor": Starter({"texts.jsonl": "questions --text"}, ".contexts.jsonl", "contexts", "{path: PATH}"),
    "predictions": Starter({"texts.jsonl": "questions --text"}, ".predictions.jsonl", "predictions", "{path: PATH}"),
}


@dataclass(frozen=True, slots=True)
class Started:
    """The files that were written, the entry as YAML, and what to type next, in the project's folder."""

    program: Path
    entry_file: Path
    entry: str
    commands: Sequence[str]


def start(kind: str, name: str, folder: Path, *, budgets_chars: Sequence[int], force: bool) -> Started:
    """Write the example of a kind as ``folder/NAME.py``, and its entry as ``folder/NAME.params.yaml``.

    Args:
        kind: one of ``STARTERS``.
        name: what the study calls it: a-z, 0-9 and _.
        folder: from the project's folder; made if it is not there.
        budgets_chars: those of the study, which a compressor fills.
        force: whether files of these names are replaced.

    Raises:
        StudyError: the name will not do, or has files already.
    """
    starter = STARTERS[kind]
    program, entry_file = folder / f"{name}.py", folder / f"{name}.params.yaml"
    target = POLICIES / f"{name}.yaml"
    refuse_name(name, [target] if force else [target, program, entry_file])
    path = (folder / f"{name}{starter.writes}").as_posix()
    entry = f"{starter.section}:\n  {name}: {starter.entry.replace('PATH', path)}\n"
    text = (PROGRAMS / f"{kind}.py").read_text(encoding="utf-8")
    text = text.replace("NAME", name).replace(EXAMPLE_BUDGETS, repr(tuple(budgets_chars)))
    put(program, text)
    put(entry_file, f"# @package _global_\n{entry}")
    exports = [f"plancheck export {what} --out {(folder / file).as_posix()}" for file, what in starter.exports.items()]
    copy = f"cp {entry_file.as_posix()} {target.as_posix()}"
    return Started(program, entry_file, entry, [*exports, f"python {program.as_posix()}", copy])


def refuse_name(name: str, places: Sequence[Path]) -> None:
    """Raise a StudyError for a name that params.yaml or Python does not take, or that a file has."""
    if not re.fullmatch("[a-z0-9_]+", name):
        raise StudyError(f"{name}: a name in params.yaml has the letters a to z, digits and _ only. Choose such a one.")
    if name in sys.stdlib_module_names:
        raise StudyError(f"{name}: a program {name}.py would hide Python's own module {name}. Choose another name.")
    if there := [path.as_posix() for path in places if path.exists()]:
        raise StudyError(f"{name}: {', '.join(there)} is there already. Choose another name, or move it away.")


def put(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
