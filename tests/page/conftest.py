"""A small seeded study: the files that stage report reads, with the columns that stages analyze and route write."""

import json
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import binomtest

from plancheck.params.study import parse_params
from plancheck.plumbing.files import DATA, write_table
from plancheck.records import GIVEN_PREDICTIONS, PREDICTIONS, QUESTIONS
from plancheck.reporting.main_table import KINDS
from plancheck.reporting.tables import TABLES
from plancheck.stages import report

ROOT = Path(__file__).parents[2]

# Text of the benchmark, which no page may hold.
SECRET = "xyzzy-benchmark-text"
DOMAINS = ("Single-Document QA", "Multi-Document QA", "Code Repository Understanding")
SELECTORS = {
    "no_context": None,
    "bm25": None,
    "hybrid_anchor": None,
    "hybrid_weighted": None,
    "mmr": None,
    "rerank": None,
    "rerank_tuned": None,
    "prompted+nothing": "prompted",
    "sft+nothing": "sft",
    "sft+hybrid_anchor": "sft",
    "sft_early+nothing": "sft_early",
    "evidence+nothing": "evidence",
    "random_plan+nothing": "random_plan",
}
TIERS = {
    "direct": ["no_context"],
    "retrieval": ["bm25", "hybrid_anchor"],
    "budgeted": ["hybrid_weighted", "mmr"],
    "rerank": ["rerank"],
    "matched_supervision": ["rerank_tuned"],
}
BUDGETS = (1800, 600)
SKILL = {"no_context": 0.2, "evidence+nothing": 0.9, "random_plan+nothing": 0.25}


def paired(right, treatment, control, ids):
    ours, theirs = right[treatment][ids], right[control][ids]
    wins, losses = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    n = len(ids)
    difference = (wins - losses) / n
    half = 1.96 * np.sqrt(max((wins + losses) / n - difference**2, 1e-9) / n)
    return {
        "questions": n, "contexts": n - 2, "treatment_accuracy": ours.mean(), "control_accuracy": theirs.mean(),
        "wins": wins, "losses": losses, "ties": n - wins - losses, "identical": min(3, n - wins - losses),
        "difference": difference,
        "low": difference - half, "high": difference + half,
        "plain_low": difference - 0.9 * half, "plain_high": difference + 0.9 * half,
        "p": binomtest(wins, wins + losses).pvalue if wins + losses else 1.0,
        "discordance": (wins + losses) / n, "detectable": 0.2, "needed": 700,
    }  # fmt: skip


def judged(rows):
    for row in rows:
        row |= {"p_adjusted": min(1.0, 2 * row["p"]), "tests": len(rows)}
        supported = row["p_adjusted"] <= 0.05
        row["verdict"] = (
            "supported" if supported and row["low"] > 0
            else "opposite" if supported and row["high"] < 0
            else "not_supported" if row["high"] < 0.05
            else "cannot_tell"
        )  # fmt: skip
        row["sentence"] = f"{row.get('planner')} against {row['control']}: {row['verdict']} at n = {row['questions']}."
    return pd.DataFrame(rows)


def accuracy(right):
    share = float(right.mean())
    return {
        "questions": len(right), "correct": int(right.sum()), "accuracy": share,
        "wilson_low": max(0.0, share - 0.12), "wilson_high": min(1.0, share + 0.12),
    }  # fmt: skip


