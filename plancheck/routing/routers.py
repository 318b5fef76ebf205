"""Deployable routers: fitted on some questions, they choose one of several policies for others.

A learned router sees each question that some policies answer right and others wrong, once for each policy that is
right, and learns which policy that is. Of a new question its likeliest class is then the policy that is most likely
right: the questions that all policies answer alike, which would teach it nothing, add the same to every policy. Of two
policies this is the probability that the second is right, given that exactly one of them is, set against 1/2.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from plancheck.params.answer import RouterName

# Not difficulty: the generator sets it by how evidence is stated, LongBench-v2 by how people and models answered.
CATEGORIES: Final = ("domain", "sub_domain", "length")
DECIMALS: Final = 9  # of probabilities before they are compared: sums in another order can miss by a bit


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a router learns from.

    Attributes:
        features: one row a question: numbers and CATEGORIES, all known before an answer is judged.
        right: whether each policy (column) is right, of the same rows; at least one column. Wherever policies are
            even, the earlier column is chosen.
    """

    features: pd.DataFrame
    right: NDArray[np.bool_]

    @property
    def default(self) -> int:
        """The column that is right most often."""
        return int(self.right.sum(axis=0).argmax())


# Of features (one row a question): the column of the policy to choose.
Router = Callable[[pd.DataFrame], NDArray[np.int64]]
RouterFactory = Callable[[Lesson, int], Router]


def train_default(lesson: Lesson, seed: int) -> Router:
    """The policy that is right most often in the lesson, for every question."""
    return lambda features: np.full(len(features), lesson.default)


def domain_rule(lesson: Lesson, seed: int) -> Router:
    """The policy that is right most often in the question's domain; the lesson's default in one that it lacks."""
    sums = pd.DataFrame(lesson.right).groupby(lesson.features["domain"].to_numpy()).sum()
    rule = dict(zip(sums.index, sums.to_numpy().argmax(axis=1), strict=True))
    return lambda features: np.array([rule.get(domain, lesson.default) for domain in features["domain"]], dtype=int)


def logistic(lesson: Lesson, seed: int) -> Router:
    """L2-penalised logistic regression on standardised features."""
    return learned(lesson, LogisticRegression(C=0.1, max_iter=1000, random_state=seed))


def forest(lesson: Lesson, seed: int) -> Router:
    """A random forest of shallow trees."""
    return learned(lesson, RandomForestClassifier(200, max_depth=3, min_samples_leaf=5, n_jobs=1, random_state=seed))


def boosting(lesson: Lesson, seed: int) -> Router:
    """Histogram gradient boosting of shallow trees."""
    return learned(
        lesson,
        HistGradientBoostingClassifier(
            max_iter=60, max_depth=3, min_samples_leaf=10, early_stopping=False, random_state=seed
        ),
    )


ROUTERS: Final[Mapping[RouterName, RouterFactory]] = {
    "logistic": logistic,
    "forest": forest,
    "boosting": boosting,
    "domain_rule": domain_rule,
    "train_default": train_default,
}


def learned(lesson: Lesson, classifier: ClassifierMixin) -> Router:
    """The classifier fitted on the questions that some policies answer right and others wrong.

    Where only one policy is ever right in those, or there are none, there is nothing to tell apart: the default.
    Policies that are right on the same of those questions are even: fitting tells them apart by noise alone.
    """
    decided = lesson.right.any(axis=1, keepdims=True) & ~lesson.right.all(axis=1, keepdims=True)
    questions, policies = np.nonzero(lesson.right & decided)
    if len(set(policies)) < 2:
        return train_default(lesson, 0)
    # One thread: sums of another number of threads can differ in their last digits.
    with threadpool_limits(limits=1):
        pipeline = make_pipeline(encoded(lesson.features), classifier)
        pipeline.fit(lesson.features.iloc[questions], policies)
    _, firsts, alike = np.unique(lesson.right & decided, axis=1, return_index=True, return_inverse=True)
    earliest = firsts[alike.ravel()]

    def choose(features: pd.DataFrame) -> NDArray[np.int64]:
        if features.empty:
            return np.zeros(0, dtype=int)
        with threadpool_limits(limits=1):
            likely = np.round(pipeline.predict_proba(features), DECIMALS)
        return np.asarray(earliest[pipeline.classes_[likely.argmax(axis=1)]])

    return choose


def encoded(features: pd.DataFrame) -> ColumnTransformer:
    """Categories one-hot (one unseen is none of them); numbers with their median for nulls, standardised."""
    numbers: Pipeline = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
    return ColumnTransformer(
        [
            ("categories", OneHotEncoder(handle_unknown="ignore", sparse_output=False), list(CATEGORIES)),
            ("numbers", numbers, [name for name in features if name not in CATEGORIES]),
        ]
    )
