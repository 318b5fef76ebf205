"""Replies decoded token by token, several at a time."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

# From scores of shape (replies, vocabulary), float32, and whether each reply is over, the next token of each; after a
# reply's end any token will do.
Pick = Callable[[torch.Tensor, Sequence[bool]], list[int]]
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
        cache: keys and values of the prompts, padded on the left to the longest, with room for ``max_new_tokens`` - 1
            more; it is used up.
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
        tokens = pick(logits, over)
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
