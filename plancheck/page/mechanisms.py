"""Section on what tells the questions that a planner wins from those that it loses."""

from typing import Final

import pandas as pd

from plancheck.page.charts.mechanisms import wins_and_losses
from plancheck.page.study import Picture, Section, Study, figure
from plancheck.reporting.mechanisms_table import MECHANISMS

MEASURES: Final = {
    "jaccard": "Overlap of the plan and a ranking's first atoms (Jaccard)",
    "displacement": "How many of the reranker's first atoms are not shown",
    "displacement_from_control": "Share of these that the control shows, the planner not",
    "evidence_recall": "Evidence recall",
    "mean_rank": "Mean rank of the selected atoms",
    "normalised_entropy": "Normalised entropy of the pool's scores",
    "top_gap": "Gap between the two best scores",
    "gini": "Gini index of the pool's scores",
    "variation": "Coefficient of variation of the pool's scores",
}


def mechanisms_section(study: Study) -> Section:
    table = study.table("mechanisms")
    treatment = study.planner if table.empty else table["treatment"].iloc[0]
    lead = (
        f"What tells the questions that {treatment} wins from those that it loses. Exploratory: many tests, few pairs."
    )
    return Section("mechanisms", "Mechanisms", lead, (figure(study, MECHANISMS, mechanisms_picture),))


def mechanisms_picture(study: Study, table: pd.DataFrame) -> Picture:
    drawn = table[table["mean_wins"].notna() & table["mean_losses"].notna()]
    if drawn.empty:
        return Picture(absent="No measure has both wins and losses to compare.")
    charts = {}
    for measure in dict.fromkeys(drawn["measure"]):
        rows = drawn[drawn["measure"] == measure]
        labels = [
            f"{'' if pd.isna(scorer) else f'{scorer}, '}{int(budget):,}"
            for scorer, budget in zip(rows["scorer"], rows["budget_chars"], strict=True)
        ]
        heading = MEASURES.get(measure, str(measure).replace("_", " "))
        described = f"Mean {measure} over wins and over losses."
        charts[heading] = wins_and_losses(rows.assign(label=labels), description=described)
    caption = (
        f"{mechanisms_arms(table)} Dots: mean over wins; crosses: over losses; a row a scorer and budget in "
        f"characters. {family_text(table, 1 - study.confidence)}"
    )
    return Picture(caption, charts)


def mechanisms_arms(table: pd.DataFrame) -> str:
    """Who is compared at each budget, and from how many the control was picked."""
    treatment, candidates = table["treatment"].iloc[0], int(table["candidates"].iloc[0])
    controls = table.drop_duplicates("budget_chars")
    if candidates == 1:
        return f"{treatment} against {controls['control'].iloc[0]}."
    against = " and ".join(
        f"{control} at {budget:,} characters"
        for control, budget in zip(controls["control"], controls["budget_chars"], strict=True)
    )
    return f"{treatment} against {against}, the best of {candidates:,} controls on the same questions."


def family_text(table: pd.DataFrame, alpha: float) -> str:
    """The family's size, how many of it are tested, and how many hold at the level ``alpha``."""
    budgets, members = table["budget_chars"].nunique(), len(table)
    tests, found = int(table["p_adjusted"].notna().sum()), int((table["p_adjusted"] <= alpha).sum())
    return (
        f"Size of the family: {members // budgets:,} (measures and their scorers) x {budgets:,} (budgets) = "
        f"{members:,}. Of {tests:,} tests with enough wins and losses, {found:,} hold at {alpha:.2g} after "
        "Benjamini-Hochberg adjustment."
    )
