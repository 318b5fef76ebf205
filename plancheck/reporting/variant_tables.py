"""Planner policies that differ in one thing: the adapter (sensitivity), or the order of the selected atoms."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Final, Literal

import pandas as pd

from plancheck.mechanisms.choices import overlap
from plancheck.params.pack import OWN_ORDER, PACKING_ORDER, Policy, twins
from plancheck.records import Atom
from plancheck.reporting.columns import BUDGET, PAIR, SELECTOR
from plancheck.reporting.paired import HOW, PAIRED, Method, adjusted, arm, paired
from plancheck.reporting.results import ALL, Results
from plancheck.reporting.table import Column, Table

SENSITIVITY: Final = Table(
    name="sensitivity",
    title="The trained planner against its early adapter",
    notes=f"The final adapter is the treatment. {HOW} p is adjusted (Benjamini and Hochberg) over all rows. Jaccard: "
    "mean index of the atoms that the two select.",
    empty="this study makes no such comparison",
    columns=(
        Column("fill", "Fill"),
        *PAIR,
        BUDGET,
        *PAIRED,
        Column("jaccard", "Mean Jaccard of selections", "number"),
    ),
)
ORDER: Final = Table(
    name="order",
    title="A ranking's order against the selector's own order",
    notes=f"Plans in a ranking's order are the treatment. {HOW} Held shown: both show the same atoms; held "
    "selected: the order decides also which atoms of a longer plan fit. Same set: questions in which both show the "
    "same set of atoms; several atoms: those in which the control shows two or more, for with fewer there is no order. "
    "p is adjusted (Benjamini and Hochberg) over the rows of one held.",
    empty="this study makes no such comparison",
    columns=(
        Column("held", "Held"),
        SELECTOR,
        *PAIR,
        BUDGET,
        *PAIRED,
        Column("same_set", "Same set of atoms", "count"),
        Column("several_atoms", "Control shows several atoms", "count"),
    ),
)
Held = Literal["shown", "selected"]
# What stays the same when a ranking orders a plan: which policies have its order, and what those without it have.
ORDERS: Final[Mapping[Held, tuple[Callable[[Policy], bool], Mapping[str, str]]]] = {
    "shown": (
        lambda policy: policy.shown_order != PACKING_ORDER and policy.order == OWN_ORDER,
        {"shown_order": PACKING_ORDER},
    ),
    "selected": (lambda policy: policy.order != OWN_ORDER, {"order": OWN_ORDER}),
}
Shown = Mapping[tuple[str, int], Mapping[str, Sequence[str]]]


def sensitivity_table(
    results: Results,
    policies: Mapping[str, Policy],
    plans: Mapping[str, Mapping[str, Sequence[Atom]]],
    budgets_chars: Sequence[int],
    method: Method,
    *,
    trained: tuple[str | None, str | None],
) -> pd.DataFrame:
    """SENSITIVITY: each policy of one trained selector against the same policy of another, on all questions.

    ``trained`` names the two, that of the last adapter and that of the early one; without either there are no rows.
    ``fill`` is the treatment's name without its selector. ``jaccard`` is the mean Jaccard index of the atoms the two
    selectors select, two failed plans agreeing wholly. p is adjusted over all rows.
    """
    rows = []
    last, early = trained
    if last is None or early is None:
        return SENSITIVITY.frame([])
    for treatment, control in twins(policies, lambda policy: policy.selector == last, {"selector": early}).items():
        first, second = plans[last], plans[early]
        shared = fmean(overlap(first[question_id], second[question_id]) for question_id in results.splits[ALL])
        for budget in budgets_chars:
            figures = paired(arm(results, treatment, budget), arm(results, control, budget), results, ALL, method)
            known = {"treatment": treatment, "control": control, "budget_chars": budget, "jaccard": shared}
            rows.append({"fill": treatment.removeprefix(f"{last}+"), **known, **figures})
    return SENSITIVITY.frame(adjusted(rows))


def order_table(
    results: Results, policies: Mapping[str, Policy], shown: Shown, budgets_chars: Sequence[int], method: Method
) -> pd.DataFrame:
    """ORDER: hybrid order (treatment) against the selector's own, all else equal, on all questions.

    Args:
        results: what each policy answers right.
        policies: by name, as declared.
        shown: atom IDs of each packed context, by policy and budget, then by question.
        budgets_chars: most characters shown.
        method: of the comparisons.

    Returns:
        Rows with ``held`` "shown" first: there both show the same atoms. Where it is "selected", only the plan is the
        same, and what fits the budget may differ. ``same_set`` counts the questions in which both show the same set of
        atoms, ``several_atoms`` those in which the control shows two or more: with fewer there is no order to study.
        p is adjusted over the rows of one ``held``.
    """
    planned = {name: policy for name, policy in policies.items() if policy.selector}
    rows = []
    for held, (ordered, own) in ORDERS.items():
        for treatment, control in twins(planned, ordered, own).items():
            for budget in budgets_chars:
                figures = paired(arm(results, treatment, budget), arm(results, control, budget), results, ALL, method)
                known = {"held": held, "treatment": treatment, "control": control, "budget_chars": budget}
                counts = atoms_of_both(shown[treatment, budget], shown[control, budget], results.splits[ALL])
                rows.append({"selector": policies[treatment].selector, **known, **figures, **counts})
    return ORDER.frame(adjusted(rows, family=lambda row: row["held"]))


def atoms_of_both(
    treatment: Mapping[str, Sequence[str]], control: Mapping[str, Sequence[str]], question_ids: Sequence[str]
) -> dict[str, int]:
    """Questions in which both show the same set of atoms, and in which the control shows two or more."""
    return {
        "same_set": sum(set(treatment[question_id]) == set(control[question_id]) for question_id in question_ids),
        "several_atoms": sum(len(set(control[question_id])) > 1 for question_id in question_ids),
    }
