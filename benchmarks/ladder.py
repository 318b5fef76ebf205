"""Is the survival ladder calibrated? Simulated studies with a known gain against the ladder that readers are shown.

Prints a table and writes it to benchmarks/ladder.csv. Same seed, same file.

    python benchmarks/ladder.py
"""

import argparse
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from plancheck.planning.seeds import seed_of
from plancheck.reporting.ladder import VERDICTS, decided, ladder
from plancheck.reporting.paired import Arm, Method
from plancheck.reporting.results import ALL, SEEN, TEST, Results

OUTPUT = Path(__file__).with_name("ladder.csv")
TRAIN, DEV, TESTED = 301, 50, 152
CONTROLS = {"direct": 4, "retrieval": 4, "budgeted": 2, "rerank": 3, "matched_supervision": 1}
ROUTER, ROUTERS = "router", 5
TIERS = (*CONTROLS, ROUTER)
PLANNER, BUDGET = "planner", 18_000

ACCURACY = 0.32  # of policies that the planner differs from
DISCORDANCE = 0.2  # share of questions that exactly one of two such policies gets right
RUNS = 400
RESAMPLES = 500


@dataclass(frozen=True, slots=True)
class Case:
    """A true gain in accuracy of the planner over every policy of all tiers but those that equal it.

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
    seed = parser.parse_args().seed
    table = pd.DataFrame([row for case in CASES for row in simulated(case, seed)]).round(4)
    table.to_csv(OUTPUT, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def simulated(case: Case, seed: int, *, runs: int = RUNS) -> Iterator[dict[str, object]]:
    """Shares of runs with each verdict: a row a split and tier, then for any and every equal and different tier.

    A run's seed is made of the case and its number, so that neither other cases nor more runs change it.
    """
    verdicts = [one_run(case, seed_of(seed, case.name, str(case.margin), number)) for number in range(runs)]
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


def one_run(case: Case, seed: int) -> dict[str, dict[str, str]]:
    """The verdict of each tier of one simulated study, by split."""
    tiers = {tier: [f"{tier} {number}" for number in range(count)] for tier, count in CONTROLS.items()}
    routers = [f"{ROUTER} {number}" for number in range(ROUTERS)]
    accuracies = {name: case.accuracy(tier) for tier, names in {**tiers, ROUTER: routers}.items() for name in names}
    results = study(accuracies | {PLANNER: ACCURACY + case.gain}, np.random.default_rng(seed))
    table = ladder(
        results,
        {PLANNER: PLANNER},
        tiers,
        budgets_chars=[BUDGET],
        routers={name: router(results, name) for name in routers},
        router_tier=ROUTER,
        router_budget_chars=BUDGET,
        # The bootstrap's seed too: with one seed for all runs its error would be the same in each.
        method=Method(confidence=0.95, power=0.8, margin=case.margin, seed=seed, resamples=RESAMPLES),
    )
    own = {split: decided(table, split) for split in (ALL, TEST)}
    return {split: dict(zip(rows["tier"], rows["verdict"], strict=True)) for split, rows in own.items()}


def router(results: Results, name: str) -> Arm:
    return Arm(f"router {name}", results.right(name, BUDGET), results.texts(name, BUDGET))


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
