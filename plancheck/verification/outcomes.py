"""What follows from letters, gold letters and spans, made again: rightness, oracles' choices, evidence recall."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from plancheck.packing import evidence_recall
from plancheck.params.pack import deployable
from plancheck.params.study import Params
from plancheck.records import Piece, Span
from plancheck.release.tables import KEYS
from plancheck.routing.entries import BEST_SINGLE, ORACLE_ALL, ORACLE_PAIR
from plancheck.verification.differences import Difference, same

Rows = list[dict[str, Any]]
# By table, the columns that follow from others.
MADE: Final[Mapping[str, Sequence[str]]] = {
    "predictions": ("gold", "correct"),
    "given_predictions": ("gold", "correct"),
    "traces": ("correct", "reward"),
    "packed": ("evidence_recall",),
    "routing": ("policy", "correct"),
}


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Tables with what follows from their other columns made again, and where that differs from the bundle."""

    tables: Mapping[str, pa.Table]
    differences: Sequence[Difference]
    cells: int


def outcomes(tables: Mapping[str, pa.Table], params: Params) -> Outcomes:
    """Make again what follows from other columns.

    ``gold`` is the question's gold letter. ``correct`` is whether the letter is among the right ones; where a finished
    system's file has no letter, what it says is taken. ``reward`` follows from it. Of routers ``correct`` is that of
    the policy chosen; what oracles and the best single policy choose is made again, what other routers choose is taken.
    ``evidence_recall`` is made again but for texts that users gave.

    Raises:
        KeyError: a row names a question, policy or atom that is nowhere else.
    """
    questions = {row["question_id"]: row for row in tables["questions"].to_pylist()}
    stored = {name: tables[name].to_pylist() for name in MADE}
    made: dict[str, Rows] = {
        name: [answered(row, questions[row["question_id"]]) for row in stored[name]]
        for name in ("predictions", "given_predictions", "traces")
    }
    given = set(params.contexts)
    made["packed"] = [recalled(row, questions[row["question_id"]], given=given) for row in stored["packed"]]
    made["routing"] = routed(stored["routing"], made["predictions"], params)
    found, cells = [], 0
    for name, columns in MADE.items():
        own = [column for column in columns if column in tables[name].column_names]
        cells += len(own) * len(stored[name])
        found += [
            Difference(
                f"data/{name}.parquet", ", ".join(str(old[key]) for key in KEYS[name]), column, old[column], new[column]
            )
            for old, new in zip(stored[name], made[name], strict=True)
            for column in own
            if not same(old[column], new[column])
        ]
    rebuilt = {name: pa.Table.from_pylist(rows, schema=tables[name].schema) for name, rows in made.items()}
    return Outcomes({**tables, **rebuilt}, found, cells)


def answered(row: dict[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(row)
    if "gold" in row:
        found["gold"] = question["answer"]
    if row["letter"] is not None:
        found["correct"] = row["letter"] in question["right"]
    elif row.get("failure") is not None or "system" not in row:
        found["correct"] = False
    if "reward" in row:
        found["reward"] = int(found["correct"])
    return found


def recalled(row: dict[str, Any], question: Mapping[str, Any], *, given: set[str]) -> dict[str, Any]:
    if row["policy"] in given:
        return row
    evidence = question["evidence"] and [Span(**span) for span in question["evidence"]]
    pieces = list(map(Piece, row["atom_ids"], row["starts"], row["ends"]))
    return row | {"evidence_recall": evidence_recall(evidence, pieces)}


def routed(rows: Rows, predictions: Rows, params: Params) -> Rows:
    """The rows of routing, the choices of oracles and of the best single policy made again."""
    right: dict[str, dict[str, bool]] = {}  # by policy and question
    for row in predictions:
        if row["budget_chars"] == params.route.budget_chars:
            right.setdefault(row["policy"], {})[row["question_id"]] = row["correct"]
    everyone = deployable(params.pack.policies, params.selectors)
    among = {ORACLE_PAIR: (params.route.control, params.route.planner), ORACLE_ALL: everyone}
    tested: dict[tuple[str, int | None], set[str]] = {}
    for row in rows:
        if row["router"] == BEST_SINGLE:
            tested.setdefault((row["scheme"], row["fold"]), set()).add(row["question_id"])
    # Without folds it learned from the questions that it routes, else from all others.
    singles = {
        (scheme, fold): best(right, everyone, own if fold is None else set(right[everyone[0]]) - own)
        for (scheme, fold), own in tested.items()
    }
    found = []
    for row in rows:
        policy = row["policy"]
        if row["router"] in among:
            policy = best(right, among[row["router"]], {row["question_id"]})
        elif row["router"] == BEST_SINGLE:
            policy = singles[row["scheme"], row["fold"]]
        found.append(row | {"policy": policy, "correct": right[policy][row["question_id"]]})
    return found


def best(right: Mapping[str, Mapping[str, bool]], policies: Sequence[str], question_ids: set[str]) -> str:
    """The policy that is right most often on these questions; ties go to the earlier."""
    return max(policies, key=lambda policy: sum(right[policy][question_id] for question_id in question_ids))
