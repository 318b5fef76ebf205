"""Judge every data contract on the files at hand, without a model: ``python -m validation.contracts``.

Reads what the gates read and changes nothing that DVC tracks, so it can follow ``dvc pull``. Each table's columns are
judged once, then every suite whose files are all there and have their columns. A file that is missing is named with
the suites that could not be judged for want of it, and the status is 1 then as well: what was not judged does not hold.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from great_expectations.data_context import AbstractDataContext

from plancheck.params.study import Params, read_params
from plancheck.plumbing.errors import StudyError, say
from plancheck.plumbing.interrupts import STATUS_WHEN_INTERRUPTED, loaded
from plancheck.plumbing.privacy import switch_off_telemetry
from plancheck.plumbing.shortage import shortage_told
from validation import schemas
from validation.data_docs import DOCS, documented
from validation.gate import validate
from validation.gates import GATES, Gate
from validation.inputs import (
    FITTED,
    LEAKAGE_FILE,
    SPLITS_FILE,
    Inputs,
    read_leakage,
    read_named,
    read_rows,
    read_splits,
    rows_file,
    table_file,
)
from validation.outcomes import Outcome

RUN = "contracts"


class Lacking(LookupError):
    """A suite asked for a file that is not at hand; ``file`` names it."""

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.file = file


class AtHand(dict[str, Any]):
    """What could be read; asking for anything else raises Lacking with the file that it would be read from."""

    def __init__(self, file_of: Callable[[str], Path]) -> None:
        super().__init__()
        self.file_of = file_of

    def __missing__(self, name: str) -> Any:
        raise Lacking(self.file_of(name))


@dataclass(slots=True)
class Findings:
    """What became of every contract.

    Args:
        outcomes: of the expectations that were judged, in the order of the gates.
        absent: files that are not there.
        unreadable: files that are, with what is wrong with them.
        unjudged: modules of suites that could not be judged, each with the file that it lacks.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    absent: dict[Path, None] = field(default_factory=dict)
    unreadable: dict[Path, str] = field(default_factory=dict)
    unjudged: dict[str, Path] = field(default_factory=dict)

    @property
    def broken(self) -> list[Outcome]:
        return [item for item in self.outcomes if not item.success]

    @property
    def suites(self) -> int:
        return len({item.suite for item in self.outcomes})

    @property
    def files(self) -> int:
        return len({item.file for item in self.outcomes})

    def notes(self) -> list[str]:
        """A sentence for each file that could not be judged, and for each module of suites that lacks one."""
        return [
            *(f"{file}: no such file" for file in self.absent),
            *(reason for reason in self.unreadable.values()),
            *(f"the suites of {name}: {file} is missing or unsound" for name, file in self.unjudged.items()),
        ]


def contracts() -> Findings:
    """Judge every suite in the working folder, and make the Data Docs anew.

    Raises:
        StudyError: params.yaml is unusable, or a place cannot be written.
    """
    switch_off_telemetry()
    params = read_params()
    return documented(RUN, lambda context: judged(params, context), anew=True, notes=Findings.notes)


def judged(params: Params, context: AbstractDataContext) -> Findings:
    """Every gate in the order of the pipeline; each table's columns at the first gate that reads it."""
    found = Findings()
    sound: set[str] = set()  # tables whose columns hold
    unsound: set[str] = set()
    for name, gate in GATES.items():
        inputs = at_hand(params, gate, found)
        fresh = {table for table in inputs.tables if table not in sound | unsound}
        looked = [one for one in schemas.suites(inputs) if one.name.removesuffix("_columns") in fresh]
        outcomes = validate(schemas.frames(inputs), looked, context=context, run_name=name)
        unsound |= {item.suite.removesuffix("_columns") for item in outcomes if not item.success}
        sound |= fresh - unsound
        found.outcomes += outcomes
        for table in unsound & set(inputs.tables):
            del inputs.tables[table]
        for module in gate.modules:
            try:
                frames, suites = module.frames(inputs), module.suites(inputs)
            except Lacking as lacking:
                found.unjudged[module.__name__.rpartition(".")[2]] = lacking.file
                continue
            found.outcomes += validate(frames, suites, context=context, run_name=name)
    return found


def at_hand(params: Params, gate: Gate, found: Findings) -> Inputs:
    """What the gate reads, as far as it is there; what is not is noted in ``found``."""
    tables = AtHand(table_file)
    fill(tables, gate.tables, read_named, found)
    splits = AtHand(lambda name: SPLITS_FILE)
    if gate.splits:
        whole = AtHand(lambda name: SPLITS_FILE)
        fill(whole, ["splits"], lambda name: read_splits(), found)
        splits.update(whole.get("splits", {}))
    rows = AtHand(rows_file)
    fill(rows, FITTED if gate.rows else (), read_rows, found)
    leakage = AtHand(lambda name: LEAKAGE_FILE)
    if gate.leakage:
        whole = AtHand(lambda name: LEAKAGE_FILE)
        fill(whole, ["leakage"], lambda name: read_leakage(), found)
        leakage.update(whole.get("leakage", {}))
    return Inputs(params, tables, splits, rows, leakage)


def fill(hand: AtHand, names: Iterable[str], read: Callable[[str], Any], found: Findings) -> None:
    for name in names:
        file = hand.file_of(name)
        if not file.exists():
            found.absent[file] = None
            continue
        try:
            hand[name] = read(name)
        except StudyError as error:
            found.unreadable[file] = str(error)


def refused(found: Findings) -> StudyError | None:
    """One error that names every broken expectation and every file that could not be judged; None where all hold."""
    lines = []
    if found.broken:
        lines.append(f"{len(found.broken)} of {len(found.outcomes)} expectations do not hold:")
        lines += [f"  - {item.sentence()}" for item in found.broken]
    if notes := found.notes():
        lines.append("Not judged:")
        lines += [f"  - {note}" for note in notes]
    if not lines:
        return None
    if not found.broken:
        lines.insert(0, f"{said(found)}, but not every contract could be judged.")
    remedies = []
    if found.broken or found.unreadable:
        remedies.append("Delete the files that are named and run `dvc repro` (or `dvc pull`), which makes them anew.")
    if found.absent:
        remedies.append("Files that are missing come with `dvc pull` from a remote, or `make demo`.")
    return StudyError("\n".join([*lines, *remedies, f"Details: {DOCS}/index.html"]))


def said(found: Findings) -> str:
    return f"{len(found.outcomes)} expectations of {found.suites} suites on {found.files} files hold"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m validation.contracts", description="Judge every data contract on the files at hand."
    )
    parser.parse_args(arguments)
    loaded()
    try:
        with shortage_told():
            found = contracts()
    except StudyError as error:
        say(error)
        return 1
    except KeyboardInterrupt:
        return STATUS_WHEN_INTERRUPTED
    if error := refused(found):
        say(error)
        return 1
    print(f"contracts: {said(found)}. Details: {DOCS}/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
