"""Two runs compared, part by part in the pipeline's order, and the first cause of what differs."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, assert_never

import pyarrow as pa
import pyarrow.parquet as pq

from plancheck.difference.changes import (
    Flip,
    Group,
    flips,
    keyed,
    lacking_columns,
    row_changes,
)
from plancheck.difference.parts import PARTS, Rows, Values, Whole
from plancheck.difference.runs import PARAMS, Absent, Run, file_md5, stages_of
from plancheck.difference.values import Change, value_changes
from plancheck.params.study import parse_params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.places import without_places
from plancheck.release.tables import TEXTS

Status = Literal["same", "differs", "not compared"]
GRAPH: Final = "dvc.yaml"
ANSWERS: Final = ("answers", "given predictions")
SCORED: Final = {"letter", "correct"}


@dataclass(frozen=True, slots=True)
class Compared:
    """A part of two runs.

    Attributes:
        stage: that makes it; "" for what comes before all of them.
        notes: why it could not be compared, or what of it could not.
        groups: changes of rows, by group; "" where they are not grouped.
        changes: single values that differ.
    """

    name: str
    stage: str
    status: Status
    notes: tuple[str, ...] = ()
    groups: Mapping[str, Group] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two runs. ``causes``: by stage, what it reads and that no compared stage makes."""

    a: str
    b: str
    parts: tuple[Compared, ...]
    flips: tuple[Flip, ...]
    causes: Mapping[str, Sequence[str]]

    @property
    def differs(self) -> bool:
        return any(part.status == "differs" for part in self.parts)

    @property
    def complete(self) -> bool:
        """Whether every part was compared."""
        return all(part.status != "not compared" for part in self.parts)


def compare(a: Run, b: Run) -> Difference:
    """The difference of two runs.

    Raises:
        StudyError: a file of theirs is damaged, or neither has anything to compare.
    """
    parameters, code = compared_parameters(a, b), compared_code(a, b)
    made, flipped = [], []
    for part in PARTS:
        match part:
            case Rows():
                found, own_flips = compared_rows(part, a, b)
                made.append(found)
                flipped += own_flips
            case Whole():
                made.append(compared_folder(part, a, b))
            case Values():
                made.append(compared_values(part, a, b))
            case _:
                assert_never(part)
    parts = (parameters, code, *made)
    if all(part.status == "not compared" for part in parts):
        raise StudyError(
            f"{a.name}, {b.name}: have no part of a study in common. {'; '.join(parts[0].notes)}. Name folders that "
            "hold params.yaml, data/ and reports/, or revisions with a dvc.lock."
        )
    causes = causes_of(a, b, parameters, code)
    return Difference(a.name, b.name, parts, tuple(sorted(flipped, key=lambda flip: flip.question_id)), causes)


def absent(a: Run, b: Run, get: Any) -> tuple[list[Any], list[str]]:
    """What ``get`` finds in each run, and notes of the runs that lack it."""
    found, notes = [], []
    for letter, run in (("A", a), ("B", b)):
        try:
            found.append(get(run))
        except Absent as error:
            notes.append(f"{letter}: {error}")
    return found, notes


def compared_parameters(a: Run, b: Run) -> Compared:
    found, notes = absent(a, b, lambda run: run.yaml(PARAMS))
    if notes:
        return Compared("parameters", "", "not compared", tuple(notes))
    changes = value_changes(*whole(found))
    return Compared("parameters", "", "differs" if changes else "same", (), {}, tuple(changes))


def whole(found: Sequence[Any]) -> Sequence[Any]:
    """The parameters with every default, as a release has them; as they stand where one is not of this version."""
    try:
        return [without_places(parse_params(value, name=PARAMS).model_dump(mode="json")) for value in found]
    except StudyError:
        return found


def compared_code(a: Run, b: Run) -> Compared:
    """What the stages read that no stage makes: code, pinned versions, and the user's files, by dvc.lock."""
    found, notes = absent(a, b, read_by_stage)
    if notes:
        return Compared("code and inputs", "", "not compared", tuple(notes))
    both = set.intersection(*map(set, found))  # a stage that one has not run, or of which a release does not tell
    before, after = ({path: md5 for name in run if name in both for path, md5 in run[name].items()} for run in found)
    changes = value_changes(before, after) if before and after else []
    return Compared("code and inputs", "", "differs" if changes else "same", (), {}, tuple(changes))


def read_by_stage(run: Run) -> dict[str, dict[str, str]]:
    """By stage, the digest of each file and folder that it reads and that no stage makes."""
    stages = stages_of(run)
    made = {out["path"] for stage in stages.values() for out in stage.get("outs", [])}
    return {
        name: {dep["path"]: dep.get("md5", "") for dep in stage.get("deps", []) if dep["path"] not in made}
        for name, stage in stages.items()
    }


