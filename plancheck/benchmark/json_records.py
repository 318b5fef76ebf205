"""Records of JSON text: one object a line, an array of objects, or either of them wrapped in one object."""

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Final

from plancheck.benchmark.kinds import KINDS
from plancheck.benchmark.wrapping import unwrapped
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.strict_json import json_value

HEAD_BYTES: Final = 512
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
# A text or a sign of structure. A text without an end runs to the end of the file.
TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]', re.DOTALL)


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A value of the file and its place there, counted from 1: "record 3", "line 3" or "row 3"."""

    place: str
    value: Any


def json_records(path: Path, stream: BufferedReader, fields: Collection[str]) -> Iterator[RawRecord]:
    """The records of a JSON text, as `plancheck.benchmark.reading.read_records` gives them."""
    start = len(BYTE_ORDER_MARK) if stream.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else 0
    stream.seek(start)
    while (head := stream.read(HEAD_BYTES)) and not head.strip():
        pass
    stream.seek(start)
    first = head.lstrip()[:4].decode("utf-8", errors="replace")[:1]
    if first == "[":
        return array_records(path, stream.read(), start)
    if first == "{":
        return object_records(path, stream, start, fields)
    if not first:
        raise StudyError(f"{path}: is empty. Download it again, or set benchmark.path to another file.")
    advice = " CSV is not read for questions: write it as JSON Lines." if b"," in head.partition(b"\n")[0] else ""
    raise StudyError(f"{path}: starts with {first!r}, so it is no data file. It must be {KINDS}.{advice}")


def array_records(path: Path, data: bytes, start: int) -> Iterator[RawRecord]:
    """The elements of an array, decoded one by one; ``start`` is where ``data`` starts in the file."""
    problems: list[str] = []
    ended = True
    for number, (first, last, ended) in enumerate(elements(path, data), start=1):  # noqa: B007
        text = decoded(path, data[first:last], start + first)
        try:
            record = RawRecord(f"record {number}", json_value(text))
        except json.JSONDecodeError as error:
            raise not_json(path, data, first + len(text[: error.pos].encode()), error.msg) from error
        except ValueError as error:
            problems.append(f"record {number}: {error}")
            continue
        del text
        yield record
        del record
    if problems:
        raise all_problems(
            f"{path}: {len(problems)} record(s) are not usable as JSON:",
            problems,
            remedy="It must be an array of flat objects, and an object must have each field once.",
        )
    if not ended:
        raise not_json(path, data, len(data), "The array does not end")


def elements(path: Path, data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Where each element of the array in ``data`` starts and ends, in bytes, and whether the array goes on or ends.

    The bytes between the commas of the array, whatever they are; only the last of an array without an end is false.
    """
    depth, first, found = 0, 0, False
    for token in TOKEN.finditer(data):
        sign = data[token.start() : token.start() + 1]
        if sign in (b"[", b"{"):
            depth += 1
            first = token.end() if depth == 1 else first
        elif sign == b"," and depth == 1:
            yield first, token.start(), True
            first, found = token.end(), True
        elif sign in (b"]", b"}"):
            depth -= 1
            if not depth:
                if found or data[first : token.start()].strip():
                    yield first, token.start(), True
                if sign == b"}":
                    raise not_json(path, data, token.start(), "Expecting ',' or ']'")
                if after := re.compile(rb"\S").search(data, token.end()):
                    raise not_json(path, data, after.start(), "Extra data")
                return
    yield first, len(data), False


def not_json(path: Path, data: bytes, place: int, message: str) -> StudyError:
    line = data.count(b"\n", 0, place) + 1
    column = len(data[data.rfind(b"\n", 0, place) + 1 : place].decode("utf-8", errors="replace")) + 1
    return StudyError(
        f"{path}: not valid JSON at line {line}, column {column} ({message}). "
        "The file may be truncated: download it again, or mend that place."
    )


def object_records(path: Path, stream: BufferedReader, start: int, fields: Collection[str]) -> Iterator[RawRecord]:
    """One record a line, or what the text's only object holds."""
    lone = lone_object(path, stream, start)
    if lone is None:
        yield from line_records(path, stream, start)
        return
    for place, value in unwrapped(path, lone, fields):
        yield RawRecord(place, value)


def lone_object(path: Path, stream: BufferedReader, start: int) -> Any | None:
    """The object that is the whole text, on one line or on several; None where it is not one object."""
    lines = (line for line in stream if not line.isspace())
    first = next(lines)
    several = next(lines, None) is not None
    stream.seek(start)
    if several and first[-HEAD_BYTES:].rstrip()[-1:] not in (b"{", b"[", b","):
        return None
    del first
    text = stream.read()
    stream.seek(start)
    try:
        return json_value(text.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None
    except ValueError as error:
        raise StudyError(f"{path}: not usable as JSON ({error}). Write each field once, in flat objects.") from error


def line_records(path: Path, stream: BufferedReader, start: int) -> Iterator[RawRecord]:
    """One record a line; blank lines are skipped. Lines end at a line feed only: texts may hold other separators."""
    problems: list[str] = []
    number, place = 0, start
    for raw in stream:
        number += 1
        line = decoded(path, raw, place)
        place += len(raw)
        # A record is held once or twice at a time, not as bytes too: lines may be hundreds of megabytes.
        del raw
        if line.isspace():
            continue
        try:
            record = RawRecord(f"line {number}", json_value(line))
        except json.JSONDecodeError as error:
            column = min(error.pos, len(line.rstrip("\r\n"))) + 1  # json goes on after the line feed
            problems.append(f"line {number}, column {column}: {error.msg}")
            continue
        except ValueError as error:
            problems.append(f"line {number}: {error}")
            continue
        del line
        yield record
        del record
    if problems:
        raise all_problems(
            f"{path}: {len(problems)} line(s) are not usable as JSON (it starts with '{{', so it is read as JSON "
            "Lines):",
            problems,
            remedy="Write one whole object a line, each field once, or all in one array [...]; download a truncated "
            "file again.",
        )


def decoded(path: Path, content: bytes, place: int) -> str:
    """UTF-8 bytes that start at byte ``place`` of the file as text."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StudyError(
            f"{path}: invalid UTF-8 at byte {place + error.start} (counted from 0; {error.reason}). "
            f"The file must be {KINDS}, its text in UTF-8. Download it again, or convert it to UTF-8."
        ) from error
