"""Folds: every question tested once, contexts kept together, no outcome and no order decides."""

import warnings
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.routing.folds import leave_one_domain_out, strata, stratified

QUESTIONS = st.lists(st.tuples(st.sampled_from("XYZ"), st.integers(0, 12)), min_size=1, max_size=40)


def frame(questions):
    return pd.DataFrame(
        {
            "question_id": [f"q{number:02}" for number in range(len(questions))],
            "domain": [domain for domain, _ in questions],
            "context_group": [f"c{context}" for _, context in questions],
        }
    )


def both(questions, *, by_context, folds=5):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [
            stratified(questions, folds=folds, by_context=by_context, seed=3),
            leave_one_domain_out(questions, by_context=by_context),
        ]


@given(QUESTIONS, st.booleans(), st.integers(2, 7))
@settings(max_examples=60, deadline=None)
def test_each_question_is_tested_once_and_never_learned_from_where_it_is_tested(questions, by_context, folds):
    found = frame(questions)
    context = dict(zip(found["question_id"], found["context_group"], strict=True))
    for scheme in both(found, by_context=by_context, folds=folds):
        assert sorted(name for fold in scheme for name in fold.test) == found["question_id"].tolist()
        assert [fold.number for fold in scheme] == list(range(len(scheme)))
        for fold in scheme:
            assert fold.test
            assert not set(fold.test) & set(fold.train)
            assert list(fold.train) == sorted(fold.train)
            if by_context:
                assert not {context[name] for name in fold.test} & {context[name] for name in fold.train}


@given(QUESTIONS, st.booleans(), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_the_questions_changes_no_fold(questions, by_context, random):
    found = frame(questions)
    order = list(found.index)
    random.shuffle(order)
    assert both(found, by_context=by_context) == both(found.iloc[order], by_context=by_context)


def test_stratified_folds_hold_even_shares_of_each_domain_and_learn_from_all_others():
    found = frame([("X", number) for number in range(20)] + [("Y", number) for number in range(10)])
    domain = dict(zip(found["question_id"], found["domain"], strict=True))
    folds = stratified(found, folds=5, by_context=False, seed=1)
    assert [Counter(domain[name] for name in fold.test) for fold in folds] == [{"X": 4, "Y": 2}] * 5
    assert [len(fold.train) for fold in folds] == [24] * 5


def test_another_seed_shuffles_otherwise():
    found = frame([("X", number) for number in range(20)])
    assert stratified(found, folds=5, by_context=False, seed=1) != stratified(found, folds=5, by_context=False, seed=2)


def test_a_domain_is_left_out_whole_and_with_contexts_what_shares_them():
    found = frame([("X", 0), ("Y", 0), ("Y", 1), ("Z", 2)])
    plain = leave_one_domain_out(found, by_context=False)
    kept = leave_one_domain_out(found, by_context=True)
    assert [fold.test for fold in plain] == [fold.test for fold in kept] == [("q00",), ("q01", "q02"), ("q03",)]
    assert [fold.train for fold in plain] == [("q01", "q02", "q03"), ("q00", "q03"), ("q00", "q01", "q02")]
    assert [fold.train for fold in kept] == [("q02", "q03"), ("q03",), ("q00", "q01", "q02")]


@pytest.mark.parametrize("by_context", [False, True])
def test_one_question_and_one_context_are_tested_after_learning_from_nothing(by_context):
    found = frame([("X", 0)] * (2 if by_context else 1))
    for (fold,) in both(found, by_context=by_context):
        assert (fold.train, fold.test) == ((), tuple(found["question_id"]))


@pytest.mark.parametrize(
    ("domains", "folds", "expected"),
    [
        ("XXXXXYYYYY", 5, "XXXXXYYYYY"),
        ("XXXXXYYYZZ", 5, "XXXXX*****"),
        ("XXXXXYYYYYZ", 5, "*****YYYYY*"),  # Z alone is too few; of two as small, the first by name joins it
        ("XYZ", 5, "***"),
        ("XXYYZZ", 2, "XXYYZZ"),
    ],
)
def test_small_domains_are_one_stratum(domains, folds, expected):
    assert "".join(stratum or "*" for stratum in strata(domains, folds=folds)) == expected
