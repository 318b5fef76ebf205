"""Is the survival ladder calibrated? Simulated studies with a known gain against the ladder that readers are shown.

Prints a table and writes it to benchmarks/ladder.csv. Same seed, same file. Routers are made as the study makes them:
fitted in folds, here on features that say nothing. With ``--among pair`` they choose between a control and the planner
instead of among controls, which no planner can pass; nothing is written then.

    python benchmarks/ladder.py
"""

import argparse
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from plancheck.params.answer import RouterName
from plancheck.planning.seeds import seed_of
from plancheck.reporting.ladder import VERDICTS, decided, ladder
from plancheck.reporting.paired import Arm, Method
from plancheck.reporting.results import ALL, SEEN, TEST, Results
from plancheck.reporting.routing_table import router_arm
from plancheck.routing.entries import Among
from plancheck.routing.evaluation import Cases, Pair, routed
from plancheck.routing.folds import stratified
from plancheck.routing.routers import ROUTERS

OUTPUT = Path(__file__).with_name("ladder.csv")
TRAIN, DEV, TESTED = 301, 50, 152
CONTROLS = {"direct": 4, "retrieval": 4, "budgeted": 2, "rerank": 3, "matched_supervision": 1}
ROUTER = "router"
TIERS = (*CONTROLS, ROUTER)
POLICIES = {tier: [f"{tier} {number}" for number in range(count)] for tier, count in CONTROLS.items()}
PLANNER, BUDGET = "planner", 18_000
PAIR = Pair(POLICIES["retrieval"][-1], PLANNER)
DOMAINS = {"single": 175, "multi": 125, "learning": 81, "code": 50, "dialogue": 39, "structured": 33}  # questions
NUMBERS = ("bm25_top", "dense_top", "rerank_top")  # features that routers among controls see as well

ACCURACY = 0.32  # of policies that the planner differs from
DISCORDANCE = 0.2  # share of questions that exactly one of two such policies gets right
RUNS = 400
RESAMPLES = 500
FAST: tuple[RouterName, ...] = ("logistic", "domain_rule", "train_default")  # a tenth of the time that all five take


