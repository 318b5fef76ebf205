"""Table 3: oracles and routers beside the best single policy."""

from collections.abc import Collection
from typing import Any, Final

import pandas as pd

from plancheck.reporting.accuracy_tables import accuracy_columns
from plancheck.reporting.paired import Arm, Method, paired, table_of
from plancheck.reporting.results import ALL, Results

COLUMNS: Final = (
    "scheme",
    "router",
    "kind",
    "questions",
    "correct",
    "accuracy",
    "wilson_low",
    "wilson_high",
    "planner_share",
    "difference",
    "low",
    "high",
    "wins",
    "losses",
    "p",
    "p_adjusted",
    "tests",
)
FIXED = "best_single"
USUAL = "stratified"


def routing_table(routing: pd.DataFrame, results: Results, planners: Collection[str], method: Method) -> pd.DataFrame:
    """COLUMNS, by scheme and router in the order of ``routing``.

    Args:
        routing: columns question_id, scheme, router, kind, policy, correct; a row a question, scheme and router.
        results: their contexts and questions.
        planners: policies with a selector; ``planner_share`` is the share of questions sent to one of them.
        method: how comparisons are made.

    Returns:
        The difference, its interval (contexts resampled), wins and losses are those against the best single policy
        that the same scheme chose in its training folds; of the stratified scheme where the row's own has none. They
        are empty for that policy itself. p is of the deployable routers alone, adjusted over those of a scheme:
        oracles know the answer, and an optimistic router saw the questions it is measured on, so a test of them would
        mean nothing.

    Raises:
        ValueError: a router lacks a question's row or has it twice.
    """
    arms = {
        (scheme, router): Arm(f"router {router} {scheme}", right_by_question(rows, results))
        for (scheme, router), rows in routing.groupby(["scheme", "router"], sort=False)
    }
    found = []
    for (scheme, router), rows in routing.groupby(["scheme", "router"], sort=False):
        kind = rows["kind"].iloc[0]
        own = arms[scheme, router]
        row: dict[str, Any] = {"scheme": scheme, "router": router, "kind": kind, "p": None}
        row |= accuracy_columns(own.right, confidence=method.confidence)
        row["planner_share"] = float(rows["policy"].isin(list(planners)).mean())
        fixed = arms.get((scheme, FIXED), arms.get((USUAL, FIXED)))
        if fixed is not None and router != FIXED:
            figures = paired(own, fixed, results, ALL, method)
            kept = ("difference", "low", "high", "wins", "losses", *(("p",) if kind == "deployable" else ()))
            row |= {name: figures[name] for name in kept}
        found.append(row)
    return table_of(found, COLUMNS, family=lambda row: row["scheme"])


def deployable_routers(routing: pd.DataFrame, results: Results) -> dict[str, pd.Series]:
    """Whether each question is answered right under each deployable router of the stratified scheme, by router."""
    chosen = routing[(routing["kind"] == "deployable") & (routing["scheme"] == USUAL)]
    return {str(router): right_by_question(rows, results) for router, rows in chosen.groupby("router", sort=False)}


def right_by_question(rows: pd.DataFrame, results: Results) -> pd.Series:
    """Whether each question is answered right, by ID in ascending order.

    Raises:
        ValueError: a question lacks its row or has it twice.
    """
    if sorted(rows["question_id"]) != list(results.splits[ALL]):
        raise ValueError(f"router {rows['router'].iloc[0]}: not one row for each question")
    return rows.set_index("question_id")["correct"].astype(bool).sort_index()
