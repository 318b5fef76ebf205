"""Sampled replies whose every one depends on its own seed alone."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import torch
from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopPLogitsWarper

# Replies are decoded this many at a time, the last group filled up: a model's last digits depend on the size of a
# batch, and with them, now and then, a token. So a sample would depend on how many others were asked for.
WIDTH = 8


@torch.inference_mode()
def sample(
    model: Any,
    prompt: Sequence[int],
    *,
    seeds: Sequence[int],
    temperature: float,
    top_p: float,
    max_new_tokens: int,
    stop: Sequence[int],
) -> list[list[int]]:
    """New tokens of a reply for each seed, in order; what follows a stop token means nothing.

    The prompt's keys and values are computed once. A token is drawn from the smallest set of likeliest tokens whose
    probability at ``temperature`` reaches ``top_p``, by a generator of the reply's own seed.

    Args:
        model: a causal language model of Transformers, in evaluation mode.
        prompt: at least one token.
        seeds: below 2**63; equal seeds give equal replies.
        stop: tokens that end a reply.
    """
    if not seeds:
        return []
    ids = torch.tensor([list(prompt)], device=model.device)
    shared = model(ids[:, :-1], use_cache=True, logits_to_keep=1).cache if len(prompt) > 1 else None
    warpers = LogitsProcessorList([TemperatureLogitsWarper(temperature), TopPLogitsWarper(top_p)])
    rows: list[list[int]] = []
    for start in range(0, len(seeds), WIDTH):
        group = seeds[start : start + WIDTH]
        cache = repeated(shared, WIDTH)
        rows += decode(model, ids[:, -1:].repeat(WIDTH, 1), cache, group, warpers, max_new_tokens, frozenset(stop))
    return rows


def repeated(cache: Any, times: int) -> Any:
    """A copy of one prompt's keys and values for ``times`` replies; None stays None."""
    if cache is None:
        return None
    copy = deepcopy(cache)
    copy.batch_repeat_interleave(times)
    return copy


def decode(
    model: Any,
    last: torch.Tensor,
    cache: Any,
    seeds: Sequence[int],
    warpers: Any,
    max_new_tokens: int,
    stop: frozenset[int],
) -> list[list[int]]:
    """Replies of one group; rows beyond the seeds repeat the last seed's and are thrown away."""
    generators = [torch.Generator().manual_seed(seed) for seed in seeds]
    rows: list[list[int]] = [[] for _ in seeds]
    ended = [False] * len(seeds)
    for _ in range(max_new_tokens):
        output = model(last, cache=cache, use_cache=True, logits_to_keep=1)
        cache = output.cache
        # On the CPU, where a seed means the same on every machine.
        scores = warpers(last, output.logits[: len(seeds), -1].float().cpu())
        probabilities = torch.softmax(scores, dim=-1)
        drawn = [
            int(torch.multinomial(row, 1, generator=generator))
            for row, generator in zip(probabilities, generators, strict=True)
        ]
        for index, token in enumerate(drawn):
            rows[index].append(token)
            ended[index] = ended[index] or token in stop
        if all(ended):
            break
        filled = drawn + [drawn[-1]] * (len(last) - len(drawn))
        last = torch.tensor(filled, device=last.device)[:, None]
    return rows
