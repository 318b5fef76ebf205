"""What weakens a comparison without a word: the same text on both sides, scores that say nothing, text left unread."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from plancheck.packing import LONGER_ATOM
from plancheck.page.cells import listed, percentage
from plancheck.page.ladder import tier_label
from plancheck.page.study import Study
from plancheck.reporting import ladder


def same_text(rows: pd.DataFrame) -> str:
    """Of one planner's rows of the ladder, the tiers whose deciding control showed some questions the same text."""
    ties, void = [], []
    for tier, own in rows.groupby("tier", sort=False):
        row = own.iloc[ladder.deciding(own["verdict"].tolist())]
        label = f"{tier_label(str(tier)).lower()} ({row['control']})"
        if row["identical"] == row["questions"]:
            void.append(label)
        elif row["identical"]:
            ties.append(f"{row['identical']:,} of {row['ties']:,} ties with {label}")
    told = []
    if ties:
        told.append(f"Two policies that show a question the same text must tie. That explains {listed(ties)}.")
    if void:
        told.append(f"Against {listed(void)} both showed every question the same text: that comparison says nothing.")
    return " ".join(told)


def silent_rankings(study: Study) -> str:
    """The rankings that had several atoms to order and all scores equal, with the number of questions."""
    found = [
        f"{row['ranking']} in {count:,} of {row['questions']:,} questions"
        for row in study.table("rankings").to_dict("records")
        if (count := row["silent"] - row["one_atom"])
    ]
    if not found:
        return ""
    return (
        f"Where all scores of a ranking are equal, its order is that of position, and the control is weaker than its "
        f"name says: {listed(found)}."
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """How much a ranking's model read: ``facts`` as in reports/retrieve.json, of ``texts`` (atoms or candidates)."""

    ranking: str
    reader: str
    texts: str
    facts: Mapping[str, Any]

    @property
    def parameter(self) -> str:
        """What decides it."""
        return f"rankings.{self.ranking}.coverage"


def readings(study: Study) -> list[Reading]:
    """What is known of how much encoders and cross-encoders read, by ranking as reported."""
    dense = study.facts.get("retrieve", {})
    return [
        *(
            Reading(name, f"the encoder of {name}", "atoms", facts)
            for name, facts in dense.items()
            if facts["kind"] == "dense"
        ),
        *(
            Reading(name, f"the cross-encoder of {name}", "candidates", facts)
            for name, facts in study.facts.get("rerank", {}).items()
        ),
    ]


def read_in_part(study: Study) -> str:
    """The rankings whose model read only the beginning of some atoms, and of how many; what can be done about it."""
    heads = [own for own in readings(study) if own.facts["coverage"] == "head" and own.facts["truncated"]]
    if not heads:
        return ""
    told = [
        f"{own.reader} read only the beginning of {percentage(own.facts['truncated_share'])} of its {own.texts}"
        for own in heads
    ]
    remedies = listed([own.parameter for own in heads])
    text = f"{listed(told)}. Evidence further back in an atom cannot raise its rank (parameters: {remedies})."
    return text[0].upper() + text[1:]


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
    cut_by = "atoms.path" if "uncovered" in study.facts.get("atoms", {}) else "atoms.*.window_chars"
    return (
        f"Budgets of less than one atom, which has up to {longest:,} characters: {listed(where)}. "
        f"{LONGER_ATOM[study.overflow]} (parameters pack.budgets_chars and {cut_by})."
    )
