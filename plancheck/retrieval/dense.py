"""Cosine similarity of a question and atoms, from unit vectors."""

from collections.abc import Sequence

import numpy as np

DECIMALS = 6  # encoders change in the last digits with batch and padding; rounding keeps ranks from following noise


def cosines(query: np.ndarray, vectors: np.ndarray, owners: Sequence[int], *, atoms: int) -> np.ndarray:
    """The cosine of each atom with the query, the best of its sub-windows, rounded to 6 decimals.

    Args:
        query: unit vector, shape (d,).
        vectors: unit vectors of the atoms' sub-windows, shape (m, d).
        owners: the atom position each vector belongs to, m values in 0..atoms-1.
        atoms: number of atoms n.

    Returns:
        Shape (n,), within [-1, 1].

    Raises:
        ValueError: an atom has no vector.
    """
    if set(owners) != set(range(atoms)):
        raise ValueError("every atom needs at least one vector")
    best = np.full(atoms, -np.inf)
    np.maximum.at(best, np.asarray(owners, dtype=np.int64), vectors.astype(np.float64) @ query.astype(np.float64))
    return np.clip(np.round(best, DECIMALS), -1.0, 1.0)
