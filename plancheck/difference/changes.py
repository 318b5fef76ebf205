"""What differs between two versions of a table."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plancheck.difference.parts import Rows
from plancheck.difference.values import Change

Row = Mapping[str, Any]
Keyed = Mapping[tuple[Any, ...], Row]


@dataclass(slots=True)
class Group:
    """The changes of a group of rows: of both runs' rows, how many there are, and in which columns they differ.

    ``rows`` counts keys of either run; ``differing`` those that differ in a compared column, or that one run lacks.
    ``questions`` are theirs. ``fine`` counts rows that differ in fine columns alone.
    """

    rows: int = 0
    differing: int = 0
    fine: int = 0
    only_a: int = 0
    only_b: int = 0
    columns: Counter[str] = field(default_factory=Counter)
    questions: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Flip:
    """An answer that is right in one run alone."""

    question_id: str
    condition: str
    letter_a: str | None
    letter_b: str | None
    right_in: str


def keyed(rows: Iterable[Row], key: Sequence[str]) -> dict[tuple[Any, ...], Row]:
    """Rows by their key and, where it comes again, by their order among those of that key."""
    seen: Counter[tuple[Any, ...]] = Counter()
    found = {}
    for row in rows:
        name = tuple(row[column] for column in key)
        found[*name, seen[name]] = row
        seen[name] += 1
    return found


def row_changes(part: Rows, a: Keyed, b: Keyed) -> tuple[dict[str, Group], list[Change]]:
    """Changes by group, in the order of A and then of B's own rows; and each one where the part is listed.

    Columns that one run's rows lack are not compared.
    """
    groups: dict[str, Group] = defaultdict(Group)
    listed: list[Change] = []
    lacking = lacking_columns(part, a, b)
    there = next(iter((a or b).values()), {})
    values, fine = (
        [column for column in columns if column in there and column not in lacking]
        for columns in (part.values, part.fine)
    )
    for key in (*a, *(key for key in b if key not in a)):
        before, after = a.get(key), b.get(key)
        present = before or after or {}
        group = groups["@".join(str(present[column]) for column in part.by)]
        group.rows += 1
        if before is None or after is None:
            group.only_a += after is None
            group.only_b += before is None
            changed = []
            if part.listed:
                listed.append(Change(place(key), told(before is not None), told(after is not None)))
        else:
            changed = [column for column in values if before[column] != after[column]]
            group.columns.update(changed)
            if part.listed:
                listed += [
                    Change(f"{place(key)}: {column}", str(before[column]), str(after[column])) for column in changed
                ]
            if not changed:
                group.fine += any(before[column] != after[column] for column in fine)
                continue
        group.differing += 1
        if "question_id" in present:
            group.questions.add(present["question_id"])
    return dict(groups), listed


def lacking_columns(part: Rows, a: Keyed, b: Keyed) -> list[str]:
    """Compared columns that one run's table has and the other's does not."""
    both = [next(iter(rows.values())).keys() for rows in (a, b) if rows]
    return [column for column in (*part.values, *part.fine) if len({column in columns for columns in both}) > 1]


def place(key: tuple[Any, ...]) -> str:
    """A row's key as text; its order among rows of the same key only where it is not the first."""
    *names, number = key
    return " ".join(map(str, names)) + (f" ({number + 1})" if number else "")


def told(there: bool) -> str:
    return "there" if there else "not there"


def flips(a: Keyed, b: Keyed) -> list[Flip]:
    """Answers that both runs have and of which one alone is right, by question and then in the order of A."""
    found = []
    for key in a:
        if key in b and a[key]["correct"] != b[key]["correct"]:
            condition = "@".join(map(str, key[1:-1]))
            right_in = "A" if a[key]["correct"] else "B"
            found.append(Flip(key[0], condition, a[key]["letter"], b[key]["letter"], right_in))
    return sorted(found, key=lambda flip: flip.question_id)
