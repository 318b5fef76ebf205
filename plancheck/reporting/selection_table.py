"""What each selector selects: how often its plans parse, how large they are, and how much evidence they hold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final

import pandas as pd
from rich.console import Console
from rich.table import Table as Grid

from plancheck.mechanisms.choices import overlap
from plancheck.packing import evidence_recall, uncovered
from plancheck.records import SPLITS, Atom, Piece, Question
from plancheck.reporting.columns import QUESTIONS, RECALL, SELECTOR, SPLIT
from plancheck.reporting.reading import read_report
from plancheck.reporting.results import ALL
from plancheck.reporting.rounding import rounded
from plancheck.reporting.table import Column, Table
from plancheck.statistics.proportions import wilson

SELECTION: Final = Table(
    name="selection",
    title="What the selectors select",
    notes="By split: plans that parse with their Wilson interval, atoms a plan, evidence recall and precision, and "
    "mean Jaccard index with the selector of the planner that is judged.",
    empty="this study has no planner",
    columns=(
        SELECTOR,
        SPLIT,
        QUESTIONS,
        Column("parsed", kind="count"),
        Column("parse_rate", "Plans parsed, % [Wilson]", "percent", interval=("wilson_low", "wilson_high")),
        Column("mean_atoms", "Atoms a plan", "number"),
        Column("evidence_questions", "Evidence known", "count"),
        RECALL,
        Column("evidence_precision", "Evidence precision, %", "percent"),
        Column("jaccard", "Jaccard with the judged planner's", "number"),
    ),
)
PRINTED: Final = ("parse_rate", "mean_atoms", "evidence_recall", "evidence_precision", "jaccard")
Plans = Mapping[str, Sequence[Atom]]


def selection_table(
    plans: Mapping[str, Plans],
    questions: Mapping[str, Question],
    splits: Mapping[str, Sequence[str]],
    *,
    judged: str | None,
    confidence: float,
) -> pd.DataFrame:
    """One row a selector and split ("all", then each split), selectors in the order given.

    Args:
        plans: by selector, the atoms selected for each question; none where the plan failed.
        questions: by ID.
        splits: question IDs by split; one without questions has no row.
        judged: the selector that the others are compared with, if any.
        confidence: of the Wilson intervals of the parse rate.

    Returns:
        SELECTION. ``parsed`` counts plans that did not fail. ``mean_atoms`` is over those. ``evidence_recall`` is the
        mean share of a question's evidence spans wholly inside the union of its selected atoms, 0 for a failed plan,
        over the ``evidence_questions`` whose evidence is known. ``evidence_precision`` is the mean share of selected
        atoms that hold an evidence span whole, over those of them whose plan did not fail. ``jaccard`` is the
        mean Jaccard index with the atoms that ``judged`` selected, empty for itself; two failed plans agree wholly. A
        mean over no question is empty.

    Raises:
        ValueError: a selector lacks a question's plan.
    """
    everyone = [question_id for split in SPLITS for question_id in splits[split]]
    found = []
    for selector, selected in plans.items():
        if lacking := set(everyone) - set(selected):
            raise ValueError(f"{selector}: no plan for {len(lacking)} question(s), such as {min(lacking)}")
        for split, ids in ((ALL, everyone), *((split, splits[split]) for split in SPLITS if splits[split])):
            chosen = {question_id: selected[question_id] for question_id in ids}
            other = None if judged in (None, selector) else plans.get(str(judged))
            known = {"selector": selector, "split": split}
            found.append(known | measures(chosen, questions, other, confidence=confidence))
    return SELECTION.frame(found)


def measures(
    plans: Plans, questions: Mapping[str, Question], other: Plans | None, *, confidence: float
) -> dict[str, float | None]:
    """The columns after selector and split."""
    made = [atoms for atoms in plans.values() if atoms]
    interval = wilson(len(made), len(plans), confidence=confidence)
    recalls, precisions = [], []
    for question_id, atoms in plans.items():
        evidence = questions[question_id].evidence
        if not evidence:
            continue
        pieces = [Piece(atom.atom_id, atom.start, atom.end) for atom in atoms]
        recalls.append(evidence_recall(evidence, pieces))
        if pieces:
            precisions.append(fmean(any(not uncovered(span, [piece]) for span in evidence) for piece in pieces))
    return {
        "questions": len(plans),
        "parsed": len(made),
        "parse_rate": len(made) / len(plans),
        "wilson_low": interval.low,
        "wilson_high": interval.high,
        "mean_atoms": mean([len(atoms) for atoms in made]),
        "evidence_questions": len(recalls),
        "evidence_recall": mean([recall for recall in recalls if recall is not None]),
        "evidence_precision": mean(precisions),
        "jaccard": None if other is None else mean([overlap(atoms, other[i]) for i, atoms in plans.items()]),
    }


def mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def show(path: Path, *, console: Console) -> None:
    """Print the table from its CSV: a row a selector, all questions and the test split side by side."""
    table = read_report(path, SELECTION)
    if table.empty:
        return
    view = Grid(title="What the selectors select: all questions | test split", title_justify="left")
    shown = [column for column in SELECTION.shown if column.name in PRINTED]
    view.add_column(SELECTOR.header)
    for column in shown:
        view.add_column(column.header.partition(" [")[0], justify="right")
    for selector in dict.fromkeys(table["selector"]):
        rows = [table[(table["selector"] == selector) & (table["split"] == split)].iloc[0] for split in (ALL, "test")]
        cells = [" | ".join(rounded(row[column.name], column.kind) or "-" for row in rows) for column in shown]
        view.add_row(str(selector), *cells)
    console.print(view)
