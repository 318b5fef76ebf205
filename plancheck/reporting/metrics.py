"""The few figures that two runs of a study are compared by (`dvc metrics diff`, `dvc exp show`)."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from plancheck.reporting.ladder import verdict_counts
from plancheck.reporting.results import ALL, TEST, records
from plancheck.routing.entries import BEST_SINGLE, ORACLE_PAIR

DIGITS = 6


def metrics(tables: Mapping[str, pd.DataFrame], *, harness: Collection[str]) -> dict[str, Any]:
    """Figures from the tables, rounded to DIGITS.

    Over all questions: accuracy of the best planner and of the best control by budget; failed answers; ``ladder``,
    tiers of each verdict, over budgets and learned planners, and over the harness's own; ``planner_gain``, accuracy of
    the best planner less that of the best control by budget and kind of pick; ``oracle_gap``, accuracy of the oracle of
    two policies less that of the best single one of the same questions (null without routers); ``rankings``, the
    questions in which each says nothing. On the test split: parse rates.
    """
    everyone = tables["main"][tables["main"]["split"] == ALL]
    selection = tables["selection"]
    held_out = selection[selection["split"] == TEST]
    ladder = tables["ladder"]
    ours = ladder["selector"].isin(list(harness))
    accuracy: dict[str, dict[str, float]] = {"planner": {}, "control": {}}
    gains: dict[str, dict[str, float]] = {}
    for row in records(tables["best_of_all"]):
        budget = str(row["budget_chars"])
        gains.setdefault(row["pick"], {})[budget] = round(row["difference"], DIGITS)
        if row["split"] == ALL:
            accuracy["planner"][budget] = round(row["treatment_accuracy"], DIGITS)
            accuracy["control"][budget] = round(row["control_accuracy"], DIGITS)
    return {
        "accuracy": accuracy,
        "failures": int(everyone["failures"].sum()),
        "ladder": {"planners": verdict_counts(ladder[~ours]), "harness": verdict_counts(ladder[ours])},
        "oracle_gap": oracle_gap(tables["routing"]),
        "parse_rate_test": {row["selector"]: round(row["parse_rate"], DIGITS) for row in records(held_out)},
        "planner_gain": gains,
        "rankings": {row["ranking"]: {"silent": row["silent"]} for row in records(tables["rankings"])},
    }


def oracle_gap(routing: pd.DataFrame) -> float | None:
    """Accuracy of the pair's oracle less that of the best single policy of the same questions; None without either.

    Below 0 where a policy outside the pair is right more often than a perfect choice within it.
    """
    known = {(row["scheme"], row["among"], row["router"]): float(row["accuracy"]) for row in records(routing)}
    pair = ("none", "pair", ORACLE_PAIR), ("in_sample", "policies", BEST_SINGLE)
    if any(key not in known for key in pair):
        return None
    return round(known[pair[0]] - known[pair[1]], DIGITS)
