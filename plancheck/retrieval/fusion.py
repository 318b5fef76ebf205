"""Reciprocal-rank fusion of rankings over the same atoms (Cormack, Clarke and Buettcher, SIGIR 2009)."""

from collections.abc import Sequence

from plancheck.retrieval.ranking import Ranking, by_score, ranks

K = 60  # as published; of a fusion that a policy gives by its weights alone


def reciprocal_rank(rankings: Sequence[Ranking], *, k: int, weights: Sequence[float] | None = None) -> Ranking:
    """Atoms by the sum of weight / (k + rank), best first; equal sums keep the earlier atom. See `fused_scores`."""
    return by_score(fused_scores(rankings, k=k, weights=weights))


def fused_scores(rankings: Sequence[Ranking], *, k: int, weights: Sequence[float] | None = None) -> list[float]:
    """The sum of weight / (k + rank) of each atom, by position, rounded to 12 decimals.

    Args:
        rankings: each a permutation of the same n atom positions, best first.
        k: added to every rank (ranks start at 1); larger flattens the fusion.
        weights: one a ranking; all 1 when None.

    Raises:
        ValueError: no ranking is given, the rankings do not cover the same atoms, or the weights are not one each.
    """
    if not rankings or any(sorted(ranking) != list(range(len(rankings[0]))) for ranking in rankings):
        raise ValueError("rankings must be permutations of the same atom positions")
    weights = weights if weights is not None else [1.0] * len(rankings)
    sums = [0.0] * len(rankings[0])
    for weight, ranking in zip(weights, rankings, strict=True):
        for position, rank in enumerate(ranks(ranking)):
            sums[position] += weight / (k + rank)
    # Sums of the same terms in another order differ in the last bits and would break ties at random.
    return [round(total, 12) for total in sums]
