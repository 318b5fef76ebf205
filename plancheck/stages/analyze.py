"""Stage analyze: every table of the report, the survival ladder and the metrics."""

import logging
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from plancheck.params.analyze import ROUTER_TIER, Analyze
from plancheck.params.comparison import budgets
from plancheck.params.pack import planners as planners_of
from plancheck.params.rankings import Bm25, CrossEncoder, Dense, Run, scorers
from plancheck.params.selectors import harness, trained
from plancheck.params.study import Params
from plancheck.plumbing.files import write_json
from plancheck.reporting.accuracy_tables import heldout_table
from plancheck.reporting.cases import cases, scored_atoms, shown_atoms
from plancheck.reporting.comparison_tables import Declared, best_of_all_table, comparisons_table
from plancheck.reporting.composition_table import composition_table
from plancheck.reporting.domain_tables import domain_differences_table, domains_table
from plancheck.reporting.ladder import ladder
from plancheck.reporting.main_table import main_table
from plancheck.reporting.mechanisms_table import mechanisms_table
from plancheck.reporting.metrics import metrics
from plancheck.reporting.paired import Method
from plancheck.reporting.picks import picks
from plancheck.reporting.power_table import power_table
from plancheck.reporting.rankings_table import rankings_table
from plancheck.reporting.results import ALL, listed, records
from plancheck.reporting.routing_table import control_routers, routing_table
from plancheck.reporting.selection_table import selection_table
from plancheck.reporting.tables import by_declaration
from plancheck.reporting.texts_table import texts_table
from plancheck.reporting.variant_tables import order_table, sensitivity_table
from plancheck.reporting.writing import write_table
from plancheck.stages.material import Material, read_material

LOG = logging.getLogger("plancheck.analyze")

TABLES = Path("reports/tables")
METRICS = Path("reports/metrics.json")


def run(params: Params) -> None:
    """Write the tables in reports/tables, each as CSV, Markdown and LaTeX, and reports/metrics.json.

    Raises:
        StudyError: a file is missing, or too few contexts to compare anything.
    """
    made = read_material(
        rankings=params.rankings,
        selectors=list(params.selectors),
        policies=params.shown,
        budgets_chars=params.pack.budgets_chars,
    )
    tables = make_tables(made, params)
    for declared, rows in by_declaration(tables):
        write_table(TABLES, declared, rows)
    write_json(METRICS, metrics(tables, harness=harness(params.selectors)))
    tell_what_says_nothing(tables["ladder"])
    LOG.info("%s tables are in %s, each as CSV, Markdown and LaTeX", len(tables), TABLES)


def tell_what_says_nothing(table: pd.DataFrame) -> None:
    """Warn of the ladder's comparisons whose two sides saw the same text in every question."""
    same = table[table["identical"] == table["questions"]]
    if same.empty:
        return
    named = [f"{row['planner']} and {row['control']} at {row['budget_chars']:,}" for row in records(same)]
    LOG.warning(
        "%s of the ladder's %s comparisons say nothing, for both sides saw the same text in every question: %s",
        f"{len(same):,}",
        f"{len(table):,}",
        listed(named),
    )


def make_tables(made: Material, params: Params) -> dict[str, pd.DataFrame]:
    """Every table by name."""
    settings, route, policies, chars = params.analyze, params.route, params.pack.policies, params.pack.budgets_chars
    results, routing, confidence = made.results, made.routing, settings.confidence
    method = Method(confidence, settings.power, settings.margin, seed=settings.seed, resamples=settings.resamples)
    planners, own, treatments = planners_of(policies, params.selectors), harness(params.selectors), params.treatments
    learned = [name for name, selector in treatments.items() if selector not in own]
    everyone = [*policies, *params.contexts, *params.predictions]
    controls = [name for name in everyone if name not in treatments]
    planner = policies.get(settings.planner or route.planner)
    judged = planner.selector if planner else None
    packs_atoms = made.packed[made.packed["policy"].isin(policies)]
    declared = declared_comparisons(settings, chars)
    anchored = dict.fromkeys(policy.anchors.ranking for policy in policies.values() if policy.anchors)
    scoring = [name for name, spec in params.rankings.items() if isinstance(spec, Bm25 | Dense | CrossEncoder | Run)]
    compared = comparisons_table(results, declared, method)
    pooled = best_of_all_table(results, learned, controls, chars, method)
    return {
        "main": main_table(
            made.answered,
            made.packed,
            made.splits,
            {question_id: len(question.choices) for question_id, question in made.questions.items()},
            policies=everyone,
            budgets_chars=chars,
            confidence=confidence,
        ),
        "heldout": heldout_table(results, everyone, max(chars), confidence=confidence),
        "domains": domains_table(results, made.domains, everyone, chars, confidence=confidence),
        "domain_differences": domain_differences_table(
            results, made.domains, {name: declared[name] for name in settings.by_domain}, method
        ),
        "routing": routing_table(routing, results, planners, method, budget_chars=route.budget_chars),
        "comparisons": compared,
        "best_of_all": pooled,
        "ladder": ladder(
            results,
            treatments,
            settings.tiers,
            budgets_chars=chars,
            routers=control_routers(routing, results, budget_chars=route.budget_chars),
            router_tier=ROUTER_TIER,
            router_budget_chars=route.budget_chars,
            method=method,
        ),
        "sensitivity": sensitivity_table(
            results,
            policies,
            made.plans,
            chars,
            method,
            trained=(trained(params.selectors, "last"), trained(params.selectors, "early")),
        ),
        "order": order_table(results, policies, shown_atoms(made.packed), chars, method),
        "mechanisms": mechanisms(made, params),
        "power": power_table(pd.concat(table[table["split"] == ALL] for table in (compared, pooled)), method),
        "composition": composition_table(packs_atoms, policies, made.selected, made.ranks(anchored)),
        "texts": texts_table(made.packed, made.contexts, made.atoms, budgets_chars=chars),
        "rankings": rankings_table(made.scores(scoring)),
        "selection": selection_table(made.plans, made.questions, made.splits, judged=judged, confidence=confidence),
    }


def declared_comparisons(settings: Analyze, budgets_chars: Sequence[int]) -> dict[str, Declared]:
    """The comparisons of params.yaml with their policies and budgets, by name."""
    return {
        name: Declared(
            settings.candidates(comparison.treatment),
            settings.candidates(comparison.control),
            budgets(comparison.budget_chars, budgets_chars),
            comparison.split,
            comparison.family,
        )
        for name, comparison in settings.comparisons.items()
    }


def mechanisms(made: Material, params: Params) -> pd.DataFrame:
    """The table of mechanisms; no rows in a study that looks into none."""
    settings = params.analyze.mechanisms
    if settings is None:
        return mechanisms_table(made.results, {}, treatment="", controls={}, top=1)
    declared = params.analyze.comparisons[settings.comparison]
    treatment = str(declared.treatment)
    plans = made.plans[str(params.pack.policies[treatment].selector)]
    candidates = params.analyze.candidates(declared.control)
    controls = {
        budget: picks(made.results, candidates, budget, split=ALL)[0]
        for budget in budgets(declared.budget_chars, params.pack.budgets_chars)
    }
    scored = scored_atoms(made.rankings, made.candidates, scorers(params.rankings, params.tune.role))
    found = {
        budget: cases(
            plans,
            made.packed,
            scored,
            made.atoms_of,
            treatment=treatment,
            control=pick.policy,
            budget_chars=budget,
        )
        for budget, pick in controls.items()
    }
    return mechanisms_table(made.results, found, treatment=treatment, controls=controls, top=settings.top)
