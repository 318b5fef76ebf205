"""TREC runs and relevance judgements (qrels): which documents answer a query, one in a line of text.

A run's line is ``query Q0 document rank score tag``, that of qrels ``query 0 document relevance``. Fields are parted by
blanks or tabs, so an ID is escaped like the path of a web address: a percent sign, a space and whatever does not print
become the bytes of their UTF-8 as ``%20``; an empty ID is a single ``%``. Python's ``urllib.parse.quote`` escapes more,
which reads back the same.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple
from urllib.parse import quote, unquote

from plancheck.plumbing.errors import SHOWN_PROBLEMS, StudyError, all_problems

FIELDS: Final = ("query", "Q0", "document", "rank", "score", "tag")
EMPTY: Final = "%"
# What text in UTF-8 cannot begin with, and what it is then.
OTHER_FILES: Final[Mapping[bytes, str]] = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x1f\x8b": "packed with gzip",
    b"PK\x03\x04": "a ZIP archive",
    b"PAR1": "Parquet",
}
REMEDY: Final = f"A line is `{' '.join(FIELDS)}` in UTF-8, each document once a query; see docs/bring-your-own.md."


class Hit(NamedTuple):
    """A document that a run lists for a query. A tuple, for a run may hold ten million of them.

    ``rank`` is any whole number, the least is best; ``score`` is finite, the greatest is best.
    """

    docid: str
    rank: int
    score: float


def read_run(path: Path) -> dict[str, list[Hit]]:
    """The hits of each query, both in the file's order; blank lines are passed over. Holds the result and little more.

    Raises:
        StudyError: the file cannot be read, holds no hit, or has lines that break a rule, which are all counted and
            the first 20 named: not six fields, a rank that is no whole number, a score that is no finite number, an ID
            that is no UTF-8, a document that its query already has.
    """
    found: dict[str, dict[str, Hit]] = {}
    shown: list[str] = []
    count = 0
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                query, hit = _parsed(line)
                if found.setdefault(query, {}).setdefault(hit.docid, hit) is not hit:
                    raise ValueError(f"document {hit.docid!r:.80} of query {query!r:.80} comes again")
            except ValueError as error:
                count += 1
                if count <= SHOWN_PROBLEMS:
                    shown.append(f"line {number:,}: {error}")
    if count:
        raise all_problems(f"{path}: {count:,} line(s) of this run break a rule:", shown, remedy=REMEDY, count=count)
    if not found:
        raise StudyError(f"{path}: holds no line. Did the program that writes it fail? {REMEDY}")
    return {query: list(found.pop(query).values()) for query in list(found)}


def best_first(hits: Sequence[Hit], position: Mapping[str, int]) -> list[Hit]:
    """Hits by score, the greatest first; equal scores by rank, equal ranks by the document's position.

    Args:
        hits: of one query; may be empty.
        position: of each document among them, such as an atom's in its context.
    """
    return sorted(hits, key=lambda hit: (-hit.score, hit.rank, position[hit.docid]))


def ranked(docids: Sequence[str]) -> list[Hit]:
    """Hits of documents given best first: ranks from 1, scores from their number down to 1.

    No score comes twice, so that a program which orders by score alone, as trec_eval does, sees this order.
    """
    return [Hit(docid, rank, float(len(docids) + 1 - rank)) for rank, docid in enumerate(docids, start=1)]


def run_line(query: str, hit: Hit, *, tag: str) -> str:
    """A line of a run, without its end; ``tag`` names what ranked. ``read_run`` reads the same hit back."""
    return f"{escaped(query)} Q0 {escaped(hit.docid)} {hit.rank} {hit.score!r} {escaped(tag)}"


def qrels_line(query: str, docid: str, *, relevance: int) -> str:
    """A line of qrels, without its end."""
    return f"{escaped(query)} 0 {escaped(docid)} {relevance}"


def escaped(name: str) -> str:
    """An ID as one field of a line, as the module's docstring says; ``unescaped`` gives it back."""
    if name and "%" not in name and " " not in name and name.isprintable():
        return name
    return "".join(map(_escaped_sign, name)) or EMPTY


def _escaped_sign(sign: str) -> str:
    plain = sign.isprintable() and sign not in " %"
    return sign if plain else quote(sign, safe="", errors="surrogatepass")


def unescaped(field: str) -> str:
    """The ID of a field. A percent sign before anything but two hexadecimal digits stands for itself.

    Raises:
        ValueError: what is escaped is no UTF-8.
    """
    if "%" not in field:
        return field
    if field == EMPTY:
        return ""
    return unquote(field, errors="surrogatepass")


def _parsed(line: bytes) -> tuple[str, Hit]:
    fields = line.split()
    if len(fields) != len(FIELDS):
        raise ValueError(f"{len(fields)} fields where there are {len(FIELDS)}: {_shown(line)}")
    query, _, docid, rank, score, _ = fields
    return _identified(query), Hit(_identified(docid), _whole(rank), _finite(score))


def _identified(field: bytes) -> str:
    try:
        return unescaped(field.decode())
    except UnicodeDecodeError as error:
        raise ValueError(f"ID {_shown(field)} is not UTF-8") from error


def _whole(field: bytes) -> int:
    try:
        if b"_" not in field:
            return int(field)
    except ValueError:
        pass
    raise ValueError(f"rank {_shown(field)} is no whole number")


def _finite(field: bytes) -> float:
    try:
        if b"_" not in field and math.isfinite(score := float(field)):
            return score
    except ValueError:
        pass
    raise ValueError(f"score {_shown(field)} is no finite number")


def _shown(text: bytes) -> str:
    return f"{text.strip().decode(errors='backslashreplace')!r:.80}"


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file at its first line."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
            for start, kind in OTHER_FILES.items():
                if head.startswith(start):
                    raise StudyError(f"{path}: is {kind}, not text in UTF-8. Save it as plain text. {REMEDY}")
            file.seek(3 if head.startswith(b"\xef\xbb\xbf") else 0)
            yield file
    except OSError as error:
        raise StudyError(f"{path}: cannot be read ({error.strerror}). Check its name and its permissions.") from error
