"""Stage analyze: every table of the report, the survival ladder and the metrics."""

import logging
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pandas as pd

from plancheck.benchmark.tables import read_questions
from plancheck.mechanisms.measures import Case, Scored
from plancheck.params.analyze import ROUTER_TIER, Analyze
from plancheck.params.comparison import budgets
from plancheck.params.planning import HARNESS_SELECTORS
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import DATA, read_table, write_json
from plancheck.records import SCORERS, Atom, Question
from plancheck.reporting.accuracy_tables import heldout_table
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
from plancheck.reporting.results import ALL, Results, join_results, listed, records
from plancheck.reporting.routing_table import control_routers, routing_table
from plancheck.reporting.selection_table import selection_table
from plancheck.reporting.texts_table import texts_table
from plancheck.reporting.variant_tables import order_table, sensitivity_table
from plancheck.reporting.views import VIEWS
from plancheck.reporting.writing import write_table_files
from plancheck.tables import read_atoms, read_splits

LOG = logging.getLogger("plancheck.analyze")

TABLES = Path("reports/tables")
METRICS = Path("reports/metrics.json")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The tables of earlier stages, read once.

    ``atoms`` are by context; ``plans`` holds the selected ones by selector and question; ``retrieval`` has the rerank
    columns beside its own, empty outside the candidate pool, which is all that ``tuned`` has of the tuned reranker.
    """

    questions: Mapping[str, Question]
    splits: Mapping[str, Sequence[str]]
    results: Results
    predictions: pd.DataFrame
    packed: pd.DataFrame
    atoms: Mapping[str, Sequence[Atom]]
    plans: Mapping[str, Mapping[str, Sequence[Atom]]]
    retrieval: pd.DataFrame
    tuned: pd.DataFrame
    routing: pd.DataFrame


def run(params: Params) -> None:
    """Write the tables in reports/tables, each as CSV, Markdown and LaTeX, and reports/metrics.json.

    Raises:
        StudyError: a file is missing, or too few contexts to compare anything.
    """
    inputs = read_inputs(params)
    tables = make_tables(inputs, params)
    for name, view in VIEWS.items():
        write_table_files(TABLES, name, tables[name], view)
    write_json(METRICS, metrics(tables, harness=HARNESS_SELECTORS))
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


def make_tables(inputs: Inputs, params: Params) -> dict[str, pd.DataFrame]:
    """Every table by name."""
    settings, policies, budgets_chars = params.analyze, params.pack.policies, params.pack.budgets_chars
    method = Method(
        settings.confidence, settings.power, settings.margin, seed=settings.seed, resamples=settings.resamples
    )
    results, confidence = inputs.results, settings.confidence
    planners = {name: policy.selector for name, policy in policies.items() if policy.selector}
    learned = [name for name, selector in planners.items() if selector not in HARNESS_SELECTORS]
    controls = [name for name in policies if name not in planners]
    declared = declared_comparisons(settings, budgets_chars)
    domains = {question_id: question.domain for question_id, question in inputs.questions.items()}
    tables = {
        "main": main_table(
            inputs.predictions,
            inputs.packed,
            inputs.splits,
            policies=list(policies),
            budgets_chars=budgets_chars,
            confidence=confidence,
        ),
        "selection": selection_table(inputs.plans, inputs.questions, inputs.splits, confidence=confidence),
        "heldout": heldout_table(results, list(policies), max(budgets_chars), confidence=confidence),
        "domains": domains_table(results, domains, list(policies), budgets_chars, confidence=confidence),
        "domain_differences": domain_differences_table(
            results, domains, {name: declared[name] for name in settings.by_domain}, method
        ),
        "comparisons": comparisons_table(results, declared, method),
        "ladder": ladder(
            results,
            planners,
            settings.tiers,
            budgets_chars=budgets_chars,
            routers=control_routers(inputs.routing, results, budget_chars=params.route.budget_chars),
            router_tier=ROUTER_TIER,
            router_budget_chars=params.route.budget_chars,
            method=method,
        ),
        "best_of_all": best_of_all_table(results, learned, controls, budgets_chars, method),
        "routing": routing_table(inputs.routing, results, planners, method, budget_chars=params.route.budget_chars),
        "sensitivity": sensitivity_table(results, policies, inputs.plans, budgets_chars, method),
        "order": order_table(results, policies, shown_atoms(inputs.packed), budgets_chars, method),
        "mechanisms": mechanisms(inputs, params),
        "composition": composition_table(
            inputs.packed,
            policies,
            {
                (question_id, selector): [atom.atom_id for atom in atoms]
                for selector, plans in inputs.plans.items()
                for question_id, atoms in plans.items()
            },
            {name: ranks_of(inputs.retrieval, name) for name in ("bm25", "dense", "rerank")},
        ),
        "texts": texts_table(
            inputs.packed,
            {question_id: question.context_id for question_id, question in inputs.questions.items()},
            inputs.atoms,
            budgets_chars=budgets_chars,
        ),
        "rankings": rankings_table(
            {
                **{name: scores_of(inputs.retrieval, name) for name in ("bm25", "dense", "rerank")},
                "rerank_tuned": scores_of(inputs.tuned, "rerank"),
            }
        ),
    }
    seen = [tables[name][tables[name]["split"] == ALL] for name in ("comparisons", "best_of_all")]
    return tables | {"power": power_table(pd.concat(seen), method)}


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


def mechanisms(inputs: Inputs, params: Params) -> pd.DataFrame:
    """The table of mechanisms; no rows in a study that looks into none."""
    settings = params.analyze.mechanisms
    if settings is None:
        return mechanisms_table(inputs.results, {}, treatment="", controls={}, top=1)
    plans = inputs.plans[str(params.pack.policies[settings.treatment].selector)]
    candidates = params.analyze.candidates(settings.control)
    scored, shown = scored_atoms(inputs.retrieval), shown_atoms(inputs.packed)
    treated = inputs.packed[inputs.packed["policy"] == settings.treatment]
    controls, cases = {}, {}
    for budget in budgets(settings.budget_chars, params.pack.budgets_chars):
        controls[budget] = picks(inputs.results, candidates, budget, split=ALL)[0]
        ours, theirs = shown[settings.treatment, budget], shown[controls[budget].policy, budget]
        recall = treated[treated["budget_chars"] == budget].set_index("question_id")["evidence_recall"]
        cases[budget] = {
            question_id: Case(
                selected=[atom.atom_id for atom in plans[question_id]],
                shown=ours[question_id],
                shown_by_control=theirs[question_id],
                scorers=scored[question_id],
                evidence_recall=None if pd.isna(recall[question_id]) else float(recall[question_id]),
            )
            for question_id in ours
        }
    return mechanisms_table(inputs.results, cases, treatment=settings.treatment, controls=controls, top=settings.top)


def scored_atoms(retrieval: pd.DataFrame) -> dict[str, dict[str, Scored]]:
    """What each scorer says, by question and scorer."""
    found: dict[str, dict[str, Scored]] = defaultdict(dict)
    for question_id, rows in retrieval.groupby("question_id"):
        pool = rows[rows["candidate"]]
        for scorer in SCORERS:
            ranked = rows.dropna(subset=f"{scorer}_rank")
            ranks = dict(zip(ranked["atom_id"], ranked[f"{scorer}_rank"].astype(int), strict=True))
            found[str(question_id)][scorer] = Scored(ranks, pool[f"{scorer}_score"].tolist())
    return found


def shown_atoms(packed: pd.DataFrame) -> dict[tuple[str, int], dict[str, list[str]]]:
    """The atom IDs of every packed context in the order shown, by policy and budget, then by question."""
    shown: dict[tuple[str, int], dict[str, list[str]]] = defaultdict(dict)
    for row in records(packed[["question_id", "policy", "budget_chars", "atom_ids"]]):
        shown[row["policy"], row["budget_chars"]][row["question_id"]] = list(row["atom_ids"])
    return shown


def ranks_of(retrieval: pd.DataFrame, ranking: str) -> dict[tuple[str, str], int]:
    """The rank of each atom by (question ID, atom ID), of those that have one."""
    ranked = retrieval.dropna(subset=f"{ranking}_rank")
    return dict(
        zip(
            zip(ranked["question_id"], ranked["atom_id"], strict=True),
            ranked[f"{ranking}_rank"].astype(int),
            strict=True,
        )
    )


def scores_of(table: pd.DataFrame, ranking: str) -> pd.DataFrame:
    """The score of each atom that the ranking scores, by question."""
    return table[["question_id", f"{ranking}_score"]].set_axis(["question_id", "score"], axis=1).dropna()


def read_inputs(params: Params) -> Inputs:
    """What earlier stages made.

    Raises:
        StudyError: a file is missing, files do not hold the same questions or conditions, or the test split has fewer
            than 2 contexts.
    """
    splits = read_splits()
    questions = {question.question_id: question for question in read_questions()}
    predictions = read_table(DATA / "predictions.parquet").to_pandas()
    check_splits(splits, questions)
    packed = read_table(DATA / "packed.parquet").to_pandas()
    check_conditions("packed", packed, questions, params, stage="pack")
    check_conditions("predictions", predictions, questions, params, stage="answer")
    contexts = {question_id: question.context_group for question_id, question in questions.items()}
    if (found := len({contexts[question_id] for question_id in splits["test"]})) < 2:
        raise StudyError(
            f"data/splits.json: the test questions have {found} context; intervals need 2 or more. Put more questions "
            "into test (split.sizes, or the IDs that split.path lists)."
        )
    keys = ["question_id", "atom_id"]
    retrieval = read_table(
        DATA / "retrieval.parquet",
        columns=[*keys, "candidate", "bm25_rank", "bm25_score", "dense_rank", "dense_score"],
    ).to_pandas()
    reranked = read_table(DATA / "rerank.parquet").to_pandas()
    atoms = read_atoms()
    return Inputs(
        questions=questions,
        splits=splits,
        results=join_results(predictions, contexts, splits),
        predictions=predictions,
        packed=packed,
        atoms=atoms,
        plans=read_plans(params.plan.selectors, atoms),
        retrieval=retrieval.merge(reranked, on=keys, how="left", validate="1:1"),
        tuned=read_table(DATA / "rerank_tuned.parquet").to_pandas(),
        routing=read_table(DATA / "routing.parquet").to_pandas(),
    )


def check_splits(splits: Mapping[str, Sequence[str]], questions: Mapping[str, Question]) -> None:
    """Raise a StudyError that lists the questions which are not in both."""
    everyone = {question_id for ids in splits.values() for question_id in ids}
    problems = [f"{question_id}: not in data/questions.parquet" for question_id in sorted(everyone - set(questions))]
    problems += [f"{question_id}: in no split" for question_id in sorted(set(questions) - everyone)]
    if problems:
        raise all_problems(
            "data/splits.json: holds other questions than the benchmark:", problems, remedy="Run `dvc repro -f split`."
        )


def check_conditions(
    name: str, table: pd.DataFrame, questions: Mapping[str, Question], params: Params, *, stage: str
) -> None:
    """Raise a StudyError unless ``table`` has one row for each question, policy and budget.

    Args:
        name: of the table, for the message.
        table: columns question_id, policy, budget_chars.
        questions: by ID.
        params: its policies and budgets are the conditions.
        stage: what makes the table.
    """
    keys = ["question_id", "policy", "budget_chars"]
    counts = Counter(table[keys].itertuples(index=False, name=None))
    expected = set(product(questions, params.pack.policies, params.pack.budgets_chars))
    wrong = [
        *((key, "no row") for key in expected - set(counts)),
        *((key, "not in the study") for key in set(counts) - expected),
        *((key, f"{count} rows") for key, count in counts.items() if count > 1 and key in expected),
    ]
    if wrong:
        problems = [f"{question}, {policy} at {budget}: {what}" for (question, policy, budget), what in sorted(wrong)]
        raise all_problems(
            f"data/{name}.parquet: must hold one row for each question, policy and budget:",
            problems,
            remedy=f"Run `dvc repro -f {stage}`.",
        )


def read_plans(selectors: Sequence[str], by_context: Mapping[str, Sequence[Atom]]) -> dict[str, dict[str, list[Atom]]]:
    """The atoms of every plan, by selector as declared and by question."""
    atoms = {atom.atom_id: atom for found in by_context.values() for atom in found}
    plans: dict[str, dict[str, list[Atom]]] = {selector: {} for selector in selectors}
    for row in read_table(DATA / "plans.parquet", columns=["question_id", "selector", "atom_ids"]).to_pylist():
        plans[row["selector"]][row["question_id"]] = [atoms[atom_id] for atom_id in row["atom_ids"]]
    return plans
