"""Deployable routers: fitted on some questions, they choose the control or the planner for others.

A learned router estimates how likely the planner is right, given that exactly one of the two policies is: only those
questions can teach it anything, and choosing the planner where that probability is above 1/2 is what maximises
accuracy, because the choice does not matter on all others.
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
DECIMALS: Final = 9  # of a probability before it is compared with 1/2, which sums in another order can miss by a bit


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a router learns from.

    Attributes:
        features: one row a question: the columns of ROUTER_FEATURES but the ID.
        gain: planner right minus control right, each 0 or 1, of the same rows: -1, 0 or 1.
    """

    features: pd.DataFrame
    gain: NDArray[np.int64]


# Of features (one row a question): whether to choose the planner.
Router = Callable[[pd.DataFrame], NDArray[np.bool_]]
RouterFactory = Callable[[Lesson, int], Router]


def train_default(lesson: Lesson, seed: int) -> Router:
    """The policy that is right more often in the lesson, for every question; the control when both are."""
    planner = bool(lesson.gain.sum() > 0)
    return lambda features: np.full(len(features), planner)


def domain_rule(lesson: Lesson, seed: int) -> Router:
    """The policy that is right more often in the question's domain, the control when both are.

    A domain that the lesson lacks gets the lesson's default.
    """
    default = bool(lesson.gain.sum() > 0)
    sums = pd.Series(lesson.gain).groupby(lesson.features["domain"].to_numpy()).sum()
    rule = {str(domain): bool(gain > 0) for domain, gain in sums.items()}
    return lambda features: np.array([rule.get(domain, default) for domain in features["domain"]], dtype=bool)


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
    """The classifier fitted on the lesson's questions with a gain or a loss; ties go to the control.

    Where there are only gains, only losses or neither, there is nothing to tell apart: the lesson's default.
    """
    decided = lesson.gain != 0
    if len(set(lesson.gain[decided])) < 2:
        return train_default(lesson, 0)
    # One thread: sums of another number of threads can differ in their last digits.
    with threadpool_limits(limits=1):
        pipeline = make_pipeline(encoded(lesson.features), classifier)
        pipeline.fit(lesson.features[decided], lesson.gain[decided] > 0)

    def choose(features: pd.DataFrame) -> NDArray[np.bool_]:
        if features.empty:
            return np.zeros(0, dtype=bool)
        with threadpool_limits(limits=1):
            gains = pipeline.predict_proba(features)[:, list(pipeline.classes_).index(True)]
        return np.asarray(np.round(gains, DECIMALS) > 0.5)

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
