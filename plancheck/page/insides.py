"""Sections on what happens inside: packed contexts, evidence and training."""

from typing import Final

import pandas as pd

from plancheck.page.cells import percentage, table_view
from plancheck.page.charts.contents import composition, recall, selected
from plancheck.page.charts.training import loss_curve
from plancheck.page.study import Drawing, Figure, Picture, Section, Study, figure, questions_of
from plancheck.reporting.composition_table import COMPOSITION
from plancheck.reporting.main_table import MAIN
from plancheck.reporting.results import ALL
from plancheck.reporting.selection_table import SELECTION
from plancheck.reporting.table import Column, Table

EVIDENCE: Final = MAIN.only(
    ("policy", "budget_chars", "questions", "accuracy", "evidence_recall"),
    "Accuracy against the evidence shown, all questions",
)
LOSS: Final = Table(
    name="train_loss",
    title="Training loss of the planner",
    notes="Mean loss of the supervised tokens.",
    empty="no planner was trained",
    columns=(Column("step", "Optimiser step", "count"), Column("loss", "Loss, nats", "number")),
)


def composition_section(study: Study) -> Section:
    lead = "How much of what the answer model reads was selected by a planner, and how much retrieval filled in."
    return Section(
        "composition", "Packed contexts", lead, (figure(study, COMPOSITION, composition_picture, largest=True),)
    )


def composition_picture(study: Study, table: pd.DataFrame) -> Picture:
    rows = table[table["mean_share"].notna()]
    if rows.empty:
        return Picture(absent="composition.csv holds no share: no policy shows any context.")
    caption = f"Mean share of the packed characters at {study.largest:,} characters, {questions_of(rows)} questions."
    chart = composition(rows, description="Share of selected, anchored and filled characters by policy.")
    return Picture(caption, {"": chart})


def evidence_section(study: Study) -> Section:
    lead = "Whether the text that answers the question was shown at all. Known for generated questions only."
    return Section(
        "evidence", "Evidence recall", lead, (recall_figure(study), figure(study, SELECTION, selection_picture))
    )


def recall_figure(study: Study) -> Figure:
    id, title = "evidence-recall", "Accuracy against the evidence shown"
    main = study.table("main")
    rows = main[(main["split"] == ALL) & main["evidence_recall"].notna()] if not main.empty else main
    if rows.empty:
        return Figure(id, title, absent="The benchmark does not say where its evidence is, so recall is unknown.")
    drawn = rows.assign(
        family=[study.family(policy).label for policy in rows["policy"]],
        colour=[study.family(policy).colour for policy in rows["policy"]],
    )
    caption = (
        f"One point a policy and budget, {questions_of(rows)} questions (all: trained planners learned from some). "
        "Evidence shown: mean share of a question's evidence spans that the packed context holds whole."
    )
    chart = recall(drawn, description=f"Accuracy against evidence recall of {len(rows)} policies and budgets.")
    view = table_view(EVIDENCE, rows)
    return Figure(id, title, caption, (Drawing("recall-chart", chart),), tables=(view,))


def selection_picture(study: Study, table: pd.DataFrame) -> Picture:
    rows = table[(table["split"] == "test") & table["evidence_recall"].notna()]
    if rows.empty:
        return Picture(absent="Evidence is unknown here; the table says how often plans parse.")
    caption = (
        f"Test questions, {questions_of(rows)}. Recall: mean share of evidence spans inside the selected atoms, 0 for "
        "a failed plan. Precision: mean share of selected atoms that hold a span whole, over plans that did not fail."
    )
    if study.begun:
        caption += (
            " When plans were mined, each reply was begun for the base model; as prompted selector it begins by "
            "itself, so its failed plans are failures of form as well."
        )
    chart = selected(rows, description=f"Evidence recall and precision of {len(rows)} selectors.")
    return Picture(caption, {"": chart})


def training_section(study: Study) -> Section:
    lead = f"How the planner's adapter learned. {matched_supervision(study)}".strip()
    return Section("training", "Training", lead, (training_figure(study),))


def matched_supervision(study: Study) -> str:
    """What the reranker made of the planner's own training rows, from main.csv; empty without such a control."""
    main = study.table("main")
    if not study.tuned or main.empty:
        return ""
    rows = main[(main["split"] == ALL) & (main["budget_chars"] == study.largest)].set_index("policy")
    if not set(study.tuned) <= set(rows.index):
        return ""
    tuned, untuned = study.tuned
    pair = rows.loc[[tuned, untuned]]
    rights = [percentage(share) for share in pair["accuracy"]]
    text = (
        f"The matched-supervision control {tuned} is the reranker tuned on the same rows that the planner learned "
        f"from. At {study.largest:,} characters it is {rights[0]} right, {untuned} without that tuning {rights[1]}"
    )
    if pair["evidence_recall"].notna().all():
        recalls = [percentage(share) for share in pair["evidence_recall"]]
        text += f"; its contexts hold {recalls[0]} of the evidence, those of {untuned} {recalls[1]}"
    if study.reranker_questions is None:
        return f"{text}."
    return (
        f"{text}. Before, the reranker had learned from the gold evidence of {study.reranker_questions:,} other "
        "generated questions, which the planner never saw. So both rerankers learned from more than the planner did."
    )


def training_figure(study: Study) -> Figure:
    id, title = "training-loss", LOSS.title
    training = study.training
    if not training or not training.get("losses"):
        return Figure(id, title, absent="No planner was trained in this study.")
    losses, dev_loss = list(training["losses"]), training.get("dev_loss")
    dev = (
        ""
        if dev_loss is None
        else f"; diamond: {training['dev_rows']:,} dev rows after the last step, {dev_loss:.3g} nats"
    )
    caption = (
        f"Mean loss of the supervised tokens at each of {len(losses):,} optimiser steps, {training['rows']:,} training "
        f"rows{dev}. Dashed: the step whose adapter is kept as the early planner."
    )
    chart = loss_curve(
        losses, early_step=training.get("early_step"), dev_loss=dev_loss,
        description=f"Training loss over {len(losses)} optimiser steps.",
    )  # fmt: skip
    table = pd.DataFrame({"step": range(1, len(losses) + 1), "loss": losses})
    return Figure(id, title, caption, (Drawing("training-chart", chart),), tables=(table_view(LOSS, table),))
