"""Seeds by name."""

import hashlib


def seed_of(seed: int, *parts: str | int) -> int:
    """A seed below 2**63 for one thing, the same in every process and on every machine."""
    named = "\n".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big") >> 1
