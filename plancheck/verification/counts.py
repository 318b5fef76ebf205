"""The arithmetic of a table of counts, anybody's: what its cells say, against what its other cells give."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Final

from plancheck.plumbing.errors import StudyError
from plancheck.statistics.proportions import wilson
from plancheck.statistics.signs import sign_test
from plancheck.visible import in_a_line

MOST_BYTES: Final = 16 << 20
MOST_COUNT: Final = 10_000_000
COUNTS: Final = (
    "questions", "correct", "wins", "losses", "ties", "treatment_correct", "control_correct",
)  # fmt: skip
SHARES: Final = (
    "accuracy", "wilson_low", "wilson_high", "treatment_accuracy", "control_accuracy", "difference", "discordance", "p",
)  # fmt: skip
COUNT_OF: Final = {
    "accuracy": "correct",
    "treatment_accuracy": "treatment_correct",
    "control_accuracy": "control_correct",
}
COUNT: Final = re.compile(r"[0-9]{1,8}|[0-9]{1,3}(,[0-9]{3}){1,2}")
OTHER_NAMES: Final = {"n": "questions", "k": "correct"}


@dataclass(frozen=True, slots=True)
class Shown:
    """A number as it stands in a cell: its value as a share, how far off rounding can take it, "<" before it or not."""

    text: str
    value: float
    half: float
    below: bool = False

    def agrees(self, true: float) -> bool:
        if self.below:
            return true < self.value
        return abs(true - self.value) <= self.half * (1 + 1e-9) + 1e-12


@dataclass(slots=True)
class Checked:
    """How many rows and checked cells there are, which columns of shares were never checked, and what is wrong."""

    rows: int = 0
    cells: int = 0
    left: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def check_counts(path: Path, *, confidence: float) -> Checked:
    """Check every cell of a CSV that other cells of its row determine; docs/verify.md has the columns.

    Args:
        path: a CSV with a header, commas between its fields.
        confidence: of its Wilson intervals.

    Raises:
        StudyError: it cannot be read, or has no column that can be checked.
    """
    header, rows = read_rows(path)
    known = [OTHER_NAMES.get(name, name) for name in header]
    if len(set(known)) < len(known):
        raise StudyError(f"{path}: a column comes twice, such as n beside questions. Keep one.")
    found, used = Checked(rows=len(rows)), set[str]()
    for number, cells in rows:
        row = dict(zip(known, cells, strict=True))
        label = f"line {number}" + "".join(
            f", {value}" for name, value in row.items() if name not in (*COUNTS, *SHARES)
        )
        for column, wrong in check_row(row, confidence=confidence):
            used.add(column)
            found.cells += 1
            if wrong:
                found.problems.append(f"{label[:200]}: {column} {wrong}")
    found.left = [name for name in known if name in SHARES and name not in used]
    if not found.cells:
        columns = ", ".join((*COUNTS, *SHARES))
        raise StudyError(
            f"{path}: nothing in it can be checked. Its columns: {in_a_line(', '.join(header))[:200]}. Those that are "
            f"known, in small letters and with commas between them: {columns}."
        )
    return found


def read_rows(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header, and each row that is not blank with the line that it begins in."""
    if not path.exists():
        raise StudyError(f"{path}: no such file.")
    if not path.is_file():  # a pipe would never end
        raise StudyError(f"{path}: is no plain file.")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise StudyError(f"{path}: is larger than {MOST_BYTES >> 20} MiB.")
        reader = csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""), strict=True)
        lines, first = [], 1
        for cells in reader:
            if any(map(str.strip, cells)):
                lines.append((first, cells))
            first = reader.line_num + 1
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path}: not readable as CSV in UTF-8 ({error}).") from error
    if len(lines) < 2:
        raise StudyError(f"{path}: must have a header and a row.")
    (_, header), *rows = lines
    if uneven := [number for number, cells in rows if len(cells) != len(header)]:
        raise StudyError(f"{path}: rows that have not as many fields as the header, such as line {uneven[0]}.")
    return [name.strip() for name in header], rows


def check_row(row: Mapping[str, str], *, confidence: float) -> Iterator[tuple[str, str]]:
    """Each column that can be checked, and what is wrong with it ("" where nothing is)."""
    counts: dict[str, int] = {}
    shares: dict[str, Shown] = {}
    for name, text in row.items():
        if not text.strip():
            continue
        if name in COUNTS:
            if (count := whole(text)) is None:
                yield name, f"is {text!r}, no whole number from 0 to {MOST_COUNT:,}"
            else:
                counts[name] = count
        elif name in SHARES:
            if (share := number(text)) is None:
                yield name, f"is {text!r}, no number"
            elif abs(share.value) > 1:
                yield name, f"is {text!r}, more than 1; a percentage has a sign, as 42.11%"
            else:
                shares[name] = share
    yield from sums(counts)
    yield from of_counts(counts, shares, confidence=confidence)


