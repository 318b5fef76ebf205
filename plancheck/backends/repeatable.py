"""Training that gives the same bytes each time on one machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def repeatable(seed: int, *, threads: int) -> Iterator[None]:
    """Fixed threads and torch's random state for the block; both are put back after it.

    Args:
        seed: of torch's generator on the CPU.
        threads: sums over another number of threads differ in the last digits, and training magnifies them.
    """
    before, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    deterministic: Any = torch.utils.deterministic
    filled = deterministic.fill_uninitialized_memory
    torch.set_num_threads(threads)
    deterministic.fill_uninitialized_memory = False  # finds faults of torch, at the price of time
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(before)
        torch.use_deterministic_algorithms(strict)
        deterministic.fill_uninitialized_memory = filled
