"""Rows of data/routing.parquet: what each router chooses, and whether that policy's answer is right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plancheck.params.answer import RouterName
from plancheck.routing.entries import BEST_SINGLE, IN_SAMPLE, ORACLE_ALL, ORACLE_PAIR, Entry, entries
from plancheck.routing.folds import Fold
from plancheck.routing.routers import ROUTERS, Lesson, domain_rule


@dataclass(frozen=True, slots=True)
class Pair:
    """The two policies a router chooses between."""

    control: str
    planner: str


@dataclass(frozen=True, slots=True)
class Cases:
    """Questions to route, one row each, features and right indexed by question ID in the same order.

    Attributes:
        features: the other columns of ROUTER_FEATURES; values known before the gold letter.
        right: a column a policy: whether its answer is right.
        policies: those that the best single policy and the oracle over all are chosen among, as declared.
    """

    features: pd.DataFrame
    right: pd.DataFrame
    policies: tuple[str, ...]

    def __post_init__(self) -> None:
        if list(self.features.index) != list(self.right.index) or self.features.index.has_duplicates:
            raise ValueError("features and right must have the same questions, each once, in the same order")

    def of(self, question_ids: Sequence[str]) -> "Cases":
        """The questions asked for, in that order."""
        asked = list(question_ids)
        return Cases(self.features.loc[asked], self.right.loc[asked], self.policies)

    def best_single(self) -> str:
        """The policy that is right most often; ties, and no questions at all, go to the one declared first."""
        correct = self.right[list(self.policies)].sum(axis=0).to_numpy()
        return self.policies[int(np.argmax(correct))]


def routed(cases: Cases, fold: Fold, pair: Pair, *, routers: Sequence[RouterName], seed: int) -> list[dict[str, Any]]:
    """The rows of a fold, by router and question: each router, and the best single policy, of its train questions."""
    train, test = cases.of(fold.train), cases.of(fold.test)
    lesson = Lesson(train.features, gain(train.right, pair))
    chosen: dict[str, list[str]] = {name: named(pair, ROUTERS[name](lesson, seed)(test.features)) for name in routers}
    chosen[BEST_SINGLE] = [train.best_single()] * len(fold.test)
    return rows(entries_of(fold.scheme, routers), chosen, test.right, fold=fold.number)


def unfolded(cases: Cases, pair: Pair) -> list[dict[str, Any]]:
    """The rows without folds: both oracles, and the domain rule that learned from the very questions it routes."""
    ordered = cases.of(sorted(cases.right.index))
    pair_gain = gain(ordered.right, pair)
    lesson = Lesson(ordered.features, pair_gain)
    chosen = {
        ORACLE_PAIR: named(pair, pair_gain > 0),
        ORACLE_ALL: [ordered.of([question_id]).best_single() for question_id in ordered.right.index],
        IN_SAMPLE: named(pair, domain_rule(lesson, 0)(ordered.features)),
    }
    return rows([entry for entry in entries([]) if entry.router in chosen], chosen, ordered.right, fold=None)


def in_order(found: Sequence[dict[str, Any]], routers: Sequence[RouterName]) -> list[dict[str, Any]]:
    """The table's rows: by entry as ``entries`` lists them, then by question ID."""
    place = {(entry.scheme, entry.router): number for number, entry in enumerate(entries(routers))}
    return sorted(found, key=lambda row: (place[row["scheme"], row["router"]], row["question_id"]))


def gain(right: pd.DataFrame, pair: Pair) -> NDArray[np.int64]:
    """Planner right minus control right of every question."""
    return np.asarray(right[pair.planner].astype("int64") - right[pair.control].astype("int64"))


def named(pair: Pair, planner: NDArray[np.bool_]) -> list[str]:
    return [pair.planner if chosen else pair.control for chosen in planner]


def entries_of(scheme: str, routers: Sequence[str]) -> list[Entry]:
    return [entry for entry in entries(routers) if entry.scheme == scheme]


def rows(
    listed: Sequence[Entry], chosen: Mapping[str, Sequence[str]], right: pd.DataFrame, *, fold: int | None
) -> list[dict[str, Any]]:
    return [
        {
            "question_id": question_id,
            "scheme": entry.scheme,
            "router": entry.router,
            "kind": entry.kind,
            "fold": fold,
            "policy": policy,
            "correct": bool(right.at[question_id, policy]),
        }
        for entry in listed
        for question_id, policy in zip(right.index, chosen[entry.router], strict=True)
    ]
