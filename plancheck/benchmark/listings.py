"""What files list of a split: question IDs, each with the name of a split."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from plancheck.benchmark.values import SHOWN_CHARS, id_text, shown
from plancheck.matching import match_key
from plancheck.plumbing.errors import all_problems

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
REMEDY: Final = (
    "split.path must be a .json object of lists of IDs by split, or of splits by ID; a folder with train.txt, dev.txt "
    "and test.txt, an ID a line; or a .txt, .tsv or .csv file with an ID first, then its split, a line. A split's name "
    f"is one of {', '.join(SPLIT_NAMES)}."
)

# What needs no quotes in a message: no white space, no mark that messages divide by, nothing that is not seen.
PLAIN: Final = re.compile(rf"[\w.:/+-]{{0,{SHOWN_CHARS}}}")


@dataclass(frozen=True, slots=True)
class Listing:
    """A question ID, the split that the file puts it in (by our name and by its own), and where, such as "line 3"."""

    question_id: str
    split: str
    named: str
    place: str


def split_named(name: Any) -> str | None:
    return SPLIT_NAMES.get(match_key(name)) if isinstance(name, str) else None


def shown_name(text: str) -> str:
    """A name or ID of a file, for a message of one line: as it is where it is plain, else quoted, escaped and cut."""
    return text if PLAIN.fullmatch(text) else shown(text)


def checked(path: Path, rows: list[tuple[Any, Any, str]], problems: list[str]) -> list[Listing]:
    """Listings of rows of an ID, a split's name and a place.

    Raises:
        StudyError: there are problems, a value is no ID, or a name is no split's; all of them are listed.
    """
    listings, found = [], [*problems]
    for value, name, place in rows:
        question_id, split = id_text(value), split_named(name)
        if question_id is None:
            found.append(f"{place}: {shown(value)} is no ID: text or a whole number")
        elif split is None:
            found.append(f"{place}: {shown(name)} is no split")
        else:
            listings.append(Listing(question_id, split, name, place))
    if found:
        raise all_problems(f"{path}: {len(found)} fault(s):", found, remedy=REMEDY)
    return listings
