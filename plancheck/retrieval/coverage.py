"""How much of the atoms a model of retrieval read."""

from collections.abc import Collection


def coverage(rule: str, truncated: Collection[bool]) -> dict[str, str | int | float]:
    """What reports/retrieve.json says of the encoder and reports/rerank.json of the cross-encoder.

    Args:
        rule: the ranking's ``coverage``.
        truncated: of each atom whether the model read only a part of it.

    Returns:
        The rule as ``coverage``, counts of ``atoms`` and of those ``truncated``, and ``truncated_share``, 0 to 1; 0
        without atoms.
    """
    atoms, partly = len(truncated), sum(truncated)
    return {
        "coverage": rule,
        "atoms": atoms,
        "truncated": partly,
        "truncated_share": partly / atoms if atoms else 0.0,
    }
