"""Table 3: oracles and routers beside the best single policy."""

from collections.abc import Collection
from typing import Any, Final

import pandas as pd

from plancheck.reporting.accuracy_tables import accuracy_columns
from plancheck.reporting.columns import ACCURACY, SAME, TESTS, UNITS, WINS
from plancheck.reporting.paired import Arm, Method, adjusted, paired
from plancheck.reporting.results import ALL, Results
from plancheck.reporting.table import Column, Table
from plancheck.routing.entries import BEST_SINGLE, FOLD_SCHEMES

COMPARED: Final = ("difference", "low", "high", "wins", "losses", "identical", "p")
ROUTING: Final = Table(
    name="routing",
    title="Oracles, routers and the best single policy",
    notes="Table 3. Oracles and routers choose among the two policies of section route (pair), the best control of "
    "each tier (controls) or all policies. Differences, wins, losses and questions shown the same text against the "
    "best single policy: of the training folds for routers with folds, of the same questions for oracles and what was "
    "learned in sample. p, of deployable routers alone, is adjusted (Benjamini and Hochberg) over those of a scheme "
    "that choose among the same. Oracles know the answer, and an optimistic rule saw the questions it is measured on. "
    f"{UNITS}",
    empty="no router was run in this study",
    columns=(
        Column("scheme", "Folds"),
        Column("router", "Router"),
        Column("among", "Chooses among"),
        Column("kind", "Kind"),
        *ACCURACY,
        Column("planner_share", "Sent to a planner, %", "percent"),
        Column("baseline", "Best single policy, of"),
        Column("baseline_accuracy", "Best single, %", "percent"),
        Column("difference", "Against best single, points", "points", interval=("low", "high")),
        *WINS,
        SAME,
        *TESTS,
    ),
)
USUAL: Final = "stratified"
# Which questions the baseline, the best single policy, was picked on, by whether the router has folds.
BASELINES: Final = {True: "training_folds", False: "same_questions"}
NOTHING: Final = "nothing_learned"


def routing_table(
    routing: pd.DataFrame, results: Results, planners: Collection[str], method: Method, *, budget_chars: int
) -> pd.DataFrame:
    """ROUTING, by scheme, what is chosen among and router, in the order of ``routing``.

    Args:
        routing: columns question_id, scheme, router, among, kind, learned, policy, correct; a row a question and entry.
        results: their contexts and questions, and what their policies showed.
        planners: policies with a selector; ``planner_share`` is the share of questions sent to one of them.
        method: how comparisons are made.
        budget_chars: the budget that routers choose at.

    Returns:
        The difference, its interval (contexts resampled), wins, losses and pairs shown the same text are those against
        the best single policy, and ``baseline`` says of which questions: of the training folds for a router with
        folds, as it learned from those alone; of the same questions for oracles and what was learned in sample, as the
        published study has it. They are empty for that policy itself. p is of the deployable routers alone, adjusted
        over those of a scheme that choose among the same: oracles know the answer, and an optimistic router saw the
        questions it is measured on, so a test of them would mean nothing. Where some fold left nothing to learn from (a
        study of one domain, or domains that share their contexts), the choices are those of no data: nothing is
        compared, and ``baseline`` is "nothing_learned".

    Raises:
        ValueError: a router lacks a question's row or has it twice.
    """
    entries = {key: rows for key, rows in routing.groupby(["scheme", "among", "router"], sort=False)}
    arms = {
        (scheme, among, router): router_arm(f"{router} {scheme} {among}", rows, results, budget_chars=budget_chars)
        for (scheme, among, router), rows in entries.items()
    }
    found = []
    for (scheme, among, router), rows in entries.items():
        kind = rows["kind"].iloc[0]
        own = arms[scheme, among, router]
        row: dict[str, Any] = {"scheme": scheme, "router": router, "among": among, "kind": kind, "p": None}
        row |= accuracy_columns(rows["correct"], confidence=method.confidence)
        row["planner_share"] = float(rows["policy"].isin(list(planners)).mean())
        folded = scheme in FOLD_SCHEMES
        if (rows["learned"] == 0).any():
            row["baseline"] = NOTHING
        elif router != BEST_SINGLE:
            fixed = arms[scheme if folded else "in_sample", "policies", BEST_SINGLE]
            figures = paired(own, fixed, results, ALL, method)
            kept = [name for name in COMPARED if name != "p" or kind == "deployable"]
            row |= {name: figures[name] for name in kept}
            row |= {"baseline": BASELINES[folded], "baseline_accuracy": figures["control_accuracy"]}
        found.append(row)
    return ROUTING.frame(adjusted(found, family=lambda row: (row["scheme"], row["among"])))


def control_routers(routing: pd.DataFrame, results: Results, *, budget_chars: int) -> dict[str, Arm]:
    """Each deployable router of the stratified scheme that chooses among controls, by its name."""
    chosen = routing[
        (routing["kind"] == "deployable")
        & (routing["scheme"] == USUAL)
        & (routing["among"] == "controls")
        & (routing["learned"] > 0)
    ]
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
    right = {str(question_id): bool(value) for question_id, value in own["correct"].items()}
    return Arm(f"router {name}", right, shown)
