"""Table 1: accuracy and evidence recall of every condition, for all questions and for the test split alone."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pandas as pd
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid

from plancheck.records import FAILURES
from plancheck.reporting.accuracy_tables import accuracy_columns
from plancheck.reporting.columns import ACCURACY, BUDGET, POLICY, RECALL, SPLIT, UNITS
from plancheck.reporting.reading import read_report
from plancheck.reporting.results import ALL
from plancheck.reporting.rounding import count, percent, whole_percent
from plancheck.reporting.table import Column, Table

KINDS: Final = {kind: f"failures_{kind}" for kind in FAILURES}  # the column that counts each kind of failed answer
MAIN: Final = Table(
    name="main",
    title="Accuracy of every policy at every budget",
    notes="Table 1, with Wilson intervals, mean share of the evidence shown, and failed answers, all and by kind. "
    f"{UNITS}",
    empty="there is no accuracy",
    columns=(
        POLICY,
        BUDGET,
        SPLIT,
        *ACCURACY,
        RECALL,
        Column("failures", "Failed answers", "count"),
        *(Column(name, f"Failed: {kind.replace('_', ' ')}", "count") for kind, name in KINDS.items()),
        Column("failed_plans", "Failed plans", "count"),
    ),
)


def main_table(
    predictions: pd.DataFrame,
    packed: pd.DataFrame,
    splits: Mapping[str, Sequence[str]],
    *,
    policies: Sequence[str],
    budgets_chars: Sequence[int],
    confidence: float,
) -> pd.DataFrame:
    """One row a policy, budget and split ("all", "test"), in the order the parameters declare.

    Args:
        predictions: columns question_id, policy, budget_chars, correct, failure.
        packed: columns question_id, policy, budget_chars, evidence_recall, plan_failed; without rows of finished
            systems, whose evidence is unknown.
        splits: question IDs by split.
        policies: rows' order.
        budgets_chars: rows' order within a policy.
        confidence: of the Wilson intervals.

    Returns:
        MAIN. A failed answer counts as wrong and stays in the denominator; ``failures`` says how many there are,
        and the column of each kind in KINDS how many of that kind.
        ``evidence_recall`` is the mean over the questions whose evidence is known, empty when there are none.
        ``failed_plans`` counts questions whose plan failed, so that only the policy's fill was shown.

    Raises:
        ValueError: a condition lacks a question's row, or has it twice.
    """
    keys = ["question_id", "policy", "budget_chars"]
    shown = packed[[*keys, "evidence_recall", "plan_failed"]]
    rows = predictions.merge(shown, on=keys, how="outer", validate="1:1", indicator=True)
    unshown = ~rows["policy"].isin(shown["policy"])  # finished systems, which are shown nothing of ours
    rows.loc[unshown, "plan_failed"] = False
    if (rows.loc[~unshown, "_merge"] != "both").any():
        raise ValueError("predictions and packed contexts do not hold the same conditions")
    everyone = sorted(question_id for ids in splits.values() for question_id in ids)
    conditions = {key: group for key, group in rows.groupby(["policy", "budget_chars"])}
    found = []
    for policy in policies:
        for budget in budgets_chars:
            condition = conditions[(policy, budget)].set_index("question_id")
            for split, ids in ((ALL, everyone), ("test", list(splits["test"]))):
                if split == ALL and sorted(condition.index) != everyone:
                    raise ValueError(f"{policy} at {budget}: not one row for each question")
                chosen = condition.loc[ids]
                found.append(
                    {"policy": policy, "budget_chars": budget, "split": split}
                    | accuracy_columns(chosen["correct"], confidence=confidence)
                    | {"evidence_recall": chosen["evidence_recall"].mean(), "failures": chosen["failure"].notna().sum()}
                    | {name: (chosen["failure"] == kind).sum() for kind, name in KINDS.items()}
                    | {"failed_plans": chosen["plan_failed"].sum()}
                )
    return MAIN.frame(found)


def show(path: Path, *, console: Console) -> None:
    """Print Table 1 from its CSV: all questions, a row a policy, the columns the budgets."""
    table = read_report(path, MAIN)
    rows = table[table["split"] == ALL]
    if rows.empty:
        return
    budgets = list(dict.fromkeys(rows["budget_chars"]))
    questions = int(rows["questions"].iloc[0])
    console.print(f"Table 1. Accuracy of {questions} questions in % [Wilson interval] and evidence recall (ev.) in %,")
    console.print("by budget in characters. Evidence is known for generated questions only.")
    view = Grid(box=SIMPLE_HEAD, pad_edge=False)
    view.add_column("policy", no_wrap=True)
    for budget in budgets:
        view.add_column(f"{budget:,}", justify="right", no_wrap=True)
        view.add_column("ev.", justify="right", no_wrap=True)
    for policy in dict.fromkeys(rows["policy"]):
        cells = [str(policy)]
        for budget in budgets:
            row = rows[(rows["policy"] == policy) & (rows["budget_chars"] == budget)].iloc[0]
            failed = f" {row['failures']} failed" if row["failures"] else ""
            low, high = (whole_percent(row[name]) for name in ("wilson_low", "wilson_high"))
            cells.append(f"{percent(row['accuracy'])} [{low}, {high}]{failed}")
            cells.append(whole_percent(row["evidence_recall"]))
        view.add_row(*cells)
    console.print(view)
    kinds = {kind.replace("_", " "): rows[name].sum() for kind, name in KINDS.items()}
    if told := ", ".join(f"{kind} {count(found)}" for kind, found in kinds.items() if found):
        console.print(f"Failed answers, which count as wrong, over all policies and budgets: {told}.")
