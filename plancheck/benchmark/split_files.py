"""Listings of a file or folder that ``split.path`` may name.

- ``.json``: an object of lists of IDs by split, or of splits by ID. What plancheck's own splits.json says besides
  (``BESIDES``) is left unread.
- a folder with a file ``<split>.txt`` for each split, in upper or lower case: an ID a line, blanks within it included.
  Hidden files and those of other kinds are left unread.
- ``.csv``, ``.tsv`` and ``.txt``: an ID and its split a line, as ``plancheck.benchmark.split_rows`` divides it.

Text is UTF-8, with or without a byte order mark; lines end at LF, CR LF or CR, and empty ones say nothing. There are
no comments: an ID may begin with any character.
"""

import json
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from plancheck.benchmark.kinds import ENCODINGS, other_encoding
from plancheck.benchmark.listings import REMEDY, SPLIT_NAMES, Listing, checked, shown_name, split_named
from plancheck.benchmark.split_rows import lines_of, table_listings, text_listings
from plancheck.benchmark.values import shown
from plancheck.matching import match_key
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.strict_json import json_value

BESIDES: Final = frozenset({"seed", "group_by", "source"})
# Of a message of the JSON reader, which names fields of the file.
SHOWN_ERROR_CHARS: Final = 200
HEAD_BYTES: Final = 512
MARKS: Final = (BOM_UTF16_LE, BOM_UTF16_BE, BOM_UTF32_LE, BOM_UTF32_BE)


def read_listings(path: Path) -> list[Listing]:
    """What a file or folder lists, in its order; at least one listing.

    IDs of JSON are taken as they are, whole numbers as text; those of text without white space around them.

    Raises:
        StudyError: the path is not there, cannot be read, is of no known form, lists nothing or gives one split two
            names; all bad lines of it at once.
    """
    refuse_unread(path)
    if path.is_dir():
        found = folder_listings(path)
    elif read := READERS.get(path.suffix.lower()):
        found = read(path, text_of(path))
    else:
        raise StudyError(f"{path}: is no list of splits by its name. {REMEDY}")
    names: dict[str, dict[str, str]] = {}
    for listing in found:
        names.setdefault(listing.split, {}).setdefault(match_key(listing.named), listing.named)
    if several := [
        f"{split}: {' and '.join(map(shown_name, said.values()))}" for split, said in names.items() if len(said) > 1
    ]:
        raise all_problems(
            f"{path}: names a split in several ways:", several, remedy="Give each split one name: train, dev or test."
        )
    if not found:
        raise StudyError(f"{path}: lists no question. {REMEDY}")
    return found


def refuse_unread(path: Path) -> None:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StudyError(f"{path}: no such file or folder. Set split.path to one that lists question IDs.") from error
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> StudyError:
    return StudyError(f"{path}: cannot be read ({error.strerror}). Mend split.path or its permissions.")


def text_of(path: Path) -> str:
    """The text of a file, with its own line ends.

    Raises:
        StudyError: the file cannot be read or is no UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    if encoding := encoding_of(content):
        raise other_encoding(path, encoding)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: invalid UTF-8 at byte {error.start} (counted from 0). Save it as UTF-8.") from error


def encoding_of(content: bytes) -> str | None:
    """The name of UTF-16 or UTF-32 as iconv knows it, if the bytes are such text; None if they are not.

    Without a mark it is known by its NUL bytes, and these must be many: an ID of UTF-8 may hold one.
    """
    encoding = ENCODINGS.get(json.detect_encoding(content))
    head = content[:HEAD_BYTES]
    return encoding if head.startswith(MARKS) or 4 * head.count(0) >= len(head) else None


def text_files(folder: Path) -> list[Path]:
    """The files of a folder that are read: ``.txt`` in any case, none that is hidden; by name.

    Raises:
        StudyError: the folder cannot be read.
    """
    try:
        found = sorted(folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error) from error
    return [file for file in found if file.suffix.lower() == ".txt" and not file.name.startswith(".")]


def folder_listings(folder: Path) -> list[Listing]:
    files = {file: SPLIT_NAMES.get(match_key(file.stem)) for file in text_files(folder)}
    if strangers := [shown_name(file.name) for file, split in files.items() if split is None]:
        raise all_problems(
            f"{folder}: text files of no split:", strangers, remedy="Keep only train.txt, dev.txt and test.txt there."
        )
    return [
        Listing(line.strip(), split, file.stem, f"{shown_name(file.name)} line {number}")
        for file, split in files.items()
        if split
        for number, line in enumerate(lines_of(text_of(file)), start=1)
        if line.strip()
    ]


def json_listings(path: Path, text: str) -> list[Listing]:
    try:
        value = json_value(text)
    except ValueError as error:
        said = repr(str(error))[1:-1][:SHOWN_ERROR_CHARS]
        raise StudyError(f"{path}: not usable as JSON ({said}). Mend it, or write the file again.") from error
    if not isinstance(value, dict):
        raise StudyError(f"{path}: its JSON is no object. {REMEDY}")
    if any(isinstance(ids, list) for ids in value.values()):
        lists = {name: ids for name, ids in value.items() if name not in BESIDES}
        problems = [f"{shown(name)}: is no split" for name in lists if split_named(name) is None]
        problems += [f"{shown(name)}: holds no list of IDs" for name, ids in lists.items() if not isinstance(ids, list)]
        rows = [
            (item, name, f"{shown_name(name)} item {number}")
            for name, ids in lists.items()
            if isinstance(ids, list) and split_named(name)
            for number, item in enumerate(ids, start=1)
        ]
    else:
        names = list(enumerate(value.items(), start=1))
        problems = [
            f"{shown(item)}: {shown(name)} is no split" for _, (item, name) in names if split_named(name) is None
        ]
        rows = [(item, name, f"name {number}") for number, (item, name) in names if split_named(name)]
    return checked(path, rows, problems)


READERS: Final[Mapping[str, Callable[[Path, str], list[Listing]]]] = {
    ".json": json_listings,
    ".csv": table_listings,
    ".tsv": table_listings,
    ".txt": text_listings,
}