def study_tables(selectors, tiers, right, domain_of, test):
    """The tables of reports/tables. ``right``: by budget and policy, whether each question is answered right."""
    everyone = np.arange(len(domain_of))
    planners = {policy: selector for policy, selector in selectors.items() if selector}
    harness = ("evidence", "random_plan")
    splits = {"all": everyone, "test": test}
    main = [
        {"policy": policy, "budget_chars": budget, "split": split, **accuracy(right[budget][policy][ids]),
         "chance": 0.25,
         "evidence_recall": SKILL.get(policy, 0.5) if "evidence+nothing" in selectors else None, "failures": 1,
         **dict.fromkeys(KINDS.values(), 0), "failures_unparsable": 1, "failed_plans": 0}
        for policy, budget, (split, ids) in product(selectors, BUDGETS, splits.items())
    ]  # fmt: skip
    heldout = []
    for policy in selectors:
        row = {"policy": policy, "budget_chars": max(BUDGETS)}
        for split, ids in splits.items():
            found = accuracy(right[max(BUDGETS)][policy][ids])
            row |= {f"{split}_{name.removeprefix('wilson_')}": value for name, value in found.items()}
        heldout.append(row)
    domains = [
        {"policy": policy, "budget_chars": budget, "domain": domain,
         **accuracy(right[budget][policy][np.array([name == domain for name in domain_of])])}
        for policy, budget, domain in product(selectors, BUDGETS, dict.fromkeys(domain_of))
    ]  # fmt: skip
    rungs = []
    for planner, budget, (tier, controls) in product(planners, BUDGETS, tiers.items()):
        picks = ["declared"] * 2 if len(controls) == 1 else ["same_questions", "nested"]
        for pick, split in zip(picks, ("all", "test"), strict=True):
            rungs.append(
                {"planner": planner, "selector": planners[planner], "tier": tier, "control": controls[-1], "pick": pick,
                 "candidates": len(controls), "budget_chars": budget, "split": split,
                 **paired(right[budget], planner, controls[-1], splits[split])}
            )  # fmt: skip
    pairs = [(planner, "hybrid_anchor") for planner, selector in planners.items() if selector not in harness]
    compared = [
        {"name": f"{treatment} and {control}", "family": "other", "treatment": treatment, "control": control,
         "pick": "declared", "treatment_candidates": 1, "control_candidates": 1, "budget_chars": budget, "split": split,
         **paired(right[budget], treatment, control, splits[split]), "equivalence_p": 0.4}
        for (treatment, control), budget, split in product(pairs, BUDGETS, splits)
    ]  # fmt: skip
    comparisons = judged(compared).drop(columns=["verdict", "sentence"]) if compared else pd.DataFrame(columns=["name"])
    members = {domain: np.flatnonzero(np.array(domain_of) == domain) for domain in dict.fromkeys(domain_of)}
    differences = [
        {"name": "guided", "treatment": treatment, "control": control, "budget_chars": max(BUDGETS), "split": "all",
         "domain": domain, **paired(right[max(BUDGETS)], treatment, control, ids)}
        for (treatment, control), (domain, ids) in product(pairs, members.items()) if treatment == "sft+hybrid_anchor"
    ]  # fmt: skip
    sensitivity = comparisons[comparisons["treatment"] == "sft+nothing"].assign(fill="nothing", jaccard=0.4)
    routing = [
        {"scheme": scheme, "router": router, "among": among, "kind": kind, **accuracy(right[1800][policy]),
         "planner_share": 0.4, "baseline": baseline, "baseline_accuracy": 0.4,
         "difference": 0.02, "low": -0.05, "high": 0.09, "wins": 4, "losses": 3, "identical": 2, "p": 0.9,
         "p_adjusted": 0.9, "tests": 3}
        for scheme, router, among, kind, baseline, policy in (
            ("none", "oracle_pair", "pair", "oracle", "same_questions",
             "evidence+nothing" if "evidence+nothing" in selectors else "bm25"),
            ("stratified", "logistic", "pair", "deployable", "training_folds", "bm25"),
            ("stratified", "logistic", "controls", "deployable", "training_folds", "bm25"),
            ("stratified", "best_single", "policies", "fixed", None, "rerank"),
            ("leave_one_domain_out", "logistic", "pair", "deployable", "training_folds", "bm25"),
            ("in_sample", "domain_rule_in_sample", "pair", "optimistic", "same_questions", "bm25"),
        )
    ]  # fmt: skip
    composition = [
        {"policy": policy, "budget_chars": budget, "part": part, "mean_share": share, "mean_chars": share * budget,
         "questions": len(everyone)}
        for policy, budget in product(selectors, BUDGETS)
        for part, share in ([("selected", 0.3), ("anchor", 0.2), ("fill", 0.5)] if selectors[policy] else [("fill", 1)])
    ]  # fmt: skip
    selection = [
        {"selector": selector, "split": split, "questions": len(ids), "parsed": len(ids) - 1, "parse_rate": 0.9,
         "wilson_low": 0.8, "wilson_high": 0.95, "mean_atoms": 2.5, "evidence_questions": len(ids),
         "evidence_recall": 0.4 if "evidence+nothing" in selectors else None,
         "evidence_precision": 0.3 if "evidence+nothing" in selectors else None, "jaccard": 0.5}
        for selector, (split, ids) in product(dict.fromkeys(planners.values()), splits.items())
    ]  # fmt: skip
    measures = [("jaccard_at_10", None), *product(("entropy", "gini"), ("bm25", "dense", "rerank"))]
    mechanisms = [
        {"budget_chars": budget, "treatment": "sft+hybrid_anchor", "control": "rerank", "pick": "same_questions",
         "candidates": 3, "measure": measure, "scorer": scorer, "wins": 5, "losses": 7,
         "mean_wins": 0.41 + place / 50, "mean_losses": 0.52,
         "median_wins": 0.4, "median_losses": 0.5, "p": 0.3, "p_adjusted": 0.8, "tests": len(measures) * len(BUDGETS),
         "members": len(measures) * len(BUDGETS)}
        for budget, (place, (measure, scorer)) in product(BUDGETS, enumerate(measures))
    ]  # fmt: skip
    power = [
        {"budget_chars": 1800, "treatment": "sft+hybrid_anchor", "control": "hybrid_anchor", "questions": len(everyone),
         "discordance": 0.3, "detectable": 0.25, "effect": effect, "needed": 1500, "needed_exact": 1512}
        for effect in (0.01, 0.02, 0.05)
    ]  # fmt: skip
    texts = [
        {"budget_chars": budget, "questions": len(everyone), "conditions": len(everyone) * len(selectors),
         "texts": len(everyone) * 2, "one_cut_atom": 9, "longest_atom_chars": 800,
         "longer_atoms": 12 if budget < 800 else 0}
        for budget in BUDGETS
    ]  # fmt: skip
    rankings = [
        {"ranking": name, "questions": len(everyone), "silent": silent, "one_atom": 1}
        for name, silent in (("bm25", 4), ("dense", 1), ("rerank", 1), ("rerank_tuned", 1))
    ]
    return {
        "main": pd.DataFrame(main),
        "heldout": pd.DataFrame(heldout),
        "domains": pd.DataFrame(domains),
        "ladder": judged(rungs),
        "comparisons": comparisons,
        "best_of_all": comparisons.drop(columns=["name", "family"], errors="ignore"),
        "domain_differences": pd.DataFrame(differences),
        "sensitivity": sensitivity,
        "order": pd.DataFrame(columns=["selector", "treatment", "control", "difference"]),
        "routing": pd.DataFrame(routing),
        "composition": pd.DataFrame(composition),
        "selection": pd.DataFrame(selection),
        "mechanisms": pd.DataFrame(mechanisms),
        "power": pd.DataFrame(power),
        "texts": pd.DataFrame(texts),
        "rankings": pd.DataFrame(rankings),
    }


