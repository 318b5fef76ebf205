"""Sampled replies whose every one depends on its own seed alone."""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopPLogitsWarper

from plancheck.backends.decoding import Ended, decode
from plancheck.backends.row_cache import repeated

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
    ended: Ended,
) -> list[list[int]]:
    """New tokens of a reply for each seed, in order; what follows a reply's end means nothing.

    The prompt's keys and values are computed once. A token is drawn from the smallest set of likeliest tokens whose
    probability at ``temperature`` reaches ``top_p``, by a generator of the reply's own seed.

    Args:
        model: a causal language model of Transformers, in evaluation mode.
        prompt: at least one token.
        seeds: below 2**63; equal seeds give equal replies.
        ended: whether a reply with these new tokens is complete.
    """
    if not seeds:
        return []
    read = model(torch.tensor([list(prompt)], device=model.device), use_cache=True, logits_to_keep=1)
    logits = read.logits[:, -1].float().repeat(WIDTH, 1)
    rows: list[list[int]] = []
    for start in range(0, len(seeds), WIDTH):
        group = seeds[start : start + WIDTH]
        filling = WIDTH - len(group)
        rows += decode(
            model,
            logits,
            repeated(read.cache, rows=WIDTH, room=max_new_tokens - 1),
            lengths=[len(prompt)] * WIDTH,
            pick=Draw([*group, *[group[0]] * filling], temperature=temperature, top_p=top_p),
            ended=[*[ended] * len(group), *[_at_once] * filling],
            max_new_tokens=max_new_tokens,
        )[: len(group)]
    return rows


def _at_once(tokens: list[int]) -> bool:
    return True


class Draw:
    """Draws the next token of each reply that is not over, by a generator of its own seed."""

    def __init__(self, seeds: Sequence[int], *, temperature: float, top_p: float) -> None:
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self._warpers = LogitsProcessorList([TemperatureLogitsWarper(temperature), TopPLogitsWarper(top_p)])

    def __call__(self, logits: torch.Tensor, over: Sequence[bool]) -> list[int]:
        going = [index for index, ended in enumerate(over) if not ended]
        # On the CPU, where a seed means the same on every machine.
        warped = self._warpers(torch.LongTensor(), logits[going].cpu())
        tokens = [0] * len(over)
        for index, row in zip(going, torch.softmax(warped, dim=-1), strict=True):
            tokens[index] = int(torch.multinomial(row, 1, generator=self._generators[index]))
        return tokens
