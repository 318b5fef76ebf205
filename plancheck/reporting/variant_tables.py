"""Planner policies that differ in one thing: the adapter (sensitivity), or the order of the selected atoms.

p is adjusted over all rows of a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final

import pandas as pd

from plancheck.mechanisms.choices import jaccard
from plancheck.params.pack import Policy
from plancheck.records import Atom
from plancheck.reporting.paired import PAIRED, Method, arm, paired, table_of
from plancheck.reporting.results import ALL, Results

SENSITIVITY_COLUMNS: Final = ("fill", "treatment", "control", "budget_chars", *PAIRED, "jaccard")
ORDER_COLUMNS: Final = ("selector", "treatment", "control", "budget_chars", *PAIRED)


def sensitivity_table(
    results: Results,
    policies: Mapping[str, Policy],
    plans: Mapping[str, Mapping[str, Sequence[Atom]]],
    budgets_chars: Sequence[int],
    method: Method,
) -> pd.DataFrame:
    """SENSITIVITY_COLUMNS: each policy of ``sft`` against the same policy of ``sft_early``, on all questions.

    ``fill`` is the treatment's name without its selector. ``jaccard`` is the mean Jaccard index of the atoms the two
    selectors select, two failed plans agreeing wholly.
    """
    rows = []
    for treatment, control in twins(policies, {"selector": "sft"}, {"selector": "sft_early"}):
        first, second = plans["sft"], plans["sft_early"]
        overlap = fmean(jaccard(first[question_id], second[question_id]) for question_id in results.splits[ALL])
        for budget in budgets_chars:
            figures = paired(arm(results, treatment, budget), arm(results, control, budget), results, ALL, method)
            known = {"treatment": treatment, "control": control, "budget_chars": budget, "jaccard": overlap}
            rows.append({"fill": treatment.removeprefix("sft+"), **known, **figures})
    return table_of(rows, SENSITIVITY_COLUMNS)


def order_table(
    results: Results, policies: Mapping[str, Policy], budgets_chars: Sequence[int], method: Method
) -> pd.DataFrame:
    """ORDER_COLUMNS: plans shown in the selector's own order against hybrid order, all else equal, on all questions."""
    rows = []
    for treatment, control in twins(policies, {"order": "selected"}, {"order": "hybrid"}):
        for budget in budgets_chars:
            figures = paired(arm(results, treatment, budget), arm(results, control, budget), results, ALL, method)
            known = {"treatment": treatment, "control": control, "budget_chars": budget}
            rows.append({"selector": policies[treatment].selector, **known, **figures})
    return table_of(rows, ORDER_COLUMNS)


def twins(
    policies: Mapping[str, Policy], having: Mapping[str, str], other: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Names of policies that have some values, each with the first that has the other values and equals it else."""
    for name, policy in policies.items():
        if policy.selector is None or any(getattr(policy, field) != value for field, value in having.items()):
            continue
        wanted = policy.model_copy(update=dict(other))
        twin = next((candidate for candidate, found in policies.items() if found == wanted), None)
        if twin is not None:
            yield name, twin