@dataclass(frozen=True, slots=True)
class Made:
    """How a study's routers are made: what they choose among, and which there are."""

    among: Among
    routers: tuple[RouterName, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A true gain in accuracy of the planner over every policy of all tiers but those that equal it.

    A router's accuracy is not drawn: it is at most that of the best tier, whatever it picks.

    Attributes:
        gain: in accuracy, -ACCURACY to 1 - ACCURACY; below 0 is a loss.
        margin: of the ladder's verdicts, in accuracy.
    """

    name: str
    gain: float
    margin: float
    equal: tuple[str, ...] = ()

    def accuracy(self, tier: str) -> float:
        return ACCURACY + (self.gain if tier in self.equal else 0)


CASES = (
    Case("no gain", 0.0, 0.02, equal=TIERS),
    Case("no gain", 0.0, 0.05, equal=TIERS),
    Case("a gain of the margin", 0.02, 0.02),
    Case("a gain of the margin", 0.05, 0.05),
    Case("a large gain", 0.1, 0.02),
    Case("a large gain over two tiers", 0.1, 0.02, equal=TIERS[2:]),
    Case("a large loss to the later tiers", -0.1, 0.02, equal=TIERS[:2]),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulated studies a case (default: %(default)s)")
    parser.add_argument("--among", choices=("controls", "pair"), default="controls", help="what routers choose among")
    parser.add_argument("--routers", nargs="+", choices=list(ROUTERS), default=FAST, help="(default: %(default)s)")
    parser.add_argument("--case", help="only the cases of this name")
    options = parser.parse_args()
    made = Made(options.among, tuple(options.routers))
    cases = [case for case in CASES if options.case in (None, case.name)]
    rows = [row for case in cases for row in simulated(case, options.seed, made, runs=options.runs, jobs=-1)]
    table = pd.DataFrame(rows).round(4)
    if options == parser.parse_args([]):
        table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def simulated(case: Case, seed: int, made: Made, *, runs: int, jobs: int = 1) -> Iterator[dict[str, object]]:
    """Shares of runs with each verdict: a row a split and tier, then for any and every equal and different tier.

    A run's seed is made of the case and its number, so that neither other cases nor more runs change it. Runs are
    spread over ``jobs`` processes, -1 for one a processor.
    """
    seeds = [seed_of(seed, case.name, str(case.margin), number) for number in range(runs)]
    verdicts = Parallel(n_jobs=jobs)(delayed(one_run)(case, each, made) for each in seeds)
    groups = {
        "different tier": [tier for tier in TIERS if tier not in case.equal],
        "equal tier": [tier for tier in TIERS if tier in case.equal],
    }
    for split in (ALL, TEST):
        seen = pd.DataFrame([run[split] for run in verdicts], columns=TIERS)
        shares = {tier: [(seen[tier] == says).mean() for says in VERDICTS] for tier in TIERS}
        for what, group in groups.items():
            if group:
                shares[f"any {what}"] = [(seen[group] == says).any(axis=1).mean() for says in VERDICTS]
                shares[f"every {what}"] = [(seen[group] == says).all(axis=1).mean() for says in VERDICTS]
        for name, own in shares.items():
            known = {"case": case.name, "gain": case.gain, "margin": case.margin, "split": split, "tier": name}
            yield {**known, **dict(zip(VERDICTS, own, strict=True)), "runs": runs}


def one_run(case: Case, seed: int, made: Made) -> dict[str, dict[str, str]]:
    """The verdict of each tier of one simulated study, by split."""
    generator = np.random.default_rng(seed)
    accuracies = {name: case.accuracy(tier) for tier, names in POLICIES.items() for name in names}
    results = study(accuracies | {PLANNER: ACCURACY + case.gain}, generator)
    table = ladder(
        results,
        {PLANNER: PLANNER},
        POLICIES,
        budgets_chars=[BUDGET],
        routers=routers(results, generator, made),
        router_tier=ROUTER,
        router_budget_chars=BUDGET,
        # The bootstrap's seed too: with one seed for all runs its error would be the same in each.
        method=Method(confidence=0.95, power=0.8, margin=case.margin, seed=seed, resamples=RESAMPLES),
    )
    own = {split: decided(table, split) for split in (ALL, TEST)}
    return {split: dict(zip(rows["tier"], rows["verdict"], strict=True)) for split, rows in own.items()}


def routers(results: Results, generator: np.random.Generator, made: Made) -> dict[str, Arm]:
    """The routers, fitted in stratified folds as the study's are; domains and numbers are drawn at random."""
    ids = list(results.splits[ALL])
    right = results.correct.droplevel("budget_chars", axis=1)
    domains = generator.permutation(np.repeat(list(DOMAINS), list(DOMAINS.values())))
    questions = pd.DataFrame({"question_id": ids, "context_group": ids, "domain": domains})
    numbers = pd.DataFrame(generator.random((len(ids), len(NUMBERS))), index=ids, columns=list(NUMBERS))
    features = numbers.assign(domain=domains, sub_domain="", length="")
    controls = pd.MultiIndex.from_product([right.columns.drop(PLANNER), ["confidence"]])
    answers = pd.DataFrame(generator.random((len(ids), len(controls))), index=ids, columns=controls)
    cases = Cases(features, right, answers, tuple(right.columns))
    folds = stratified(questions, folds=5, by_context=False, seed=int(generator.integers(2**31)))
    rows = pd.DataFrame(
        [row for fold in folds for row in routed(cases, fold, PAIR, POLICIES, routers=made.routers, seed=1)]
    )
    chosen = rows[(rows["among"] == made.among) & (rows["kind"] == "deployable")]
    return {
        str(name): router_arm(str(name), own, results, budget_chars=BUDGET)
        for name, own in chosen.groupby("router", sort=False)
    }


def study(
    accuracies: Mapping[str, float], generator: np.random.Generator, *, questions: int = TRAIN + DEV + TESTED
) -> Results:
    """Results of policies with these accuracies, each question with a context of its own and no text shown twice.

    A policy is right where a number drawn uniformly from 0 to 1 is below its accuracy. It uses the question's number
    with probability sqrt(c) and one of its own else. So two policies of accuracy a differ on 2 a (1 - a) (1 - c) of the
    questions, which c makes DISCORDANCE at ACCURACY.
    """
    shared = math.sqrt(1 - DISCORDANCE / (2 * ACCURACY * (1 - ACCURACY)))
    shape = (questions, len(accuracies))
    common = generator.random((questions, 1))
    numbers = np.where(generator.random(shape) < shared, common, generator.random(shape))
    ids = [f"q{number:06}" for number in range(questions)]
    columns = pd.MultiIndex.from_product([list(accuracies), [BUDGET]], names=["policy", "budget_chars"])
    right = pd.DataFrame(numbers < np.array(list(accuracies.values())), index=ids, columns=columns)
    train, dev, test = ids[:TRAIN], ids[TRAIN : TRAIN + DEV], ids[TRAIN + DEV :]
    splits = {ALL: ids, SEEN: [*train, *dev], "train": train, "dev": dev, TEST: test}
    shown = pd.DataFrame({column: column[0] for column in columns}, index=ids)
    return Results(right, shown, {name: name for name in ids}, splits)


if __name__ == "__main__":
    main()
