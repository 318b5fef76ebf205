"""Several results of a question, such as epochs or seeds: refused, or made one."""

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from plancheck.comparison.records import Record, ResultsFile, listed, names_of, text_of, value_of
from plancheck.errors import StudyError, all_problems
from plancheck.statistics.pairs import Scored

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
    scored: Sequence[Scored],
    *,
    way: str | None,
    id_field: str,
    used: Sequence[str],
) -> tuple[tuple[Scored, ...], Repeats]:
    """Each question once, in the order of its first result, with its score or, by ``way``, that of its results.

    Args:
        file: where the records are from.
        records: one for each of ``scored``.
        scored: question ID and score.
        way: a name of WAYS; None refuses questions with several results.
        id_field: of the question's ID.
        used: fields of score or answers, which tell no results apart.

    Raises:
        StudyError: ``way`` is unknown, or questions have several results and it is None.
    """
    if way is not None and way not in WAYS:
        raise StudyError(f"--repeats must be among {sorted(WAYS)}, got {way!r}.")
    times = Counter(question_id for question_id, _ in scored)
    fewest, most = min(times.values()), max(times.values())
    if most == 1:
        return tuple(scored), Repeats(1, 1)
    fields = _telling_apart(records, id_field, used)
    if way is None:
        raise all_problems(
            f"{file.path}: questions with several results ({id_field} is the ID)",
            [f"{question_id}: {count} results" for question_id, count in times.items() if count > 1],
            remedy=_remedy(records, fields),
        )
    scores: dict[str, list[float]] = {question_id: [] for question_id in times}
    for question_id, score in scored:
        scores[question_id].append(score)
    return tuple((key, float(WAYS[way](found))) for key, found in scores.items()), Repeats(fewest, most, fields)


def _telling_apart(records: Sequence[Record], id_field: str, used: Sequence[str]) -> tuple[str, ...]:
    """The fewest fields, at most 2, that tell the results of a question apart; none where no such fields do."""
    values = {}
    for name in names_of(records):
        found = [record.fields.get(name) for record in records]
        plain = all(isinstance(value, str | int) and not isinstance(value, bool) for value in found)
        if plain and name not in (id_field, *used):
            values[name] = {text_of(value) for value in found}
    candidates = [name for name, found in values.items() if 1 < len(found) <= max(2, len(records) // 2)]
    for size in (1, 2):
        for fields in combinations(candidates, size):
            keys = {tuple(text_of(value_of(record, name)) for name in (id_field, *fields)) for record in records}
            if len(keys) == len(records):
                return fields
    return ()


def _remedy(records: Sequence[Record], fields: Sequence[str]) -> str:
    averaged = "Or, if they are repeats, such as epochs or seeds, average them by question with --repeats mean."
    if not fields:
        return f"Keep one result a question, or name another field with --id. {averaged}"
    options = " ".join(f"--where {name}=VALUE" for name in fields)
    known = "; ".join(f"{name} is {listed({text_of(value_of(record, name)) for record in records})}" for name in fields)
    return f"Choose one result a question with {options} (--where-a, --where-b for one file): {known}. {averaged}"
