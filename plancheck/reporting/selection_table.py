"""What each selector selects: how often its plans parse, how large they are, and how much evidence they hold."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import pandas as pd
from rich.console import Console
from rich.table import Table

from plancheck.mechanisms.choices import jaccard
from plancheck.packing import evidence_recall, uncovered
from plancheck.records import SPLITS, Atom, Piece, Question
from plancheck.reporting.reading import read_report
from plancheck.reporting.results import ALL
from plancheck.statistics.proportions import wilson

COLUMNS = (
    "selector",
    "split",
    "questions",
    "parsed",
    "parse_rate",
    "wilson_low",
    "wilson_high",
    "mean_atoms",
    "evidence_questions",
    "evidence_recall",
    "evidence_precision",
    "jaccard_sft",
)
Plans = Mapping[str, Sequence[Atom]]


def selection_table(
    plans: Mapping[str, Plans],
    questions: Mapping[str, Question],
    splits: Mapping[str, Sequence[str]],
    *,
    confidence: float,
) -> pd.DataFrame:
    """One row a selector and split ("all", then each split), selectors in the order given.

    Args:
        plans: by selector, the atoms selected for each question; none where the plan failed.
        questions: by ID.
        splits: question IDs by split; one without questions has no row.
        confidence: of the Wilson intervals of the parse rate.

    Returns:
        COLUMNS. ``parsed`` counts plans that did not fail. ``mean_atoms`` is over those. ``evidence_recall`` is the
        mean share of a question's evidence spans wholly inside the union of its selected atoms, 0 for a failed plan,
        over the ``evidence_questions`` whose evidence is known. ``evidence_precision`` is the mean share of selected
        atoms that hold an evidence span whole, over those of them whose plan did not fail. ``jaccard_sft`` is the
        mean Jaccard index with the atoms that ``sft`` selected; two failed plans agree wholly. A mean over no
        question is empty.

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
            other = None if selector == "sft" else plans.get("sft")
            found.append((selector, split, *measures(chosen, questions, other, confidence=confidence)))
    return pd.DataFrame(found, columns=list(COLUMNS))


def measures(
    plans: Plans, questions: Mapping[str, Question], other: Plans | None, *, confidence: float
) -> tuple[float | None, ...]:
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
    return (
        len(plans),
        len(made),
        len(made) / len(plans),
        interval.low,
        interval.high,
        mean([len(atoms) for atoms in made]),
        len(recalls),
        mean([recall for recall in recalls if recall is not None]),
        mean(precisions),
        None if other is None else mean([jaccard(atoms, other[question]) for question, atoms in plans.items()]),
    )


def mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def show(path: Path, *, console: Console) -> None:
    """Print the table from its CSV: a row a selector, all questions and the test split side by side."""
    table = read_report(path, COLUMNS)
    if table.empty:
        return
    view = Table(title="What the selectors select: all questions | test split", title_justify="left")
    for name in ("selector", "plans parsed", "atoms a plan", "evidence recall", "precision", "overlap with sft"):
        view.add_column(name, justify="left" if name == "selector" else "right")
    for selector in dict.fromkeys(table["selector"]):
        rows = [table[(table["selector"] == selector) & (table["split"] == split)].iloc[0] for split in (ALL, "test")]
        columns = [
            ("parse_rate", ".0%"),
            ("mean_atoms", ".1f"),
            ("evidence_recall", ".0%"),
            ("evidence_precision", ".0%"),
            ("jaccard_sft", ".2f"),
        ]
        cells = [
            " | ".join(format(row[column], style) if pd.notna(row[column]) else "-" for row in rows)
            for column, style in columns
        ]
        view.add_row(str(selector), *cells)
    console.print(view)
