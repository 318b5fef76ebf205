"""Several results of a question, such as epochs or seeds: refused, or made one."""

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from plancheck.comparison.columns import names_of, values_of
from plancheck.comparison.records import Record, ResultsFile, listed, text_of
from plancheck.plumbing.errors import StudyError, all_problems

# Exact, so that neither the order of the repeats nor rounding turns a tie into a win.
WAYS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {"mean": statistics.mean}


@dataclass(frozen=True, slots=True)
class Repeats:
    """The fewest and the most results of a question, and fields whose values tell them apart; none where unknown."""

    fewest: int
    most: int
    fields: tuple[str, ...] = ()


def once_each(
    file: ResultsFile,
    records: Sequence[Record],
    ids: Sequence[str],
    marks: Sequence[float],
    *,
    way: str | None,
    id_field: str,
    used: Sequence[str],
) -> tuple[dict[str, float], Repeats]:
    """Each question once, in the order of its first result, with its score or, by ``way``, that of its results.

    Args:
        file: where the records are from.
        records: one for each of ``ids``.
        ids: of the questions.
        marks: the score of each result.
        way: a name of WAYS; None refuses questions with several results.
        id_field: of the question's ID.
        used: fields of score or answers, which tell no results apart.

    Raises:
        StudyError: ``way`` is unknown, or questions have several results and it is None.
    """
    if way is not None and way not in WAYS:
        raise StudyError(f"--repeats must be among {sorted(WAYS)}, got {way!r}.")
    scored = dict(zip(ids, marks, strict=True))
    if len(scored) == len(ids):
        return scored, Repeats(1, 1)
    times = Counter(ids)
    fewest, most = min(times.values()), max(times.values())
    fields = _telling_apart(records, id_field, used)
    if way is None:
        raise all_problems(
            f"{file.path}: questions with several results ({id_field} is the ID)",
            [f"{question_id}: {count} results" for question_id, count in times.items() if count > 1],
            remedy=_remedy(records, fields),
        )
    scores: dict[str, list[float]] = {question_id: [] for question_id in times}
    for question_id, score in zip(ids, marks, strict=True):
        scores[question_id].append(score)
    return {key: float(WAYS[way](found)) for key, found in scores.items()}, Repeats(fewest, most, fields)


def _telling_apart(records: Sequence[Record], id_field: str, used: Sequence[str]) -> tuple[str, ...]:
    """The fewest fields, at most 2, that tell the results of a question apart; none where no such fields do."""
    values = {}
    for name in names_of(records):
        found = values_of(records, name)
        plain = all(isinstance(value, str | int) and not isinstance(value, bool) for value in found)
        if plain and name not in (id_field, *used):
            values[name] = {text_of(value) for value in found}
    candidates = [name for name, found in values.items() if 1 < len(found) <= max(2, len(records) // 2)]
    for size in (1, 2):
        for fields in combinations(candidates, size):
            columns = [map(text_of, values_of(records, name)) for name in (id_field, *fields)]
            keys = set(zip(*columns, strict=True))
            if len(keys) == len(records):
                return fields
    return ()


def _remedy(records: Sequence[Record], fields: Sequence[str]) -> str:
    averaged = "Or, if they are repeats, such as epochs or seeds, average them by question with --repeats mean."
    if not fields:
        return f"Keep one result a question, or name another field with --id. {averaged}"
    options = " ".join(f"--where {name}=VALUE" for name in fields)
    known = "; ".join(f"{name} is {listed(set(map(text_of, values_of(records, name))))}" for name in fields)
    return f"Choose one result a question with {options} (--where-a, --where-b for one file): {known}. {averaged}"
