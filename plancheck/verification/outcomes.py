"""What follows from letters, gold letters and spans, made again: rightness, oracles' choices, evidence recall."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from plancheck.packing import evidence_recall
from plancheck.params.pack import deployable
from plancheck.params.study import Params
from plancheck.records import Piece, Span
from plancheck.release.tables import KEYS
from plancheck.routing.entries import BEST_SINGLE, ORACLE_ALL, ORACLE_PAIR
from plancheck.verification.differences import Difference, same

Rows = list[dict[str, Any]]


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
    made: dict[str, Rows] = {
        name: [answered(row, questions[row["question_id"]]) for row in tables[name].to_pylist()]
        for name in ("predictions", "given_predictions", "traces")
    }
    made["packed"] = [
        recalled(row, questions[row["question_id"]], given=set(params.contexts)) for row in tables["packed"].to_pylist()
    ]
    made["routing"] = routed(tables["routing"].to_pylist(), made["predictions"], params)
    found, cells = [], 0
    for name, rows in made.items():
        for old, new in zip(tables[name].to_pylist(), rows, strict=True):
            label = ", ".join(str(old[key]) for key in KEYS[name])
            cells += len(old)
            found += [
                Difference(f"data/{name}.parquet", label, column, old[column], new[column])
                for column in old
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
    at_budget = [row for row in predictions if row["budget_chars"] == params.route.budget_chars]
    right = pd.DataFrame(at_budget).pivot(index="question_id", columns="policy", values="correct").astype(bool)
    everyone = deployable(params.pack.policies, params.selectors)
    pair = (params.route.control, params.route.planner)
    folds: dict[tuple[str, int | None], set[str]] = {}
    for row in rows:
        if row["router"] == BEST_SINGLE:
            folds.setdefault((row["scheme"], row["fold"]), set()).add(row["question_id"])
    # Without folds it learned from the questions that it routes, else from all others.
    singles = {
        key: best(right if key[1] is None else right.loc[~right.index.isin(tested)], everyone)
        for key, tested in folds.items()
    }
    found = []
    for row in rows:
        policy = row["policy"]
        own = right.loc[[row["question_id"]]]
        if row["router"] in (ORACLE_PAIR, ORACLE_ALL):
            policy = best(own, pair if row["router"] == ORACLE_PAIR else everyone)
        elif row["router"] == BEST_SINGLE:
            policy = singles[row["scheme"], row["fold"]]
        found.append(row | {"policy": policy, "correct": bool(own[policy].iloc[0])})
    return found


def best(right: pd.DataFrame, policies: Sequence[str]) -> str:
    """The policy that is right most often; ties go to the earlier."""
    return policies[int(right[list(policies)].sum(axis=0).to_numpy().argmax())]
