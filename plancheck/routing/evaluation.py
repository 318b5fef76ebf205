"""Rows of data/routing.parquet: what each router chooses, and whether that policy's answer is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plancheck.params.answer import RouterName
from plancheck.records import question_features
from plancheck.routing.entries import BEST_SINGLE, IN_SAMPLE, ORACLE_ALL, ORACLE_PAIR, Among, Entry, entries
from plancheck.routing.folds import Fold
from plancheck.routing.routers import ROUTERS, Lesson, domain_rule

Key = tuple[Among, str]  # what a router chooses among, and its name


@dataclass(frozen=True, slots=True)
class Pair:
    """The two policies a router chooses between."""

    control: str
    planner: str

    @property
    def policies(self) -> tuple[str, str]:
        """The control first: it is chosen wherever they are even."""
        return self.control, self.planner


@dataclass(frozen=True, slots=True)
class Cases:
    """Questions to route, one row each, the tables indexed by question ID in the same order.

    Attributes:
        features: the other columns of data/router_features.parquet; values known before the gold letter.
        right: a column a policy: whether its answer is right.
        answers: what is known of each control's answer before the gold letter: columns (policy, feature).
        policies: those that the best single policy and the oracle over all are chosen among, as declared.
    """

    features: pd.DataFrame
    right: pd.DataFrame
    answers: pd.DataFrame
    policies: tuple[str, ...]

    def __post_init__(self) -> None:
        ids = list(self.features.index)
        if not ids == list(self.right.index) == list(self.answers.index) or self.features.index.has_duplicates:
            raise ValueError("features, right and answers must have the same questions, each once, in the same order")

    def of(self, question_ids: Sequence[str]) -> "Cases":
        """The questions asked for, in that order."""
        asked = list(question_ids)
        return Cases(self.features.loc[asked], self.right.loc[asked], self.answers.loc[asked], self.policies)

    def best(self, policies: Sequence[str]) -> str:
        """The policy that is right most often; ties, and no questions at all, go to the earlier."""
        return policies[int(np.argmax(self.right[list(policies)].sum(axis=0).to_numpy()))]

    def best_of_tiers(self, tiers: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """The best control of each tier, the one that is right most often first; ties as in ``best``."""
        best = {tier: self.best(policies) for tier, policies in tiers.items()}
        return dict(sorted(best.items(), key=lambda item: -int(self.right[item[1]].sum())))

    def known_to_controls(self, controls: Mapping[str, str]) -> pd.DataFrame:
        """The features of a router among ``controls`` (policy by tier, in an order that is kept): no planner's are.

        Those of the question and its candidates, then of each control's answer, as ``answer_<tier>_<feature>``.
        """
        scorers = [name.removesuffix("_top") for name in map(str, self.features) if name.endswith("_top")]
        of_question = question_features(scorers).names
        own = self.features[[name for name in self.features if name in of_question]]
        answers = [self.answers[policy].add_prefix(f"answer_{tier}_") for tier, policy in controls.items()]
        return pd.concat([own, *answers], axis=1)


def routed(
    cases: Cases,
    fold: Fold,
    pair: Pair,
    tiers: Mapping[str, Sequence[str]],
    *,
    routers: Sequence[RouterName],
    seed: int,
) -> list[dict[str, Any]]:
    """The rows of a fold, by router and question: each router, and the best single policy, of its train questions.

    Args:
        cases: with every question of the fold.
        fold: whose test questions are routed.
        pair: that routers choose between, with every feature.
        tiers: controls by tier; routers also choose among the best of each in the train questions.
        routers: names in ROUTERS.
        seed: of the routers.
    """
    train, test = cases.of(fold.train), cases.of(fold.test)
    controls = train.best_of_tiers(tiers)
    declared = {tier: controls[tier] for tier in tiers}
    chosen: dict[Key, Sequence[str]] = {("policies", BEST_SINGLE): [train.best(cases.policies)] * len(fold.test)}
    best = tuple(controls.values())
    arenas: dict[Among, tuple[Sequence[str], pd.DataFrame, pd.DataFrame]] = {
        "pair": (pair.policies, train.features, test.features),
        "controls": (best, train.known_to_controls(declared), test.known_to_controls(declared)),
    }
    for among, (policies, known, asked) in arenas.items():
        lesson = Lesson(known, rights(train, policies))
        chosen |= {(among, name): named(policies, ROUTERS[name](lesson, seed)(asked)) for name in routers}
    listed = [entry for entry in entries(routers) if entry.scheme == fold.scheme]
    return rows(listed, chosen, test.right, fold=fold.number, learned=len(fold.train))


def unfolded(cases: Cases, pair: Pair) -> list[dict[str, Any]]:
    """The rows without folds: both oracles, and what was learned from the very questions that it routes.

    The latter are the domain rule of the pair and the best single policy.
    """
    ordered = cases.of(sorted(cases.right.index))
    lesson = Lesson(ordered.features, rights(ordered, pair.policies))
    ids = list(ordered.right.index)
    chosen: dict[Key, Sequence[str]] = {
        ("pair", ORACLE_PAIR): [ordered.of([question_id]).best(pair.policies) for question_id in ids],
        ("policies", ORACLE_ALL): [ordered.of([question_id]).best(cases.policies) for question_id in ids],
        ("pair", IN_SAMPLE): named(pair.policies, domain_rule(lesson, 0)(ordered.features)),
        ("policies", BEST_SINGLE): [ordered.best(cases.policies)] * len(ids),
    }
    oracles, learned = ([entry for entry in entries([]) if entry.scheme == scheme] for scheme in ("none", "in_sample"))
    return [
        *rows(oracles, chosen, ordered.right, fold=None, learned=None),
        *rows(learned, chosen, ordered.right, fold=None, learned=len(ids)),
    ]


def in_order(found: Sequence[dict[str, Any]], routers: Sequence[RouterName]) -> list[dict[str, Any]]:
    """The table's rows: by entry as ``entries`` lists them, then by question ID."""
    place = {(entry.scheme, entry.among, entry.router): number for number, entry in enumerate(entries(routers))}
    return sorted(found, key=lambda row: (place[row["scheme"], row["among"], row["router"]], row["question_id"]))


def rights(cases: Cases, policies: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each policy (column) is right on each question (row)."""
    return cases.right[list(policies)].to_numpy(dtype=bool)


def named(policies: Sequence[str], chosen: NDArray[np.int64]) -> list[str]:
    return [policies[place] for place in chosen]


def rows(
    listed: Sequence[Entry],
    chosen: Mapping[Key, Sequence[str]],
    right: pd.DataFrame,
    *,
    fold: int | None,
    learned: int | None,
) -> list[dict[str, Any]]:
    return [
        {
            "question_id": question_id,
            "scheme": entry.scheme,
            "router": entry.router,
            "among": entry.among,
            "kind": entry.kind,
            "fold": fold,
            "learned": learned,
            "policy": policy,
            "correct": bool(right.at[question_id, policy]),
        }
        for entry in listed
        for question_id, policy in zip(right.index, chosen[entry.among, entry.router], strict=True)
    ]
