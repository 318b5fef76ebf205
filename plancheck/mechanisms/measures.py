"""Every measure of one question at one budget, from which wins are told from losses."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from plancheck.mechanisms.choices import displacement, displacement_from_control, mean_rank, overlap
from plancheck.records import SCORERS, Atom
from plancheck.statistics.flatness import flatness

NO_SCORER: Final = ""
RERANKER: Final = "rerank"
OVERLAPPED: Final = ("bm25", RERANKER)  # as published; SCORERS that a plan is set against
Measure = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Scored:
    """What a scorer says of a question: ranks of atoms (1 = best) and the scores of the candidate pool.

    The reranker ranks the pool alone, the others every atom.
    """

    ranks: Mapping[str, int]
    pool_scores: Sequence[float]

    def first(self, count: int) -> list[str]:
        """The first ``count`` atom IDs, best first; fewer where fewer are ranked."""
        return sorted(self.ranks, key=self.ranks.__getitem__)[:count]


@dataclass(frozen=True, slots=True)
class Case:
    """A question at a budget.

    Attributes:
        selected: atoms that the plan names, or spans in their form; none where it failed.
        atoms: of the context, by ID.
        shown: atom IDs in the treatment's packed context.
        shown_by_control: atom IDs in the control's.
        scorers: by name, each of SCORERS.
        evidence_recall: of the treatment's packed context, 0 to 1; None where the evidence is unknown.
    """

    selected: Sequence[Atom]
    atoms: Mapping[str, Atom]
    shown: Sequence[str]
    shown_by_control: Sequence[str]
    scorers: Mapping[str, Scored]
    evidence_recall: float | None


def measures(case: Case, *, top: int) -> dict[Measure, float | None]:
    """By (measure, scorer or ""), the family's every member, always the same and in this order; None where undefined.

    - jaccard: of the selected atoms and the first ``top`` of BM25 over all atoms, and of the reranker over its pool;
      of characters where the plan names spans; undefined for a failed plan.
    - displacement: how many of the reranker's first ``top`` the packed context does not show.
    - displacement_from_control: the share of them that the control shows and the packed context does not.
    - evidence_recall: of the packed context.
    - mean_rank: of the selected atoms, by each scorer; undefined for a failed plan.
    - normalised_entropy, top_gap, gini, variation: of the pool's scores, by each scorer.

    The published family has 92 members, which the paper does not list; this one is ours.
    """
    chosen = case.scorers[RERANKER].first(top)
    found: dict[Measure, float | None] = {
        ("jaccard", scorer): overlap(case.selected, [case.atoms[one] for one in case.scorers[scorer].first(top)])
        if case.selected
        else None
        for scorer in OVERLAPPED
    }
    found["displacement", RERANKER] = displacement(chosen, case.shown)
    found["displacement_from_control", RERANKER] = displacement_from_control(chosen, case.shown, case.shown_by_control)
    found["evidence_recall", NO_SCORER] = case.evidence_recall
    for scorer in SCORERS:
        found["mean_rank", scorer] = mean_rank([item.atom_id for item in case.selected], case.scorers[scorer].ranks)
    for scorer in SCORERS:
        for name, value in asdict(flatness(case.scorers[scorer].pool_scores)).items():
            found[name, scorer] = value
    return found
