"""What weakens a comparison without a word: the same text on both sides, scores that say nothing, too small budgets."""

from typing import Final

import pandas as pd

from plancheck.packing import LONGER_ATOM
from plancheck.page.cells import listed
from plancheck.page.ladder import TIER_LABELS
from plancheck.page.study import Study
from plancheck.reporting import ladder

RANKING_LABELS: Final = {
    "bm25": "BM25",
    "dense": "the dense ranking",
    "rerank": "the cross-encoder",
    "rerank_tuned": "the tuned cross-encoder",
}


def same_text(rows: pd.DataFrame) -> str:
    """Of one planner's rows of the ladder, the tiers whose deciding control showed some questions the same text."""
    ties, void = [], []
    for tier, own in rows.groupby("tier", sort=False):
        row = own.iloc[ladder.deciding(own["verdict"].tolist())]
        label = f"{TIER_LABELS.get(str(tier), str(tier)).lower()} ({row['control']})"
        if row["identical"] == row["questions"]:
            void.append(label)
        elif row["identical"]:
            ties.append(f"{row['identical']:,} of {row['ties']:,} ties with {label}")
    told = []
    if ties:
        told.append(f"Where both policies show a question the same text, they must tie. Such are {listed(ties)}.")
    if void:
        told.append(f"Against {listed(void)} both showed every question the same text: that comparison says nothing.")
    return " ".join(told)


def silent_rankings(study: Study) -> str:
    """The rankings that had several atoms to order and all scores equal, with the number of questions."""
    found = [
        f"{RANKING_LABELS.get(row['ranking'], row['ranking'])} in {count:,} of {row['questions']:,} questions"
        for row in study.table("rankings").to_dict("records")
        if (count := row["silent"] - row["one_atom"])
    ]
    if not found:
        return ""
    return (
        f"Where all scores of a ranking are equal, its order is that of position, and the control is weaker than its "
        f"name says: {listed(found)}."
    )


def small_budgets(study: Study, *budgets_chars: int) -> str:
    """Those of the budgets that are less than an atom of some question, and what follows."""
    table = study.table("texts")
    if table.empty:
        return ""
    rows = table[table["budget_chars"].isin(budgets_chars) & (table["longer_atoms"] > 0)].to_dict("records")
    if not rows:
        return ""
    longest = rows[0]["longest_atom_chars"]
    where = [f"{row['budget_chars']:,} (in {row['longer_atoms']:,} of {row['questions']:,} questions)" for row in rows]
    return (
        f"Budgets of less than one atom, which has up to {longest:,} characters: {listed(where)}. "
        f"{LONGER_ATOM[study.overflow]} (parameters pack.budgets_chars and atoms.*.window_chars)."
    )
