"""A JSON object that stands for a whole file: a record, records wrapped in a field, or a table written by columns."""

import logging
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from plancheck.plumbing.errors import StudyError

BY_ROWS: Final = "Write it by records: pandas' to_json(path, orient='records', lines=True), or datasets' to_json(path)."

log = logging.getLogger("plancheck.benchmark")


def unwrapped(path: Path, value: Mapping[str, Any], fields: Collection[str]) -> list[tuple[str, Any]]:
    """The records of a file that is the one object ``value``, each with its place.

    An object with some of ``fields`` is a record. Another that has one field with a list of objects wraps them: they
    are the records, and the log names the field, and those beside it that are not read.

    Raises:
        StudyError: the object is a table by columns or by row names, or wraps several lists of records.
    """
    known = [value[name] for name in value if name in fields]
    if by_columns(known):
        raise StudyError(f"{path}: is a table written column by column. {BY_ROWS}")
    lists = [name for name, inner in value.items() if is_records(inner)]
    if known or not (lists or nested(value)):
        return [("record 1", value)]
    if not lists:
        raise StudyError(f"{path}: is an object whose fields hold the records or parts of them. {BY_ROWS}")
    if len(lists) > 1:
        raise StudyError(f"{path}: has records in fields {', '.join(lists)}. Write each to a file of its own.")
    name, others = lists[0], sorted(set(value) - {lists[0]})
    besides = f"; not read: {', '.join(others)}" if others else ""
    log.warning("%s: the records are in field %s%s", path, name, besides)
    return [(f"{name}, record {number}", inner) for number, inner in enumerate(value[name], start=1)]


def by_columns(known: Collection[Any]) -> bool:
    """Whether the values of the fields of a record are all objects, or all lists: those of a column."""
    return len(known) > 1 and any(all(isinstance(inner, kind) for inner in known) for kind in (dict, list))


def is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def nested(value: Mapping[str, Any]) -> bool:
    """Whether there is no field with a plain value: pandas' orientations "split" and "index", or datasets by split."""
    return bool(value) and all(isinstance(inner, dict | list) for inner in value.values())
