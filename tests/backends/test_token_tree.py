"""Token trees and their passes: laws over any sequences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.backends.token_tree import TokenTree, passes

sequences = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), max_size=9)


def beginnings(tree, node):
    """The node and those before it, from the first token on."""
    found = []
    while node >= 0:
        found.append(node)
        node = tree.parents[node]
    return found[::-1]


@given(sequences)
def test_each_beginning_is_one_node(given_sequences):
    tree = TokenTree(given_sequences)

    assert [[tree.tokens[node] for node in path] for path in tree.paths] == given_sequences
    assert len(tree) == len({tuple(s[: end + 1]) for s in given_sequences for end in range(len(s))})
    for node in range(len(tree)):
        assert tree.depths[node] == len(beginnings(tree, node)) - 1
        below = [other for other in range(len(tree)) if node in beginnings(tree, other)]
        assert below == list(range(node, tree.ends[node]))


@given(sequences, st.integers(1, 14))
def test_passes_read_every_node_once_after_all_before_it(given_sequences, size):
    tree = TokenTree(given_sequences)
    cache, read = [], []
    for step in passes(tree, size=size):
        assert 1 <= len(step.nodes) <= size
        assert step.kept <= len(cache)
        del cache[step.kept :]
        for node, before in zip(step.nodes, step.before, strict=True):
            stands_after, place = [], before
            while place >= 0:
                stands_after.append(step.nodes[place])
                place = step.before[place]
            assert [*cache, *reversed(stands_after), node] == beginnings(tree, node)
        cache += step.nodes
        read += step.nodes
    assert sorted(read) == list(range(len(tree)))


@given(sequences, st.randoms())
def test_the_passes_do_not_depend_on_the_order_of_the_sequences(given_sequences, random):
    mixed = list(given_sequences)
    random.shuffle(mixed)
    first, second = TokenTree(given_sequences), TokenTree(mixed)
    assert first.tokens == second.tokens
    assert list(passes(first, size=4)) == list(passes(second, size=4))


def test_a_tree_that_fits_is_one_pass_and_a_long_text_is_read_in_parts():
    tree = TokenTree([[1, 2, 3], [1, 2, 4], [1, 2, 3, 5]])
    (whole,) = passes(tree, size=5)
    assert (whole.kept, whole.nodes, whole.is_path) == (0, (0, 1, 2, 3, 4), False)
    assert [(step.kept, len(step.nodes), step.is_path) for step in passes(TokenTree([[7] * 10]), size=4)] == [
        (0, 4, True), (4, 4, True), (8, 2, True)
    ]  # fmt: skip


def test_a_beginning_too_short_for_a_pass_is_read_with_what_follows_it():
    tree = TokenTree([[1, 2, *[3] * 9], [1, 2, *[4] * 9]])
    assert [(step.kept, len(step.nodes)) for step in passes(tree, size=8)] == [(0, 8), (8, 3), (2, 8), (10, 1)]


def test_no_sequence_needs_no_pass_and_an_empty_one_is_refused():
    assert list(passes(TokenTree([]), size=1)) == []
    with pytest.raises(ValueError, match="at least one token"):
        TokenTree([[1], []])
    with pytest.raises(ValueError, match="size"):
        list(passes(TokenTree([[1]]), size=0))