def sums(counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """What counts are to each other."""
    n = counts.get("questions")
    if n is not None and n < 1:
        yield "questions", "is 0, of which there is no share"
    outcomes = [counts.get(name) for name in ("wins", "losses", "ties")]
    if n is not None and None not in outcomes:
        total = sum(count for count in outcomes if count is not None)
        yield "ties", "" if total == n else f"makes {total:,} with wins and losses, of {n:,} questions"
    elif n is not None and "wins" in counts and "losses" in counts:
        total = counts["wins"] + counts["losses"]
        yield "wins", "" if total <= n else f"makes {total:,} with losses, of {n:,} questions"
    for name in ("correct", "treatment_correct", "control_correct"):
        if n is not None and name in counts:
            yield name, "" if counts[name] <= n else f"is {counts[name]:,}, of {n:,} questions"
    if {"wins", "losses", "treatment_correct", "control_correct"} <= set(counts):
        gain = counts["wins"] - counts["losses"]
        apart = counts["treatment_correct"] - counts["control_correct"]
        yield (
            "wins",
            "" if gain == apart else f"less losses is {gain:+,}, and treatment_correct less control_correct {apart:+,}",
        )


def of_counts(
    counts: Mapping[str, int], shares: Mapping[str, Shown], *, confidence: float
) -> Iterator[tuple[str, str]]:
    """What shares are of the counts; without its count a share must at least be one of as many questions."""
    n = counts.get("questions") or 0
    true: dict[str, float] = {}
    if n:
        for share, count in COUNT_OF.items():
            if count in counts:
                true[share] = counts[count] / n
        if counts.get("correct", n + 1) <= n:
            interval = wilson(counts["correct"], n, confidence=confidence)
            true |= {"wilson_low": interval.low, "wilson_high": interval.high}
        if {"wins", "losses"} <= set(counts):
            true["difference"] = (counts["wins"] - counts["losses"]) / n
            true["discordance"] = (counts["wins"] + counts["losses"]) / n
        elif {"treatment_correct", "control_correct"} <= set(counts):
            true["difference"] = (counts["treatment_correct"] - counts["control_correct"]) / n
    if {"wins", "losses"} <= set(counts):
        true["p"] = sign_test(counts["wins"], counts["losses"])
    for name, shown in shares.items():
        if name in true:
            yield name, "" if shown.agrees(true[name]) else f"is {shown.text}, the counts give {true[name]:.6g}"
        elif n and name in COUNT_OF:
            near = round(shown.value * n)
            right = any(shown.agrees(count / n) for count in (near - 1, near, near + 1) if 0 <= count <= n)
            yield name, "" if right else f"is {shown.text}, which no count of {n:,} questions gives"
    if n and {"difference", "treatment_accuracy", "control_accuracy"} <= set(shares) and "difference" in true:
        ours, theirs = shares["treatment_accuracy"], shares["control_accuracy"]
        apart = Shown("", ours.value - theirs.value, ours.half + theirs.half)
        words = f"less control_accuracy is {apart.value:.6g}, the counts give {true['difference']:.6g}"
        yield "treatment_accuracy", "" if apart.agrees(true["difference"]) else words


def whole(text: str) -> int | None:
    """A count, as 1234 or 1,234; None for anything else."""
    bare = text.strip()
    count = int(bare.replace(",", "")) if COUNT.fullmatch(bare) else MOST_COUNT + 1
    return count if count <= MOST_COUNT else None


def number(text: str) -> Shown | None:
    """A share as 0.4211, 42.11 % or < 0.001, with half a unit of its last decimal; None for anything else."""
    bare = text.strip().replace("\N{MINUS SIGN}", "-")
    if not bare.isascii() or "_" in bare:  # which Decimal would take
        return None
    below = bare.startswith("<")
    percent = bare.endswith("%")
    try:
        value = Decimal(bare.removeprefix("<").removesuffix("%").strip())
    except InvalidOperation:
        return None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int) or abs(value) > 1000 or exponent < -400:
        return None
    scale = 100 if percent else 1
    return Shown(text.strip(), float(value) / scale, 0.5 * 10.0 ** min(exponent, 0) / scale, below)
