"""A causal model's reading of a token tree: every shared beginning is computed once."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

from plancheck.backends.token_tree import Pass, TokenTree, passes


@dataclass(frozen=True, slots=True)
class Read:
    """What a pass gave.

    Attributes:
        done: the pass.
        nodes: those of its nodes whose scores were wanted, in the order of the pass.
        logits: of the token after each of ``nodes``, float32, shape (n, vocabulary).
        cache: keys and values of the kept tokens and then of the pass; the next pass cuts it.
    """

    done: Pass
    nodes: list[int]
    logits: torch.Tensor
    cache: Any

    def prefix(self, node: int) -> list[int]:
        """The places in ``cache`` of a node of the pass and of all tokens before it, in their order."""
        place, places = self.done.nodes.index(node), []
        while place >= 0:
            places.append(self.done.kept + place)
            place = self.done.before[place]
        return [*range(self.done.kept), *reversed(places)]


def can_share(model: Any, *, longest: int) -> bool:
    """Whether the model's memory of a beginning can be cut back and read on from.

    It can where all layers attend to all tokens before. A layer with a window does so for sequences shorter than that;
    layers with a running state never do.

    Args:
        model: a causal language model of Transformers.
        longest: tokens of the longest sequence.
    """
    return all(
        type(layer) is DynamicLayer
        or (type(layer) is DynamicSlidingWindowLayer and longest < int(layer.sliding_window))
        for layer in DynamicCache(config=model.config).layers
    )


@torch.inference_mode()
def read(model: Any, tree: TokenTree, *, size: int, wanted: Collection[int]) -> Iterator[Read]:
    """Read the tree pass by pass.

    Args:
        model: a causal language model of Transformers, in evaluation mode, for which `can_share` holds; with a tree of
            one sequence and a size that takes it whole, any.
        tree: of at least one sequence.
        size: most tokens of a pass; memory is bounded by it and the longest sequence.
        wanted: nodes whose scores are needed.
    """
    needed, cache = frozenset(wanted), None
    for step in passes(tree, size=size):
        if cache is not None and (surplus := cache.get_seq_length() - step.kept):
            cache.crop(-surplus)
        places = [place for place, node in enumerate(step.nodes) if node in needed]
        output = model(
            torch.tensor([[tree.tokens[node] for node in step.nodes]], device=model.device),
            cache=cache,
            attention_mask=None if step.is_path else seen(step).to(model.device),
            position_ids=torch.tensor([[tree.depths[node] for node in step.nodes]], device=model.device),
            use_cache=True,
            logits_to_keep=torch.tensor(places or [len(step.nodes) - 1], device=model.device),
        )
        cache = output.cache
        yield Read(step, [step.nodes[place] for place in places], output.logits[0, : len(places)].float(), cache)


def seen(step: Pass) -> torch.Tensor:
    """What each node of a pass attends to: all kept tokens, the nodes before it on its path and itself.

    Returns:
        bool, shape (1, 1, n, kept + n).
    """
    mask = torch.zeros((len(step.nodes), step.kept + len(step.nodes)), dtype=torch.bool)
    mask[:, : step.kept] = True
    for place, before in enumerate(step.before):
        if before >= 0:
            mask[place] = mask[before]
        mask[place, step.kept + place] = True
    return mask[None, None]


@torch.inference_mode()
def log_likelihoods(
    model: Any, sequences: Sequence[Sequence[int]], ends: Sequence[Sequence[int]], *, size: int
) -> list[float]:
    """Mean log-probability a token of each end after its sequence; what these share is read once where it can be.

    Args:
        model: a causal language model of Transformers, in evaluation mode.
        sequences: beginnings, of at least one token each.
        ends: of at least one token each.
        size: most tokens of a pass, where beginnings can be shared.

    Returns:
        In the order given, each in (-inf, 0].
    """
    lengths = [len(sequence) + len(end) for sequence, end in zip(sequences, ends, strict=True)]
    if can_share(model, longest=max(lengths, default=0)):
        return _means(model, sequences, ends, size=size)
    each = zip(sequences, ends, lengths, strict=True)
    return [_means(model, [sequence], [end], size=length)[0] for sequence, end, length in each]


def _means(model: Any, sequences: Sequence[Sequence[int]], ends: Sequence[Sequence[int]], *, size: int) -> list[float]:
    # The last token of an end predicts nothing that is asked for.
    tree = TokenTree([[*sequence, *end[:-1]] for sequence, end in zip(sequences, ends, strict=True)])
    asked = [
        list(zip(path[len(sequence) - 1 :], end, strict=True))
        for path, sequence, end in zip(tree.paths, sequences, ends, strict=True)
    ]
    following: dict[int, set[int]] = {}
    for node, token in (pair for pairs in asked for pair in pairs):
        following.setdefault(node, set()).add(token)
    found: dict[tuple[int, int], float] = {}
    for part in read(model, tree, size=size, wanted=following):
        totals = part.logits.logsumexp(dim=-1)
        pairs = [(row, token) for row, node in enumerate(part.nodes) for token in following[node]]
        rows = torch.tensor([row for row, _ in pairs], device=totals.device, dtype=torch.long)
        tokens = torch.tensor([token for _, token in pairs], device=totals.device, dtype=torch.long)
        values = (part.logits[rows, tokens] - totals[rows]).double().tolist()
        found.update({(part.nodes[row], token): value for (row, token), value in zip(pairs, values, strict=True)})
    return [sum(found[pair] for pair in pairs) / len(pairs) for pairs in asked]
