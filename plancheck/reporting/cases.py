"""What is known of each question before wins are told from losses: the plan, what was shown, what the scorers say."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from plancheck.mechanisms.measures import Case, Scored
from plancheck.params.rankings import Ranking
from plancheck.records import Atom
from plancheck.reporting.results import records

Shown = dict[tuple[str, int], dict[str, list[str]]]


def cases(
    plans: Mapping[str, Sequence[Atom]],
    packed: pd.DataFrame,
    scorers: Mapping[str, Mapping[str, Scored]],
    atoms: Mapping[str, Mapping[str, Atom]],
    *,
    treatment: str,
    control: str,
    budget_chars: int,
) -> dict[str, Case]:
    """The case of each question at a budget.

    Args:
        plans: the atoms that the treatment's selector names, by question.
        packed: columns question_id, policy, budget_chars, atom_ids, evidence_recall.
        scorers: by question and scorer.
        atoms: of each question's context, by question and ID.
    """
    theirs = shown_atoms(packed)[control, budget_chars]
    own = packed[(packed["policy"] == treatment) & (packed["budget_chars"] == budget_chars)]
    return {
        row["question_id"]: Case(
            selected=plans[row["question_id"]],
            atoms=atoms[row["question_id"]],
            shown=list(row["atom_ids"]),
            shown_by_control=theirs[row["question_id"]],
            scorers=scorers[row["question_id"]],
            evidence_recall=known(row["evidence_recall"]),
        )
        for row in records(own)
    }


def known(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)


def scored_atoms(
    rankings: pd.DataFrame, candidates: pd.DataFrame, scorers: Mapping[str, Ranking]
) -> dict[str, dict[str, Scored]]:
    """What each scorer says, by question and scorer as given.

    Args:
        rankings: columns question_id, ranking, atom_id, score, rank.
        candidates: columns question_id, atom_id.
        scorers: by name, as declared.
    """
    pools = {name: set(ids) for name, ids in candidates.groupby("question_id")["atom_id"]}
    by_name = dict(iter(rankings.groupby("ranking")))
    found: dict[str, dict[str, Scored]] = defaultdict(dict)
    for scorer, spec in scorers.items():
        for question_id, rows in by_name[scorer].groupby("question_id"):
            ranks = dict(zip(rows["atom_id"], rows["rank"].astype(int), strict=True))
            pool = rows[rows["atom_id"].isin(pools[question_id])]
            found[str(question_id)][scorer] = Scored(spec.kind, ranks, pool["score"].tolist())
    return found


def shown_atoms(packed: pd.DataFrame) -> Shown:
    """The atom IDs of every packed context in the order shown, by policy and budget, then by question."""
    shown: Shown = defaultdict(dict)
    for row in records(packed[["question_id", "policy", "budget_chars", "atom_ids"]]):
        shown[row["policy"], row["budget_chars"]][row["question_id"]] = list(row["atom_ids"])
    return shown
