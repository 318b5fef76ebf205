"""Labelled pairs of query and atom, from plans that were rewarded, to fine-tune a cross-encoder on."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from plancheck.backends.tuning_pairs import Pair
from plancheck.planning.plans import Pool
from plancheck.retrieval.query import query_text


def plan_pairs(
    pools: Iterable[Pool], plans: Mapping[str, Sequence[str]], texts: Callable[[Pool], Sequence[str]]
) -> tuple[Pair, ...]:
    """Every candidate of each question's pool: wanted when the question's plan selects it.

    Args:
        pools: questions with their candidates.
        plans: atom IDs of a plan by question ID, for every question of ``pools``.
        texts: what the cross-encoder is given of each candidate of a pool.

    Returns:
        Pairs in the order of the questions and, within one, of the candidates.

    Raises:
        ValueError: a plan selects what is no candidate.
    """
    pairs: list[Pair] = []
    for pool in pools:
        wanted = set(plans[pool.question.question_id])
        if strange := wanted - {atom.atom_id for atom in pool.candidates}:
            raise ValueError(f"plan of {pool.question.question_id} selects {sorted(strange)}, no candidates")
        query = query_text(pool.question)
        pairs += [
            Pair(query, text, float(atom.atom_id in wanted))
            for atom, text in zip(pool.candidates, texts(pool), strict=True)
        ]
    return tuple(pairs)
