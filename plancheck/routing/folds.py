"""Folds: which questions a router learns from and which it is tested on. No outcome decides a fold."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from plancheck.routing.entries import Scheme


@dataclass(frozen=True, slots=True)
class Fold:
    """Question IDs, sorted; ``number`` counts a scheme's folds from 0. ``train`` can be empty, ``test`` cannot."""

    scheme: Scheme
    number: int
    train: tuple[str, ...]
    test: tuple[str, ...]


def stratified(questions: pd.DataFrame, *, folds: int, by_context: bool, seed: int) -> list[Fold]:
    """Folds with the domains in even shares; every question is tested in one of them.

    Domains with fewer questions than folds are put together (see ``strata``). There are never more folds than
    questions (or contexts), and a fold without a test question is left out; a single question (or context) is tested
    by one fold that learns from nothing.

    Args:
        questions: columns question_id (unique), context_group, domain; the order of its rows changes nothing.
        folds: at least 2.
        by_context: questions that share a context are kept in one fold.
        seed: shuffles.
    """
    questions = questions.sort_values("question_id", ignore_index=True)
    groups = questions["context_group"] if by_context else questions["question_id"]
    places = min(folds, groups.nunique())
    if places < 2:
        return [made("stratified", 0, questions, np.ones(len(questions), dtype=bool))]
    labels = strata(questions["domain"].tolist(), folds=places)
    splitter = StratifiedGroupKFold if by_context else StratifiedKFold
    parts = splitter(places, shuffle=True, random_state=seed).split(questions, labels, groups if by_context else None)
    tested = [test for _, test in parts if len(test)]
    return [made("stratified", number, questions, questions.index.isin(test)) for number, test in enumerate(tested)]


def leave_one_domain_out(questions: pd.DataFrame, *, by_context: bool) -> list[Fold]:
    """A fold for each domain, by name, that tests its questions and learns from the others.

    With ``by_context`` it does not learn from questions of other domains that share a context with a tested one. A
    single domain is tested by one fold that learns from nothing.
    """
    questions = questions.sort_values("question_id", ignore_index=True)
    folds = []
    for number, domain in enumerate(sorted(set(questions["domain"]))):
        test = (questions["domain"] == domain).to_numpy()
        shared = questions["context_group"].isin(questions["context_group"][test]).to_numpy() if by_context else None
        folds.append(made("leave_one_domain_out", number, questions, test, unused=shared))
    return folds


def made(
    scheme: Scheme,
    number: int,
    questions: pd.DataFrame,
    test: NDArray[np.bool_],
    *,
    unused: NDArray[np.bool_] | None = None,
) -> Fold:
    """A fold that tests ``test`` and learns from all that is neither tested nor ``unused``."""
    ids = questions["question_id"]
    train = ~test if unused is None else ~test & ~unused
    return Fold(scheme, number, tuple(ids[train]), tuple(ids[test]))


def strata(domains: Sequence[str], *, folds: int) -> list[str]:
    """The stratum of each question: its domain, but small domains (ties by name) are one stratum together.

    The smallest are put together until every stratum has at least ``folds`` questions, or all are one.
    """
    pooled: set[str] = set()
    size = 0
    for domain, count in sorted(Counter(domains).items(), key=lambda item: (item[1], item[0])):
        if count >= folds and not 0 < size < folds:
            break
        pooled.add(domain)
        size += count
    return ["" if domain in pooled else domain for domain in domains]
