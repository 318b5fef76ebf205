"""Keys and values of several replies at once, with room for the tokens to come."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicLayer


class RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]  # Transformers types little of it
    """A layer whose next tokens are written behind the others, where `DynamicLayer` copies all of them each time.

    What it gives the model is the same, number by number.

    Args:
        keys: of the tokens so far, shape (1 or rows, heads, tokens, dimensions); they are copied.
        values: likewise.
        rows: replies; with keys of one row each reply begins with them.
        room: tokens to come, at most.
    """

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, *, rows: int, room: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.lazy_initialization(keys, values)
        self._keys, self._values = (_widened(tensor, rows=rows, room=room) for tensor in (keys, values))
        self._show(keys.shape[-2])

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """All keys and values, those of the new tokens last.

        Raises:
            ValueError: there is no room for the new tokens.
        """
        begin = self.get_seq_length()
        end = begin + key_states.shape[-2]
        if end > self._keys.shape[-2]:
            raise ValueError(f"room for {self._keys.shape[-2]} tokens, got {end}")
        self._keys[..., begin:end, :] = key_states
        self._values[..., begin:end, :] = value_states
        return self._show(end)

    def _show(self, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
        self.keys, self.values = self._keys[..., :tokens, :], self._values[..., :tokens, :]
        return self.keys, self.values


def _widened(tensor: torch.Tensor, *, rows: int, room: int) -> torch.Tensor:
    _, heads, tokens, dimensions = tensor.shape
    whole = tensor.new_empty((rows, heads, tokens + room, dimensions))
    whole[..., :tokens, :] = tensor
    return whole


def repeated(cache: Any, *, rows: int, room: int) -> Any:
    """A cache in which each of some replies begins with the tokens of a cache of one row, which stays as it is.

    Layers that attend to all tokens before get room for the tokens to come; others, with a window or a running state,
    stay what they are.

    Args:
        cache: of Transformers.
        rows: replies.
        room: tokens that follow, at most.
    """
    return Cache(layers=[_repeated(layer, rows=rows, room=room) for layer in cache.layers])


def _repeated(layer: Any, *, rows: int, room: int) -> Any:
    if type(layer) is DynamicLayer and layer.keys is not None and layer.values is not None:
        return RoomyLayer(layer.keys, layer.values, rows=rows, room=room)
    copied = deepcopy(layer)
    copied.reorder_cache(torch.zeros(rows, dtype=torch.long))  # unlike batch_repeat_interleave, all layers have it
    return copied


def stacked(caches: Sequence[Sequence[tuple[torch.Tensor, torch.Tensor]]], *, room: int) -> Any:
    """One cache of several prompts, padded with zeros on the left to the longest, with room for more tokens.

    Args:
        caches: of each prompt and layer the keys and values, shape (1, heads, tokens, dimensions).
        room: tokens that follow, at most.
    """
    width = max(keys.shape[-2] for layers in caches for keys, _ in layers)

    def batch(tensors: list[torch.Tensor]) -> torch.Tensor:
        padded = [torch.nn.functional.pad(tensor, (0, 0, width - tensor.shape[-2], 0)) for tensor in tensors]
        return torch.cat(padded)

    return Cache(
        layers=[
            RoomyLayer(*(batch([part[kind] for part in layer]) for kind in (0, 1)), rows=len(caches), room=room)
            for layer in zip(*caches, strict=True)
        ]
    )


def selected(cache: Any, places: Sequence[int]) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Copies of the keys and values at these places, by layer, in the order of the places."""
    index = torch.tensor(places, device=cache.layers[0].keys.device)
    return [(layer.keys.index_select(-2, index), layer.values.index_select(-2, index)) for layer in cache.layers]
