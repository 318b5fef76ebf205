"""Published train, dev and test IDs as their file lists them: JSON, text, or a folder of texts.

- ``.json``: an object of lists of IDs by split, or of splits by ID. What plancheck's own splits.json says besides
  (``BESIDES``) is left unread.
- a folder with a file ``<split>.txt`` for each split: an ID a line, blanks within it included.
- ``.csv``: an ID, a comma, its split a line; ``.tsv`` with a tab: fields may be quoted. ``.txt``: the last word or
  comma-separated value of a line is the split, all before it the ID. A first line whose last value is "split" is a
  heading.

Text is UTF-8, with or without a byte order mark, with any line ends; empty lines say nothing. There are no comments:
an ID may begin with any character.
"""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from plancheck.benchmark.entries import id_text
from plancheck.errors import StudyError, all_problems
from plancheck.matching import match_key
from plancheck.strict_json import json_value

# By the names that files give them, whatever their case.
SPLIT_NAMES: Final[Mapping[str, str]] = {
    "train": "train",
    "training": "train",
    "dev": "dev",
    "development": "dev",
    "val": "dev",
    "valid": "dev",
    "validation": "dev",
    "test": "test",
}
BESIDES: Final = frozenset({"seed", "group_by", "source"})
HEADING: Final = "split"
FORMS: Final = (
    "a .json object of lists of IDs by split, or of splits by ID; a folder with train.txt, dev.txt and test.txt, an ID "
    "a line; or a .txt, .tsv or .csv file with an ID and its split a line"
)


@dataclass(frozen=True, slots=True)
class Listing:
    """A question ID, the split that the file puts it in (by our name and by its own), and where, such as "line 3"."""

    question_id: str
    split: str
    named: str
    place: str


def read_listings(path: Path) -> list[Listing]:
    """What a file or folder lists, in its order; at least one listing.

    IDs of JSON are taken as they are, whole numbers as text; those of text without white space around them.

    Raises:
        StudyError: the path cannot be read, is of no known form, lists nothing or gives one split two names; all bad
            lines of it at once.
    """
    if path.is_dir():
        found = folder_listings(path)
    elif read := READERS.get(path.suffix.lower()):
        found = read(path, text_of(path))
    else:
        raise StudyError(f"{path}: is no list of splits by its name. split.path must be {FORMS}.")
    names: dict[str, dict[str, str]] = {}
    for listing in found:
        names.setdefault(listing.split, {}).setdefault(match_key(listing.named), listing.named)
    if several := [f"{split}: {' and '.join(said.values())}" for split, said in names.items() if len(said) > 1]:
        raise all_problems(
            f"{path}: names a split in several ways:", several, remedy="Give each split one name: train, dev or test."
        )
    if not found:
        raise StudyError(f"{path}: lists no question. split.path must be {FORMS}.")
    return found


def text_of(path: Path) -> str:
    """The text of a file, with its own line ends.

    Raises:
        StudyError: the file cannot be read or is no UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}). Mend split.path or its permissions.") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: invalid UTF-8 at byte {error.start} (counted from 0). Save it as UTF-8.") from error


def folder_listings(folder: Path) -> list[Listing]:
    files = {file: SPLIT_NAMES.get(match_key(file.stem)) for file in sorted(folder.glob("*.txt"))}
    if strangers := [file.name for file, split in files.items() if split is None]:
        raise all_problems(
            f"{folder}: text files of no split:", strangers, remedy="Keep only train.txt, dev.txt and test.txt there."
        )
    return [
        Listing(line.strip(), split, file.stem, f"{file.name} line {number}")
        for file, split in files.items()
        if split
        for number, line in enumerate(text_of(file).split("\n"), start=1)
        if line.strip()
    ]


def json_listings(path: Path, text: str) -> list[Listing]:
    try:
        value = json_value(text)
    except ValueError as error:
        raise StudyError(f"{path}: not usable as JSON ({error}). split.path must be {FORMS}.") from error
    if not isinstance(value, dict):
        raise StudyError(f"{path}: its JSON is no object. split.path must be {FORMS}.")
    if any(isinstance(ids, list) for ids in value.values()):
        lists = {name: ids for name, ids in value.items() if name not in BESIDES}
        problems = [f"{name!r}: is no split" for name in lists if split_named(name) is None]
        problems += [f"{name!r}: holds no list of IDs" for name, ids in lists.items() if not isinstance(ids, list)]
        rows = [
            (item, name, f"{name} item {number}")
            for name, ids in lists.items()
            if isinstance(ids, list)
            for number, item in enumerate(ids, start=1)
        ]
    else:
        problems = []
        rows = [(item, name, f"name {number}") for number, (item, name) in enumerate(value.items(), start=1)]
    return checked(path, rows, problems)


def text_listings(path: Path, text: str) -> list[Listing]:
    return row_listings(path, map(divided, text.split("\n")))


def divided(line: str) -> list[str]:
    """What precedes the last word or comma-separated value of a line, and that value; one alone, or none."""
    line = line.strip()
    last = line.replace(",", " ").split()[-1:]
    if not last or not line.endswith(last[0]):
        return [line] if line else []
    before = line.removesuffix(last[0]).rstrip().removesuffix(",").rstrip()
    return [before, *last] if before else last


def table_listings(path: Path, text: str) -> list[Listing]:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return row_listings(path, rows)
    except csv.Error as error:
        raise StudyError(f"{path}: line {rows.line_num}: {error}. Mend it, or write the file again.") from error


READERS: Final[Mapping[str, Callable[[Path, str], list[Listing]]]] = {
    ".json": json_listings,
    ".csv": table_listings,
    ".tsv": table_listings,
    ".txt": text_listings,
}


def row_listings(path: Path, rows: Iterable[list[str]]) -> list[Listing]:
    stripped = ((number, [value.strip() for value in row]) for number, row in enumerate(rows, start=1))
    filled = [(number, values) for number, values in stripped if any(values)]
    if filled and match_key(filled[0][1][-1]) == HEADING:
        del filled[0]
    listed = [
        (values[0], values[-1], f"line {number}") for number, values in filled if len(values) == 2 and all(values)
    ]
    others = [
        f"line {number}: is no ID and a split" for number, values in filled if len(values) != 2 or not all(values)
    ]
    return checked(path, listed, others)


def checked(path: Path, rows: list[tuple[Any, Any, str]], problems: list[str]) -> list[Listing]:
    """Listings of rows of an ID, a split's name and a place.

    Raises:
        StudyError: there are problems, a value is no ID, or a name is no split's.
    """
    listings = []
    for value, name, place in rows:
        question_id, split = id_text(value), split_named(name)
        if question_id is None:
            problems.append(f"{place}: {value!r} is no ID: text or a whole number")
        elif split is None:
            problems.append(f"{place}: {name!r} is no split: {', '.join(SPLIT_NAMES)}")
        else:
            listings.append(Listing(question_id, split, name, place))
    if problems:
        raise all_problems(f"{path}: {len(problems)} fault(s):", problems, remedy=f"split.path must be {FORMS}.")
    return listings


def split_named(name: Any) -> str | None:
    return SPLIT_NAMES.get(match_key(name)) if isinstance(name, str) else None