def compared_rows(part: Rows, a: Run, b: Run) -> tuple[Compared, list[Flip]]:
    files, notes = absent(a, b, lambda run: run.file(part.file))
    if notes:
        return Compared(part.name, part.stage, "not compared", tuple(notes)), []
    if file_md5(files[0]) == file_md5(files[1]):
        return Compared(part.name, part.stage, "same"), []
    texts = TEXTS.get(Path(part.file).stem, ()) if a.released or b.released else ()
    part = replace(part, values=tuple(column for column in part.values if column not in texts))
    before, after = (keyed(read_rows(part, file, run), part.key) for file, run in zip(files, (a, b), strict=True))
    groups, changes = row_changes(part, before, after)
    lacking = lacking_columns(part, before, after)
    notes = [f"not compared, for one run has no such column: {', '.join(lacking)}"] if lacking else []
    flipped = flips(before, after) if part.name in ANSWERS and not SCORED & set(lacking) else []
    differs = lacking or any(group.differing or group.fine for group in groups.values())
    status: Status = "differs" if differs else "same"
    return Compared(part.name, part.stage, status, tuple(notes), groups, tuple(changes)), flipped


def read_rows(part: Rows, file: Path, run: Run) -> list[dict[str, Any]]:
    """The rows of a table, with the part's columns that it has.

    Raises:
        StudyError: it is damaged, or lacks a column that names its rows.
    """
    wanted = [*part.key, *part.by, *part.values, *part.fine]
    try:
        if part.file.endswith(".parquet"):
            there = pq.read_schema(file).names
            rows = pq.read_table(file, columns=[column for column in dict.fromkeys(wanted) if column in there])
            found: list[dict[str, Any]] = rows.to_pylist()
        elif part.file.endswith(".json"):
            splits = run.json(part.file)
            found = [{"question_id": name, "split": split} for split, ids in splits.items() for name in ids]
            there = ["question_id", "split"]
        else:
            reader = csv.DictReader(io.StringIO(file.read_text(encoding="utf-8")))
            found, there = list(reader), list(reader.fieldnames or ())
    except (pa.ArrowInvalid, OSError, AttributeError, TypeError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{part.file} of {run.name}: not readable ({error}). Make it again.") from error
    if unnamed := [column for column in (*part.key, *part.by) if column not in there]:
        raise StudyError(f"{part.file} of {run.name}: lacks column {', '.join(unnamed)}. Make it again.")
    return found


def compared_folder(part: Whole, a: Run, b: Run) -> Compared:
    found, notes = absent(a, b, lambda run: run.members(part.folder))
    if notes:
        return Compared(part.name, part.stage, "not compared", tuple(notes))
    changes = value_changes(*found) if found[0] != found[1] else []
    return Compared(part.name, part.stage, "differs" if changes else "same", (), {}, tuple(changes))


def compared_values(part: Values, a: Run, b: Run) -> Compared:
    found, notes = absent(a, b, lambda run: run.json(part.file))
    if notes:
        return Compared(part.name, part.stage, "not compared", tuple(notes))
    changes = value_changes(*found)
    return Compared(part.name, part.stage, "differs" if changes else "same", (), {}, tuple(changes))


def causes_of(a: Run, b: Run, parameters: Compared, code: Compared) -> dict[str, list[str]]:
    """By stage, the parameters, code and inputs that changed and that it reads.

    A stage's parameters are those that dvc.yaml lists, and in a release, which has none, those that dvc.lock notes;
    without either none is told. Code and inputs are those of the runs' dvc.lock.
    """
    known = [*absent(b, a, listed)[0], *absent(b, a, noted)[0]]
    sections_of = known[0] if known else {}
    changed = [change.place for change in parameters.changes]
    found: dict[str, list[str]] = {}
    for name, sections in sections_of.items():
        found[name] = [
            f"parameter {place}"
            for place in changed
            if any(f"{place}.".startswith(f"{section}.") for section in sections)
        ]
    if code.changes:
        before, after = (read_by_stage(run) for run in (a, b))
        for name in after:
            read = [*before.get(name, {}), *after[name]]
            own = [change.place for change in code.changes if change.place in read]
            found.setdefault(name, []).extend(own)
    return found


def listed(run: Run) -> dict[str, list[str]]:
    """The sections of the parameters that each stage reads, by dvc.yaml."""
    graph = run.yaml(GRAPH)
    stages = graph.get("stages", {}) if isinstance(graph, dict) else {}
    return {
        name: [section for section in stage.get("params", []) if isinstance(section, str)]
        for name, stage in stages.items()
    }


def noted(run: Run) -> dict[str, list[str]]:
    """The same by dvc.lock."""
    return {name: list(stage.get("params", {}).get(PARAMS, {})) for name, stage in stages_of(run).items()}


def first_difference(found: Difference) -> Compared | None:
    """The earliest part that a stage made and that differs; None where there is none."""
    return next((part for part in found.parts if part.stage and part.status == "differs"), None)
