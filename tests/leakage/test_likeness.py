"""Shingles and how alike sets of them are: known answers, sets of word tuples as the reference, laws."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.leakage import shingles as shingling
from plancheck.leakage.likeness import Likeness, candidates, likeness, of_counts, rows, sample
from plancheck.leakage.shingles import blocks, shingles, shingles_of_all, word_numbers
from plancheck.retrieval.words import words

KNOWN = ["0x1e019a27f42efeaf", "0x4733a43676bbf98a", "0xdc51e7076686539e"]
TEXT = st.lists(st.sampled_from(["the", "inn", "Lund", "opened", "1911", "東京都", "é"]), max_size=30).map(" ".join)
SETS = st.lists(st.sets(st.integers(0, 30)), max_size=6)


def tuples(text, size):
    """The reference: shingles as tuples of words."""
    found = words(text)
    size = min(size, len(found))
    return {tuple(found[place : place + size]) for place in range(len(found) - size + 1)} if found else set()


def of_tuples(one, other):
    if not (one and other):
        return Likeness(0.0, 0.0)
    common = len(one & other)
    return Likeness(common / len(one | other), common / min(len(one), len(other)))


def as_set(numbers):
    return np.array(sorted(numbers), np.uint64)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a b c d", "a b c d", Likeness(1.0, 1.0)),
        ("a b c d", "A  b,\nC — d!", Likeness(1.0, 1.0)),
        ("a b c d", "a b c x", Likeness(1 / 3, 1 / 2)),  # (a b c) of (a b c), (b c d) and (b c x)
        ("a b c d", "x a b c d y", Likeness(2 / 4, 1.0)),
        ("a b c d", "d c b a", Likeness(0.0, 0.0)),
        ("a b", "a b", Likeness(1.0, 1.0)),  # shorter than a shingle
        ("a b", "a b c", Likeness(0.0, 0.0)),
        ("caf\u00e9 in Lund", "CAFE\u0301 in Lund", Likeness(1.0, 1.0)),
        ("", "a b c", Likeness(0.0, 0.0)),
        ("?!", "?!", Likeness(0.0, 0.0)),  # no word, so nothing to be alike in
    ],
)
def test_likeness_of_texts(one, other, expected):
    assert likeness(shingles(one, 3), shingles(other, 3)) == expected


@given(TEXT, TEXT, st.integers(1, 6))
def test_shingles_are_as_alike_as_sets_of_word_tuples(one, other, size):
    assert likeness(shingles(one, size), shingles(other, size)) == of_tuples(tuples(one, size), tuples(other, size))


@given(TEXT, st.integers(1, 40))
def test_a_text_in_blocks_is_the_same_text_with_the_same_words(text, chars):
    whole = word_numbers(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shingling, "BLOCK_CHARS", chars)
        assert "".join(blocks(text)) == text
        assert list(word_numbers(text)) == list(whole)


def test_no_shingle_runs_from_one_text_into_another():
    assert likeness(shingles_of_all(["a b", "c d"], 2), shingles("b c", 2)) == Likeness(0.0, 0.0)
    assert len(shingles_of_all([], 2)) == 0


def test_the_numbers_are_those_of_every_machine():
    assert [hex(number) for number in shingles("The inn is in Lund.", 3)] == KNOWN


@given(SETS)
def test_rows_hold_every_pair_as_counted_by_sets(sets):
    found = {}
    for row in rows([as_set(one) for one in sets]):
        found |= {(left, right): same for left, right, same in row.pairs(np.ones(len(row.jaccard), bool))}
    expected = {pair: of_tuples(sets[pair[0]], sets[pair[1]]) for pair in combinations(range(len(sets)), 2)}
    assert found == (expected if any(sets) else {})


@given(SETS, st.floats(0.05, 1), st.floats(0.05, 1))
def test_no_pair_that_reaches_a_threshold_is_left_out_of_the_candidates_when_all_is_sampled(sets, jaccard, contained):
    thresholds = Likeness(jaccard, contained)
    found = {(left, right) for left, right, _ in candidates([as_set(one) for one in sets], thresholds)}
    pairs = combinations(range(len(sets)), 2)
    assert found >= {pair for pair in pairs if of_tuples(*(sets[place] for place in pair)).reaches(thresholds)}


def test_a_sample_estimates_both_indices_within_the_slack():
    """A set of 800 that lies in one of 20,000 by three quarters: MinHash's own index is 0.03 here."""
    generator = np.random.default_rng(5)
    numbers = np.unique(generator.integers(0, 2**64, 21_000, dtype=np.uint64))
    generator.shuffle(numbers)
    large, small = np.sort(numbers[:20_000]), np.sort(numbers[19_400:20_200])
    assert likeness(large, small) == of_counts(600, 20_000, 800)
    kept = [sample(one, 16) for one in (large, small)]
    assert 1_100 < len(kept[0]) < 1_400
    ((_, _, estimate),) = candidates(kept, Likeness(0.5, 0.8))
    assert abs(estimate.containment - 0.75) < 4 * 0.5 / np.sqrt(len(kept[1]))
    assert abs(estimate.jaccard - 600 / 20_200) < 0.02


@settings(max_examples=20)
@given(TEXT, st.integers(1, 4))
def test_a_sample_of_one_in_one_is_the_set(text, size):
    assert list(sample(shingles(text, size), 1)) == list(shingles(text, size))