def facts(questions):
    """What stages atoms, benchmark, rerank and retrieve report, as far as the page says it."""
    bm25 = {
        "kind": "bm25",
        "variant": "okapi",
        "weight_0_or_below": 20,
        "first_atom_differs": 7,
        "first_five_differ": 9,
    }
    documents = {"1": 3, "2-5": 8, "6-50": 2, "more": 0}
    domains = {"asked": ["Multi-Document QA"], "present": list(DOMAINS)}
    return {
        "atoms": {"multi_document": {"contexts": 13, "documents": documents, "domains": domains}},
        "benchmark": {"equal_choices": {"questions": 2, "with_gold": 1}},
        "rerank": {"rerank": {"coverage": "head", "atoms": 480, "truncated": 120, "truncated_share": 0.25}},
        "retrieve": {
            "bm25": bm25 | {"questions": questions},
            "dense": {"kind": "dense", "coverage": "windows", "atoms": 560, "truncated": 0, "truncated_share": 0.0},
        },
    }


def write_study(folder, *, questions=40, selectors=SELECTORS, tiers=TIERS, trained=True, seed=1):
    """Write the study's files into ``folder``, which must be the working directory."""
    generator = np.random.default_rng(seed)
    ids = [f"q{number:03}" for number in range(questions)]
    domain_of = [DOMAINS[number % len(DOMAINS)] for number in range(questions)]
    test = np.arange(0, questions, 3)
    ease = generator.random(questions)
    right = {
        budget: {policy: ease + generator.normal(0, 0.25, questions) < SKILL.get(policy, 0.5) for policy in selectors}
        for budget in BUDGETS
    }
    for found in right.values():
        for policy in selectors:
            found[policy][0] = False  # the question whose answers fail
    tables = study_tables(selectors, tiers, right, domain_of, test)
    place = folder / "reports" / "tables"
    place.mkdir(parents=True)
    for declared in TABLES:
        rows = tables[declared.name].reindex(columns=declared.names)
        rows.to_csv(place / f"{declared.name}.csv", index=False, lineterminator="\n")
    text = {"question": f"{SECRET} question", "choices": [f"{SECRET} choice {letter}" for letter in "ABCD"]}
    write_table(
        DATA / "questions.parquet",
        [
            {"question_id": question_id, "domain": domain, "sub_domain": SECRET, "difficulty": SECRET, "length": SECRET,
             **text, "answer": "A", "context_id": SECRET,
             "context_group": SECRET, "evidence": None}
            for question_id, domain in zip(ids, domain_of, strict=True)
        ],
        QUESTIONS,
    )  # fmt: skip
    write_table(DATA / "given_predictions.parquet", [], GIVEN_PREDICTIONS)
    write_table(
        DATA / "predictions.parquet",
        [
            {"question_id": question_id, "policy": policy, "budget_chars": budget, "packed_id": "0",
             "letter": None if number == 0 else "A" if right[budget][policy][number] else "B", "gold": "A",
             "correct": bool(number and right[budget][policy][number]),
             "failure": "unparsable" if number == 0 else None,
             "probs": None, "prompt_tokens": 10}
            for budget, policy, (number, question_id) in product(BUDGETS, selectors, enumerate(ids))
        ],
        PREDICTIONS,
    )  # fmt: skip
    splits = {
        "test": [ids[number] for number in test],
        "dev": [ids[number] for number in range(1, questions, 6)],
        "train": [ids[number] for number in range(questions) if number % 3 and number % 6 != 1],
    }
    (folder / "data" / "splits.json").write_text(json.dumps({**splits, "seed": 1, "group_by": "none"}))
    if trained:
        losses = [1.8, 1.3, 1.2, 0.9, 0.7]
        training = {"losses": losses, "dev_loss": 0.8, "dev_rows": 2, "rows": 19, "early_step": 2, "steps": 5}
        (folder / "reports" / "train.json").write_text(json.dumps(training))
    for name, figures in facts(questions).items():
        (folder / "reports" / f"{name}.json").write_text(json.dumps(figures))
    (folder / "models").mkdir()
    model = {"name": "tiny", "source": "path", "revision": "0" * 40, "path": "weights/tiny", "files": {"a": "0" * 64}}
    lock = {"environment": {"torch": "2"}, "models": {"tiny": model}, "roles": {"answer": "tiny", "planner": "tiny"}}
    (folder / "models" / "lock.json").write_text(json.dumps(lock))
    (folder / "reports" / "given.json").write_text(json.dumps({"files": [], "prompts": []}))
    return tables


