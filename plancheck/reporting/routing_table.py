"""Table 3: oracles and routers beside the best single policy."""

from collections.abc import Collection
from typing import Any, Final

import pandas as pd

from plancheck.reporting.accuracy_tables import accuracy_columns
from plancheck.reporting.paired import Arm, Method, paired, table_of
from plancheck.reporting.results import ALL, Results

COMPARED: Final = ("difference", "low", "high", "wins", "losses", "identical", "p")
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
    *COMPARED,
    "p_adjusted",
    "tests",
)
FIXED = "best_single"
USUAL = "stratified"


def routing_table(
    routing: pd.DataFrame, results: Results, planners: Collection[str], method: Method, *, budget_chars: int
) -> pd.DataFrame:
    """COLUMNS, by scheme and router in the order of ``routing``.

    Args:
        routing: columns question_id, scheme, router, kind, policy, correct; a row a question, scheme and router.
        results: their contexts and questions, and what their policies showed.
        planners: policies with a selector; ``planner_share`` is the share of questions sent to one of them.
        method: how comparisons are made.
        budget_chars: the budget that routers choose at.

    Returns:
        The difference, its interval (contexts resampled), wins, losses and pairs shown the same text are those against
        the best single policy that the same scheme chose in its training folds; of the stratified scheme where the
        row's own has none. They are empty for that policy itself. p is of the deployable routers alone, adjusted over
        those of a scheme: oracles know the answer, and an optimistic router saw the questions it is measured on, so a
        test of them would mean nothing.

    Raises:
        ValueError: a router lacks a question's row or has it twice.
    """
    arms = {
        (scheme, router): router_arm(f"{router} {scheme}", rows, results, budget_chars=budget_chars)
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
            kept = [name for name in COMPARED if name != "p" or kind == "deployable"]
            row |= {name: figures[name] for name in kept}
        found.append(row)
    return table_of(found, COLUMNS, family=lambda row: row["scheme"])


def deployable_routers(routing: pd.DataFrame, results: Results, *, budget_chars: int) -> dict[str, Arm]:
    """Each deployable router of the stratified scheme, by its name."""
    chosen = routing[(routing["kind"] == "deployable") & (routing["scheme"] == USUAL)]
    return {
        str(router): router_arm(str(router), rows, results, budget_chars=budget_chars)
        for router, rows in chosen.groupby("router", sort=False)
    }


def router_arm(name: str, rows: pd.DataFrame, results: Results, *, budget_chars: int) -> Arm:
    """What a router answers right, and the text of the policy that it sends each question to.

    Raises:
        ValueError: a question lacks its row or has it twice.
    """
    if sorted(rows["question_id"]) != list(results.splits[ALL]):
        raise ValueError(f"router {rows['router'].iloc[0]}: not one row for each question")
    own = rows.set_index("question_id").sort_index()
    texts = {policy: results.texts(policy, budget_chars) for policy in own["policy"].unique()}
    shown = {str(question_id): texts[policy][str(question_id)] for question_id, policy in own["policy"].items()}
    return Arm(f"router {name}", own["correct"].astype(bool), shown)
