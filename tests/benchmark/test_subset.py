from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.benchmark.subset import allocation, stratified_subset
from plancheck.records import Question

LONGBENCH_V2 = {"single": 175, "multi": 125, "learning": 81, "code": 50, "dialogue": 39, "tables": 33}


def questions(sizes):
    return [
        Question(f"{domain}-{n}", domain, "", "", "", "?", ("1", "2", "3", "4"), "A", "0" * 64)
        for domain, size in sizes.items()
        for n in range(size)
    ]


@pytest.mark.parametrize(
    ("sizes", "limit", "expected"),
    [
        # 100 of 503: parts 34.79, 24.85, 16.10, 9.94, 7.75, 6.56; floors sum to 96
        (LONGBENCH_V2, 100, {"single": 35, "multi": 25, "learning": 16, "code": 10, "dialogue": 8, "tables": 6}),
        ({"a": 100, "b": 1, "c": 1, "d": 1}, 5, {"a": 2, "b": 1, "c": 1, "d": 1}),
        ({"a": 100, "b": 1, "c": 1, "d": 1}, 4, {"a": 1, "b": 1, "c": 1, "d": 1}),
        ({"a": 100, "b": 1, "c": 1, "d": 1}, 3, {"a": 3, "b": 0, "c": 0, "d": 0}),
        ({"b": 5, "a": 5}, 1, {"a": 1, "b": 0}),
        ({"a": 2, "b": 3}, 5, {"a": 2, "b": 3}),
    ],
)
def test_allocation_by_largest_remainder(sizes, limit, expected):
    assert allocation(sizes, limit) == expected


@given(st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.integers(1, 40), min_size=1), st.data())
def test_allocation_fills_the_limit_within_every_domain(sizes, data):
    limit = data.draw(st.integers(1, sum(sizes.values())))
    counts = allocation(sizes, limit)
    assert sum(counts.values()) == limit
    assert all(0 <= counts[domain] <= size for domain, size in sizes.items())
    assert limit < len(sizes) or min(counts.values()) >= 1
    assert allocation(dict(reversed(sizes.items())), limit) == counts


@given(st.permutations(questions({"a": 9, "b": 4, "c": 1})), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_the_same_questions_are_kept_in_any_order_of_the_file(shuffled, limit, seed):
    kept = stratified_subset(shuffled, limit=limit, seed=seed)
    ordered = stratified_subset(questions({"a": 9, "b": 4, "c": 1}), limit=limit, seed=seed)
    assert set(kept) == set(ordered)
    assert list(kept) == [question for question in shuffled if question in set(kept)]
    assert len(kept) == min(limit, 14)


def test_a_larger_limit_keeps_at_least_the_same_questions_of_a_domain():
    pool = questions({"a": 30})
    assert set(stratified_subset(pool, limit=5, seed=1)) < set(stratified_subset(pool, limit=9, seed=1))


def test_the_seed_decides_which_questions():
    # pinned: a change here would silently change every limited study
    kept = stratified_subset(questions({"a": 20}), limit=4, seed=20260225)
    assert [question.question_id for question in kept] == ["a-8", "a-9", "a-15", "a-16"]
    assert stratified_subset(questions({"a": 20}), limit=4, seed=1) != stratified_subset(
        questions({"a": 20}), limit=4, seed=2
    )


def test_every_domain_is_drawn_from():
    kept = stratified_subset(questions(LONGBENCH_V2), limit=6, seed=3)
    assert Counter(question.domain for question in kept).keys() == LONGBENCH_V2.keys()


def test_a_limit_below_one_is_a_fault_of_the_program():
    with pytest.raises(ValueError, match="limit"):
        stratified_subset(questions({"a": 2}), limit=0, seed=0)
