"""Every measure of one question at one budget, from which wins are told from losses."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from plancheck.mechanisms.choices import displacement, jaccard, mean_rank
from plancheck.records import SCORERS
from plancheck.statistics.flatness import flatness

NO_SCORER: Final = ""
Measure = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Scored:
    """What a scorer says of a question: ranks of atoms (1 = best) and the scores of the candidate pool."""

    ranks: Mapping[str, int]
    pool_scores: Sequence[float]


@dataclass(frozen=True, slots=True)
class Case:
    """A question at a budget.

    Attributes:
        selected: atom IDs that the plan names; none where it failed.
        reranked: atom IDs of the pool in the reranker's order.
        shown: atom IDs in the treatment's packed context.
        shown_by_control: atom IDs in the control's.
        scorers: by name, each of SCORERS.
        evidence_recall: of the treatment's packed context, 0 to 1; None where the evidence is unknown.
    """

    selected: Sequence[str]
    reranked: Sequence[str]
    shown: Sequence[str]
    shown_by_control: Sequence[str]
    scorers: Mapping[str, Scored]
    evidence_recall: float | None


def measures(case: Case, *, top: int) -> dict[Measure, float | None]:
    """By (measure, scorer or ""), the family's every member, always the same and in this order; None where undefined.

    - jaccard: of the selected atoms and the reranker's first ``top``; undefined for a failed plan.
    - displacement: of the reranker's first ``top`` from the packed context.
    - evidence_recall: of the packed context.
    - mean_rank: of the selected atoms, by each scorer; undefined for a failed plan.
    - normalised_entropy, top_gap, gini, variation: of the pool's scores, by each scorer.
    """
    chosen = case.reranked[:top]
    found: dict[Measure, float | None] = {
        ("jaccard", "rerank"): jaccard(case.selected, chosen) if case.selected else None,
        ("displacement", "rerank"): displacement(chosen, case.shown, case.shown_by_control),
        ("evidence_recall", NO_SCORER): case.evidence_recall,
    }
    for scorer in SCORERS:
        found["mean_rank", scorer] = mean_rank(case.selected, case.scorers[scorer].ranks)
    for scorer in SCORERS:
        for name, value in asdict(flatness(case.scorers[scorer].pool_scores)).items():
            found[name, scorer] = value
    return found
