"""Caches of several replies, against those of Transformers."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import DynamicCache

from plancheck.backends.row_cache import repeated, selected, stacked

HEADS, DIMENSIONS = 2, 3


def states(rows, tokens, seed):
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(rows, HEADS, tokens, DIMENSIONS, generator=generator) for _ in ("keys", "values"))


def plain(layers):
    return DynamicCache(ddp_cache_data=layers)


def same(found, expected):
    return all(torch.equal(one, other) for one, other in zip(found, expected, strict=True))


@given(
    rows=st.integers(1, 4),
    prompt=st.integers(1, 5),
    steps=st.lists(st.integers(1, 3), max_size=4),
    spare=st.integers(0, 2),
)
def test_tokens_are_added_as_transformers_adds_them(rows, prompt, steps, spare):
    layers = [states(1, prompt, seed) for seed in (1, 2)]
    expected = plain(layers)
    expected.batch_repeat_interleave(rows)
    found = repeated(plain(layers), rows=rows, room=sum(steps) + spare)

    assert found.get_seq_length() == prompt
    for number, tokens in enumerate(steps):
        for layer in range(len(layers)):
            new = states(rows, tokens, 10 * number + layer)
            assert same(found.update(*new, layer), expected.update(*new, layer))
        assert found.get_seq_length() == expected.get_seq_length()


def test_what_is_repeated_stays_as_it_is():
    cache = plain([states(1, 3, 1)])
    found = repeated(cache, rows=2, room=1)
    found.update(*states(2, 1, 2), 0)
    found.layers[0].keys.zero_()

    assert cache.get_seq_length() == 3
    assert same((cache.layers[0].keys, cache.layers[0].values), states(1, 3, 1))


def test_no_more_tokens_than_there_is_room_for():
    found = repeated(plain([states(1, 3, 1)]), rows=2, room=1)
    with pytest.raises(ValueError, match="room for 4 tokens, got 5"):
        found.update(*states(2, 2, 2), 0)


def test_shorter_prompts_are_padded_on_the_left():
    short, long = states(1, 1, 1), states(1, 3, 2)
    found = stacked([[short], [long]], room=2)
    zeros = torch.zeros(HEADS, 2, DIMENSIONS)

    for kind, name in enumerate(("keys", "values")):
        padded = torch.cat([zeros, short[kind][0]], dim=-2)
        assert torch.equal(getattr(found.layers[0], name), torch.stack([padded, long[kind][0]]))
    new = states(2, 2, 3)
    assert same((part[..., 3:, :] for part in found.update(*new, 0)), new)


def test_places_are_selected_in_their_order():
    keys, values = states(1, 4, 1)
    ((found_keys, found_values),) = selected(plain([(keys, values)]), [3, 0])
    assert same((found_keys, found_values), (keys[..., [3, 0], :], values[..., [3, 0], :]))