def study_params(selectors=SELECTORS, tiers=TIERS, path="plancheck/benchmark/lexicon.yaml"):
    """The demo's parameters as plain values, with these policies, tiers and budgets."""
    plain = yaml.safe_load((ROOT / "params.yaml").read_text())
    for unused in ("mmr", "random", "rerank_tuned"):
        del plain["rankings"][unused]
    plain["pack"] |= {
        "budgets_chars": list(BUDGETS),
        "policies": {
            name: {"fill": "bm25"} | ({"selector": selector} if selector else {})
            for name, selector in selectors.items()
        },
        "packings": {},
        "grids": {},
    }
    plain["benchmark"]["path"] = path
    plain["route"]["budget_chars"] = max(BUDGETS)
    plain["analyze"] |= {"tiers": tiers, "comparisons": {}, "by_domain": [], "mechanisms": None}
    return plain


@pytest.fixture(scope="session")
def settings():
    """A function that gives the parameters of a small study."""
    return lambda *arguments, **named: parse_params(study_params(*arguments, **named), name="params.yaml")


@pytest.fixture(scope="session")
def write():
    """The function that writes a small study's files."""
    return write_study


@dataclass(frozen=True)
class Made:
    folder: Path
    html: str
    secret: str


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A small study and its page, made once. Do not change its folder."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_study(folder)
        plain = study_params(path="/home/ada/questions.json")
        (folder / "params.yaml").write_text(yaml.safe_dump(plain, sort_keys=False))
        report.run(parse_params(plain, name="params.yaml"))
    return Made(folder, (folder / "reports" / "index.html").read_text(encoding="utf-8"), SECRET)
