"""Rankings that are made of others, or of nothing that is read: fusions, random orders, positions."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plancheck.params.rankings import Fusion, Position, Random
from plancheck.records import Atom
from plancheck.retrieval.fusion import fused_scores
from plancheck.retrieval.ranking import Ranking, by_score


@dataclass(frozen=True, slots=True)
class Ranked:
    """A question's n atoms: their positions best first, and by position the scores that put them so, None without."""

    ranking: Ranking
    scores: Sequence[float | None] | None = None


def derived(
    spec: Fusion | Random | Position, known: Mapping[str, Ranking], atoms: Sequence[Atom], *, question_id: str
) -> Ranked:
    """The ranking of a question's atoms that needs neither their texts nor a model.

    Args:
        spec: as declared.
        known: rankings of the atoms; those that a fusion is made of must be there.
        atoms: of the question's context, by position.
        question_id: what a random order is drawn for.
    """
    match spec:
        case Fusion():
            parts = [known[name] for name in spec.weights]
            scores = fused_scores(parts, k=spec.k, weights=list(spec.weights.values()))
            return Ranked(by_score(scores), scores)
        case Random():
            keys = [random_key(spec.seed, question_id, atom) for atom in atoms]
            return Ranked(tuple(sorted(range(len(atoms)), key=keys.__getitem__)))
        case Position():
            return Ranked(tuple(range(len(atoms))))


def random_key(seed: int, question_id: str, atom: Atom) -> str:
    return hashlib.sha256(f"{seed}:{question_id}:{atom.atom_id}".encode()).hexdigest()


def pool_first(pool: Sequence[int], rest: Ranking) -> Ranking:
    """The positions of the pool in their order, then the others as ``rest`` ranks them."""
    taken = set(pool)
    return (*pool, *(position for position in rest if position not in taken))
