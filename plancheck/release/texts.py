"""Whether a release holds text that it must not: any run of 30 characters of a text of the study."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from plancheck.release.sums import files_of

RUN: Final = 30  # characters
# Of the page, in a script element: the libraries that draw its charts, 2 MB without a word of the study.
LIBRARIES: Final = re.compile(r"<script>\(function\(\)\{.*?\}\)\(\);</script>", re.DOTALL)
BASE: Final = np.uint64(0x9E3779B97F4A7C15)


def found_texts(
    files: Mapping[str, str], texts: Iterable[tuple[str, str]], *, allowed: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """File and name of each text of which the file holds a run of 30 characters, once a pair.

    Runs without a letter or a digit are no text. Every run of every text is looked up by its hash, then letter by
    letter, so nothing is missed and nothing is found that is not there. Time grows with the texts' length; memory
    with the files' length and that of one text.

    Args:
        files: what the release holds, by file.
        texts: name and text.
        allowed: runs of these may stand anywhere.
    """
    known, free = all_hashes(files.values()), all_hashes(allowed)
    known = known[~among(known, free)]
    for name, text in texts:
        hashes = run_hashes(text)
        places = np.flatnonzero(among(hashes, known))
        runs = {text[place : place + RUN] for place in places.tolist()}
        spoken = [run for run in runs if any(letter.isalnum() for letter in run)]
        for file, content in files.items():
            if any(run in content for run in spoken):
                yield file, name


def all_hashes(texts: Iterable[str]) -> NDArray[np.uint64]:
    """The hashes of every run of all texts, least first."""
    return np.sort(np.concatenate([np.empty(0, np.uint64), *map(run_hashes, texts)]))


def run_hashes(text: str) -> NDArray[np.uint64]:
    """A polynomial hash of each run of 30 characters, modulo 2 ** 64, by place; none of a shorter text."""
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    count = max(len(letters) - RUN + 1, 0)
    found = np.zeros(count, np.uint64)
    for place in range(RUN if count else 0):
        found *= BASE
        found += letters[place : place + count]
    return found


def among(hashes: NDArray[np.uint64], known: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which hashes are among the known ones, which are sorted."""
    if not len(known):
        return np.zeros(len(hashes), dtype=bool)
    places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    return np.asarray(known[places] == hashes)


def contents(folder: Path) -> dict[str, str]:
    """What each file of a folder says: of a Parquet table every distinct string, of others their text as it stands.

    The page's libraries are left out.
    """
    return {
        name: strings(pq.read_table(folder / name))
        if name.endswith(".parquet")
        else LIBRARIES.sub("", (folder / name).read_text(encoding="utf-8"), count=1)
        for name in files_of(folder)
    }


def strings(table: pa.Table) -> str:
    found: set[str] = set()
    for column in table.columns:
        flat = column.combine_chunks()
        while pa.types.is_list(flat.type):
            flat = flat.flatten()
        if pa.types.is_string(flat.type) or pa.types.is_large_string(flat.type):
            found.update(value for value in flat.unique().to_pylist() if value is not None)
    return "\x00".join(sorted(found))
