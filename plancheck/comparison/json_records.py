"""Records of JSON text: JSON Lines, an array of objects, or a log of inspect_ai; and the samples of such a log."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from plancheck.comparison.content import KINDS
from plancheck.comparison.damage import readable
from plancheck.comparison.inspect_logs import is_inspect_log, sample_fault, sample_record
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.strict_json import json_value

ABOUT: Final = "about"
LONGBENCH_FIELDS: Final = {"_id", "judge", "pred"}
_LINE: Final = re.compile("^.*$", re.MULTILINE)  # one at a time: a list of them would need as much memory again

# The fields of a result by its number in the file, from 1.
Numbered = Mapping[int, Mapping[str, Any]]


def json_records(path: Path, text: str, first: str) -> tuple[str, str, Numbered]:
    """The kind of a text that begins with ``first``, a bracket or brace, what one of its records is called, and they.

    Raises:
        StudyError: the text is no JSON or of another shape; all bad lines or records at once.
    """
    if first == "[":
        found = _objects(path, _parsed(path, text))
        return _kind_of(found, "JSON"), "record", found
    value = _first_line_value(text)
    if value is not None and not is_inspect_log(value):
        found = _line_records(path, text)
        return _kind_of(found, "JSON Lines"), "line", found
    log = _parsed(path, text) if value is None else value
    if not is_inspect_log(log):
        raise StudyError(f"{path}: is one JSON object, but no inspect_ai log. The file must be {KINDS}.")
    samples = log.get("samples")
    return "inspect_ai log", "sample", numbered_samples(path, [] if samples is None else samples)


def _kind_of(found: Numbered, otherwise: str) -> str:
    """The program that wrote such objects, where each of them shows it."""
    if found and all(fields.keys() >= LONGBENCH_FIELDS for fields in found.values()):
        return "LongBench-v2 results"
    if found and otherwise == "JSON Lines" and all("doc_id" in fields for fields in found.values()):
        return "lm-evaluation-harness samples"
    return otherwise


def _first_line_value(text: str) -> Any:
    """The JSON value of the first line; None when it holds only a part of one."""
    try:
        return json_value(text.lstrip().split("\n", 1)[0])
    except ValueError:
        return None


def is_header(value: Any) -> bool:
    """Whether the first line of JSON Lines is no result, but says what made the file: {"about": ...}."""
    return isinstance(value, dict) and set(value) == {ABOUT}


def _line_records(path: Path, text: str) -> Numbered:
    found = {}
    problems = []
    first = True
    for number, match in enumerate(_LINE.finditer(text), start=1):
        line = match.group()
        if not line.strip():
            continue
        try:
            value = json_value(line)
        except ValueError as error:
            problems.append(f"line {number}: not valid JSON ({error})")
            continue
        if isinstance(value, dict):
            if not (first and is_header(value)):
                found[number] = value
        else:
            problems.append(f"line {number}: must be an object, got {type(value).__name__}")
        first = False
    if problems:
        raise all_problems(
            f"{path}: unusable lines", problems, remedy="Mend them, or write the file again if it is cut short."
        )
    return found


def _parsed(path: Path, text: str) -> Any:
    with readable(path, "not valid JSON", "Mend that place, or write the file again."):
        return json_value(text)


def _objects(path: Path, values: Any) -> Numbered:
    wrong = [f"record {n}: must be an object" for n, value in enumerate(values, 1) if not isinstance(value, dict)]
    if wrong:
        raise all_problems(f"{path}: unusable records", wrong, remedy="Give each result as an object with its fields.")
    return numbered(values)


def numbered_samples(path: Path, values: Any) -> Numbered:
    """The records of a log's samples.

    Raises:
        StudyError: they are no array, or a sample is of another shape.
    """
    remedy = "Write the log again with inspect_ai (`inspect log convert` or `inspect log dump`)."
    if not isinstance(values, list):
        raise StudyError(f"{path}: samples must be an array, got {type(values).__name__}. {remedy}")
    if wrong := [f"sample {n}: {fault}" for n, value in enumerate(values, 1) if (fault := sample_fault(value))]:
        raise all_problems(f"{path}: unusable samples", wrong, remedy=remedy)
    return numbered([sample_record(value) for value in values])


def numbered(values: list[dict[str, Any]]) -> Numbered:
    """Records by their number, from 1."""
    return dict(enumerate(values, start=1))
