"""Replies decoded token by token, several at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from transformers import DynamicCache

# From scores of shape (replies, vocabulary), float32, the next token of each reply.
Pick = Callable[[torch.Tensor], list[int]]
# Whether a reply with these new tokens, at least one, is complete.
Ended = Callable[[list[int]], bool]


@torch.inference_mode()
def decode(
    model: Any,
    logits: torch.Tensor,
    cache: Any,
    *,
    lengths: Sequence[int],
    pick: Pick,
    ended: Sequence[Ended],
    max_new_tokens: int,
) -> list[list[int]]:
    """New tokens of each reply; decoding goes on until every reply has ended, so some have tokens after their end.

    Args:
        model: a causal language model of Transformers, in evaluation mode.
        logits: of the first new token of each reply, float32, shape (replies, vocabulary).
        cache: keys and values of the prompts, padded on the left to the longest; it is used up.
        lengths: tokens of each prompt.
        pick: chooses the next tokens; called once a step, before the first with ``logits``.
        ended: for each reply whether it is complete.
        max_new_tokens: at least 1.
    """
    rows: list[list[int]] = [[] for _ in lengths]
    over = [False] * len(rows)
    places = torch.tensor(lengths, device=logits.device)
    width = max(lengths)
    padding = None
    if min(lengths) < width:
        padding = torch.arange(width, device=logits.device)[None] >= width - places[:, None]
    for step in range(max_new_tokens):
        tokens = pick(logits)
        for index, token in enumerate(tokens):
            rows[index].append(token)
            over[index] = over[index] or ended[index](rows[index])
        if all(over) or step == max_new_tokens - 1:
            break
        mask = None
        if padding is not None:
            mask = torch.nn.functional.pad(padding, (0, step + 1), value=True).long()
        output = model(
            torch.tensor(tokens, device=logits.device)[:, None],
            cache=cache,
            attention_mask=mask,
            position_ids=(places + step)[:, None],
            use_cache=True,
            logits_to_keep=1,
        )
        cache, logits = output.cache, output.logits[:, -1].float()
    return rows


def stacked(caches: Sequence[Sequence[tuple[torch.Tensor, torch.Tensor]]]) -> Any:
    """One cache of several prompts, padded with zeros on the left to the longest.

    Args:
        caches: of each prompt and layer the keys and values, shape (1, heads, tokens, dimensions).
    """
    width = max(keys.shape[-2] for layers in caches for keys, _ in layers)

    def batch(tensors: list[torch.Tensor]) -> torch.Tensor:
        padded = [torch.nn.functional.pad(tensor, (0, 0, width - tensor.shape[-2], 0)) for tensor in tensors]
        return torch.cat(padded)

    layers = zip(*caches, strict=True)
    pairs = [tuple(batch([part[kind] for part in layer]) for kind in (0, 1)) for layer in layers]
    return DynamicCache(ddp_cache_data=pairs)


def selected(cache: Any, places: Sequence[int]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Copies of the keys and values at these places, by layer, in the order of the places."""
    index = torch.tensor(places, device=cache.layers[0].keys.device)
    return [(layer.keys.index_select(-2, index), layer.values.index_select(-2, index)) for layer in cache.layers]
