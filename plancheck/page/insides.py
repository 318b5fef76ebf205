"""Sections on what happens inside: packed contexts, evidence and training."""

import pandas as pd

from plancheck.page import columns
from plancheck.page.cells import percentage, table_view
from plancheck.page.charts.contents import composition, recall, selected
from plancheck.page.charts.training import loss_curve
from plancheck.page.study import Drawing, Figure, Section, Study, questions_of
from plancheck.reporting.results import ALL


def composition_section(study: Study) -> Section:
    lead = "How much of what the answer model reads was selected by a planner, and how much retrieval filled in."
    return Section("composition", "Packed contexts", lead, (composition_figure(study),))


def composition_figure(study: Study) -> Figure:
    figure, title = "packed-composition", "What the packed contexts are made of"
    table = study.table("composition")
    rows = table[table["budget_chars"] == study.largest] if not table.empty else table
    rows = rows[rows["mean_share"].notna()] if not rows.empty else rows
    if rows.empty:
        return Figure(figure, title, absent="composition.csv holds no share: no policy shows any context.")
    caption = f"Mean share of the packed characters at {study.largest:,} characters, {questions_of(rows)} questions."
    chart = composition(rows, description="Share of selected, anchored and filled characters by policy.")
    view = table_view(
        "composition.csv", rows, columns.COMPOSITION, caption=title + f", at {study.largest:,} characters.",
        note="The file also holds the other budgets." if len(rows) < len(table) else "",
    )  # fmt: skip
    return Figure(figure, title, caption, (Drawing("composition-chart", chart),), tables=(view,))


def evidence_section(study: Study) -> Section:
    lead = "Whether the text that answers the question was shown at all. Known for generated questions only."
    return Section("evidence", "Evidence recall", lead, (recall_figure(study), selection_figure(study)))


def recall_figure(study: Study) -> Figure:
    figure, title = "evidence-recall", "Accuracy against the evidence shown"
    main = study.table("main")
    rows = main[(main["split"] == ALL) & main["evidence_recall"].notna()] if not main.empty else main
    if rows.empty:
        return Figure(figure, title, absent="The benchmark does not say where its evidence is, so recall is unknown.")
    drawn = rows.assign(
        family=[study.family(policy).label for policy in rows["policy"]],
        colour=[study.family(policy).colour for policy in rows["policy"]],
    )
    caption = (
        f"One point a policy and budget, {questions_of(rows)} questions (all; partly transductive). Evidence shown: "
        "mean share of a question's evidence spans that the packed context holds whole."
    )
    chart = recall(drawn, description=f"Accuracy against evidence recall of {len(rows)} policies and budgets.")
    view = table_view("main.csv", rows, columns.RECALL, caption=title + ", all questions.")
    return Figure(figure, title, caption, (Drawing("recall-chart", chart),), tables=(view,))


def selection_figure(study: Study) -> Figure:
    figure, title = "selection", "What the selectors select"
    table = study.table("selection")
    if table.empty:
        return Figure(figure, title, absent="selection.csv holds no row: this study has no planner.")
    view = table_view("selection.csv", table, columns.SELECTION, caption=title + ", by split.")
    rows = table[(table["split"] == "test") & table["evidence_recall"].notna()]
    if rows.empty:
        return Figure(figure, title, absent="Evidence is unknown here; the table says how often plans parse.",
                      tables=(view,))  # fmt: skip
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
    return Figure(figure, title, caption, (Drawing("selection-chart", chart),), tables=(view,))


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
        "generated questions, which the planner never had: both know more than the planner's own supervision."
    )


def training_figure(study: Study) -> Figure:
    figure, title = "training-loss", "Training loss of the planner"
    training = study.training
    if not training or not training.get("losses"):
        return Figure(figure, title, absent="No planner was trained in this study.")
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
    view = table_view("train_loss.csv", table, columns.TRAINING, caption=title + ".")
    return Figure(figure, title, caption, (Drawing("training-chart", chart),), tables=(view,))
