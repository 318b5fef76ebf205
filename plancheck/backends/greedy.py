"""Likeliest replies of a causal model to several prompts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from plancheck.backends.decoding import Ended, decode
from plancheck.backends.row_cache import repeated, selected, stacked
from plancheck.backends.token_tree import TokenTree
from plancheck.backends.tree_reading import can_share, read


@dataclass(frozen=True, slots=True)
class Greedy:
    """A reply.

    Attributes:
        tokens: the new ones, the one that ends the reply included.
        letters: log-probabilities of the letters as each of ``tokens``.
        lead: by how much, at the closest, a token was likelier than the next likely one, in log-probability.
    """

    tokens: list[int]
    letters: list[list[float]]
    lead: float


@torch.inference_mode()
def greedy(
    model: Any,
    prompts: Sequence[Sequence[int]],
    *,
    letters: Sequence[Sequence[int]],
    ended: Sequence[Ended],
    max_new_tokens: int,
    pass_tokens: int,
    batch_size: int,
) -> list[Greedy]:
    """The greedy reply to each prompt, in order; the prompts' shared beginnings are computed once where they can be.

    Args:
        model: a causal language model of Transformers, in evaluation mode.
        prompts: of at least one token each.
        letters: the tokens of each letter whose weight is noted; they are added up.
        ended: for each prompt whether a reply to it is complete.
        max_new_tokens: at least 1.
        pass_tokens: most tokens of the prompts read at once.
        batch_size: replies decoded at once.
    """
    settings: Any = {"letters": letters, "max_new_tokens": max_new_tokens}
    if not can_share(model, longest=max(map(len, prompts), default=0) + max_new_tokens):
        return [_alone(model, prompt, ended=[end], **settings) for prompt, end in zip(prompts, ended, strict=True)]
    found: dict[int, Greedy] = {}
    for group in _groups(_begun(model, prompts, pass_tokens), batch_size):
        cache = stacked([begun.cache for begun in group], room=max_new_tokens - 1)
        logits = torch.stack([begun.logits for begun in group])
        lengths = [len(prompts[begun.index]) for begun in group]
        ends = [ended[begun.index] for begun in group]
        replies = _replies(model, logits, cache, lengths, ended=ends, **settings)
        found.update({begun.index: reply for begun, reply in zip(group, replies, strict=True)})
    return [found[index] for index in range(len(prompts))]


@dataclass(frozen=True, slots=True)
class _Begun:
    """A prompt that was read: its keys and values by layer, and the scores of the first token of its reply."""

    index: int
    cache: list[tuple[torch.Tensor, torch.Tensor]]
    logits: torch.Tensor


def _begun(model: Any, prompts: Sequence[Sequence[int]], pass_tokens: int) -> Iterator[_Begun]:
    tree = TokenTree(prompts)
    owners: dict[int, list[int]] = {}
    for index, path in enumerate(tree.paths):
        owners.setdefault(path[-1], []).append(index)
    for part in read(model, tree, size=pass_tokens, wanted=owners):
        for row, node in enumerate(part.nodes):
            cache = selected(part.cache, part.prefix(node))
            for index in owners[node]:
                yield _Begun(index, cache, part.logits[row])


def _groups(items: Iterator[_Begun], size: int) -> Iterator[list[_Begun]]:
    group: list[_Begun] = []
    for item in items:
        group.append(item)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _alone(model: Any, prompt: Sequence[int], *, max_new_tokens: int, **settings: Any) -> Greedy:
    output = model(torch.tensor([list(prompt)], device=model.device), use_cache=True, logits_to_keep=1)
    logits, cache = output.logits[:, -1].float(), repeated(output.cache, rows=1, room=max_new_tokens - 1)
    return _replies(model, logits, cache, [len(prompt)], max_new_tokens=max_new_tokens, **settings)[0]


def _replies(
    model: Any,
    logits: torch.Tensor,
    cache: Any,
    lengths: Sequence[int],
    *,
    letters: Sequence[Sequence[int]],
    ended: Sequence[Ended],
    max_new_tokens: int,
) -> list[Greedy]:
    pick = Likeliest(letters)
    rows = decode(model, logits, cache, lengths=lengths, pick=pick, ended=ended, max_new_tokens=max_new_tokens)
    replies = []
    for index, row in enumerate(rows):
        count = next((end for end in range(1, len(row)) if ended[index](row[:end])), len(row))
        replies.append(
            Greedy(
                row[:count],
                [step[index] for step in pick.letters[:count]],
                min(step[index] for step in pick.leads[:count]),
            )
        )
    return replies


class Likeliest:
    """Picks the likeliest token (ties: the lower ID); notes the letters' weights and the lead at each step."""

    def __init__(self, letter_ids: Sequence[Sequence[int]]) -> None:
        self._letter_ids = [list(ids) for ids in letter_ids]
        self.letters: list[list[list[float]]] = []
        self.leads: list[list[float]] = []

    def __call__(self, logits: torch.Tensor, over: Sequence[bool]) -> list[int]:
        best = logits.topk(2, dim=-1).values
        self.leads.append((best[:, 0] - best[:, 1]).tolist())
        totals = logits.logsumexp(dim=-1)
        weights = [logits[:, ids].logsumexp(dim=-1) - totals for ids in self._letter_ids]
        self.letters.append(torch.stack(weights, dim=1).double().tolist() if weights else [[]] * len(logits))
        return [int(token) for token in logits.argmax(dim=-1)]
