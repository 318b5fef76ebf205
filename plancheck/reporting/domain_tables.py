"""Accuracies and differences by domain, largest domain first, then by name."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from plancheck.planning.seeds import seed_of
from plancheck.reporting.accuracy_tables import accuracy_columns
from plancheck.reporting.columns import ACCURACY, BUDGET, COMPARISON, DOMAIN, PAIR, POLICY, SPLIT, UNITS
from plancheck.reporting.comparison_tables import Declared
from plancheck.reporting.paired import OUTCOMES, SAME_TEXT, Arm, Method, arm
from plancheck.reporting.results import ALL, Results
from plancheck.reporting.table import Table
from plancheck.statistics.bootstrap import paired_bootstrap
from plancheck.statistics.pairs import join_pairs, outcomes, same_text

DOMAINS: Final = Table(
    name="domains",
    title="Accuracy by domain",
    notes=f"Table 2, the accuracies, each with its Wilson interval, all questions. {UNITS}",
    empty="there is no accuracy by domain",
    columns=(POLICY, BUDGET, DOMAIN, *ACCURACY),
)
DOMAIN_DIFFERENCES: Final = Table(
    name="domain_differences",
    title="Difference of declared pairs by domain",
    notes="Table 2, the differences: treatment minus control, bootstrap interval with contexts resampled; none where "
    "the questions of a domain share one context, and without width, so no measure of chance, where no two contexts "
    f"differ. Descriptive: these domains were not declared as tests, so there is no p. {SAME_TEXT} {UNITS}",
    empty="analyze.by_domain names no pair",
    columns=(COMPARISON, *PAIR, BUDGET, SPLIT, DOMAIN, *OUTCOMES),
)


def domains_table(
    results: Results,
    domains: Mapping[str, str],
    policies: Sequence[str],
    budgets_chars: Sequence[int],
    *,
    confidence: float,
) -> pd.DataFrame:
    """DOMAINS: each condition on all questions of each domain."""
    ordered = by_domain(domains, results.splits[ALL])
    rows = [
        {"policy": policy, "budget_chars": budget, "domain": domain}
        | accuracy_columns(results.right(policy, budget).loc[ids], confidence=confidence)
        for policy in policies
        for budget in budgets_chars
        for domain, ids in ordered.items()
    ]
    return DOMAINS.frame(rows)


def domain_differences_table(
    results: Results, domains: Mapping[str, str], declared: Mapping[str, Declared], method: Method
) -> pd.DataFrame:
    """DOMAIN_DIFFERENCES: the difference of each declared pair in each domain that its split has questions of.

    Descriptive: these domains were not declared as tests, so there is no p. Differences are treatment minus control;
    ``low`` and ``high`` resample contexts: they are empty in a domain whose questions share one context, and equal, so
    no measure of chance, where no two contexts differ. ``identical`` counts the questions to which both showed the
    same text. Comparisons and budgets come as declared.

    Raises:
        ValueError: a comparison has several policies on a side, so that it is not of a declared pair.
    """
    rows: list[dict[str, Any]] = []
    for name, comparison in declared.items():
        if comparison.picked:
            raise ValueError(f"{name} picks a side, which may be another policy in every domain")
        ordered = by_domain(domains, results.splits[comparison.split])
        for budget in comparison.budgets_chars:
            treatment, control = comparison.treatments[0], comparison.controls[0]
            known = {"name": name, "treatment": treatment, "control": control, "budget_chars": budget}
            arms = arm(results, treatment, budget), arm(results, control, budget)
            for domain, ids in ordered.items():
                seed = seed_of(method.seed, comparison.split, domain)
                clusters = [results.contexts[question_id] for question_id in ids]
                figures = difference_columns(*arms, dict(zip(ids, clusters, strict=True)), method, seed=seed)
                rows.append({**known, "split": comparison.split, "domain": domain, **figures})
    return DOMAIN_DIFFERENCES.frame(rows)


def by_domain(domains: Mapping[str, str], question_ids: Sequence[str]) -> dict[str, list[str]]:
    """The questions of each domain, the domain with most first, then by name."""
    members: dict[str, list[str]] = {}
    for question_id in question_ids:
        members.setdefault(domains[question_id], []).append(question_id)
    return dict(sorted(members.items(), key=lambda item: (-len(item[1]), item[0])))


def difference_columns(
    treatment: Arm, control: Arm, contexts: Mapping[str, str], method: Method, *, seed: int
) -> dict[str, Any]:
    """The columns from ``questions`` on, over the questions that ``contexts`` gives the context of."""
    pairs = join_pairs(*([(i, float(side.right[i])) for i in contexts] for side in (treatment, control)))
    clusters = [contexts[question_id] for question_id in pairs.question_ids]
    seen = outcomes(pairs)
    interval = None
    if len(set(clusters)) > 1:
        interval = paired_bootstrap(
            pairs.differences,
            generator=np.random.default_rng(seed),
            confidence=method.confidence,
            resamples=method.resamples,
            clusters=clusters,
        )
    return {
        "questions": seen.questions,
        "contexts": len(set(clusters)),
        "treatment_accuracy": float(np.mean(pairs.treatment)),
        "control_accuracy": float(np.mean(pairs.control)),
        "wins": seen.wins,
        "losses": seen.losses,
        "ties": seen.ties,
        "identical": same_text(pairs, treatment.shown, control.shown).pairs,
        "difference": float(pairs.differences.mean()),
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }
