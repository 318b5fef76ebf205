"""An example program under a user's name, and the entry that lets the study read what it writes."""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
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
    """What an example reads, and how the study is told of what it writes.

    ``exports`` are what `plancheck export` is asked for, by file; ``entry`` is YAML, where NAME stands for the name and
    PACKINGS for a list of packings.
    """

    exports: Mapping[str, str]
    entry: str


PLANNER: Final = """\
selectors:
  NAME: {kind: plans, path: given/plans/NAME.jsonl}

pack:
  grids:
    NAME: {selectors: [NAME], packings: PACKINGS}
"""
RANKING: Final = """\
rankings:
  NAME: {kind: run, path: given/runs/NAME.run}

pack:
  policies:
    NAME: {fill: NAME}

analyze:
  tiers:
    NAME: [NAME]
"""
COMPRESSOR: Final = """\
contexts:
  NAME: {path: given/contexts/NAME.jsonl}
"""
PREDICTIONS: Final = """\
predictions:
  NAME: {path: given/predictions/NAME.jsonl}
"""
WHOLE_TEXTS: Final = {"texts.jsonl": "questions --text"}

STARTERS: Final[Mapping[str, Starter]] = {
    "planner": Starter({"candidates.jsonl": "candidates"}, PLANNER),
    "ranking": Starter({"questions.jsonl": "questions", "atoms.jsonl": "atoms --text"}, RANKING),
    "compressor": Starter(WHOLE_TEXTS, COMPRESSOR),
    "predictions": Starter(WHOLE_TEXTS, PREDICTIONS),
}


@dataclass(frozen=True, slots=True)
class Started:
    """The files that were written, the entry as YAML, and what to type next, in the project's folder."""

    program: Path
    entry_file: Path
    entry: str
    commands: Sequence[str]


def start(
    kind: str,
    name: str,
    folder: Path,
    *,
    taken: Collection[str],
    budgets_chars: Sequence[int],
    packings: Sequence[str],
    force: bool,
) -> Started:
    """Write the example of a kind as ``folder/NAME.py``, and its entry as ``folder/NAME.params.yaml``.

    Args:
        kind: one of ``STARTERS``.
        name: what the study calls it: a-z, 0-9 and _.
        folder: from the project's folder; made if it is not there.
        taken: names that the study has already.
        budgets_chars: those of the study, which a compressor fills.
        packings: what is to follow a planner's atoms, by name; at least one.
        force: whether files of these names are replaced.

    Raises:
        StudyError: the name will not do, is taken, or has files already.
    """
    starter = STARTERS[kind]
    program, entry_file = folder / f"{name}.py", folder / f"{name}.params.yaml"
    target = POLICIES / f"{name}.yaml"
    if name in taken:
        raise StudyError(f"{name}: params.yaml calls something else so. Choose another name.")
    refuse_name(name, [target] if force else [target, program, entry_file])
    entry = starter.entry.replace("NAME", name).replace("PACKINGS", f"[{', '.join(packings)}]")
    text = (PROGRAMS / f"{kind}.py").read_text(encoding="utf-8")
    put(program, text.replace("NAME", name).replace(EXAMPLE_BUDGETS, repr(tuple(budgets_chars))))
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
