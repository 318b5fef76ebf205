"""Section on what tells the questions that a planner wins from those that it loses."""

from typing import Final

import pandas as pd

from plancheck.page import columns
from plancheck.page.cells import table_view
from plancheck.page.charts.mechanisms import wins_and_losses
from plancheck.page.study import Drawing, Figure, Section, Study

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
    lead = (
        "What tells the questions that the planner wins from those that it loses. Exploratory: many tests, few pairs."
    )
    return Section("mechanisms", "Mechanisms", lead, (mechanisms_figure(study),))


def mechanisms_figure(study: Study) -> Figure:
    figure, title = "wins-and-losses", "Measures over wins and over losses"
    table = study.table("mechanisms")
    if table.empty:
        return Figure(figure, title, absent="mechanisms.csv holds no row: no win or no loss to tell apart.")
    view = table_view("mechanisms.csv", table, columns.MECHANISMS, caption=title + ".")
    drawn = table[table["mean_wins"].notna() & table["mean_losses"].notna()]
    if drawn.empty:
        return Figure(figure, title, absent="No measure has both wins and losses to compare.", tables=(view,))
    drawings = []
    for place, measure in enumerate(dict.fromkeys(drawn["measure"])):
        rows = drawn[drawn["measure"] == measure]
        labels = [
            f"{'' if pd.isna(scorer) else f'{scorer}, '}{int(budget):,}"
            for scorer, budget in zip(rows["scorer"], rows["budget_chars"], strict=True)
        ]
        chart = wins_and_losses(rows.assign(label=labels), description=f"Mean {measure} over wins and over losses.")
        drawings.append(Drawing(f"mechanism-{place}", chart, MEASURES.get(measure, str(measure).replace("_", " "))))
    caption = (
        f"{mechanisms_arms(table)} Dots: mean over wins; crosses: over losses; a row a scorer and budget in "
        f"characters. {family_text(table, 1 - study.confidence)}"
    )
    return Figure(figure, title, caption, tuple(drawings), tables=(view,))


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
