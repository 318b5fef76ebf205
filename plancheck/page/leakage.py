"""The section on leakage: what test questions share with what was learned from, and the ladder without them."""

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from plancheck.page.cells import counted, listed, percentage
from plancheck.page.ladder import VERDICTS, tier_label
from plancheck.page.study import Figure, Picture, Section, Study, figure
from plancheck.records import SPLITS
from plancheck.reporting.apart_table import LADDER_APART

SHARED: Final[Mapping[str, str]] = {
    "same_id": "the question itself",
    "same_context": "the context",
    "near_context": "a nearly equal context",
    "contained_context": "a context that holds the other or lies in it",
    "same_question": "question and choices",
    "near_question": "nearly the same question and choices",
}
LEARNED: Final[Mapping[str, str]] = {
    "train": "the train questions",
    "dev": "the dev questions",
    "data/sft/train.jsonl": "the planner's training rows",
    "data/sft/dev.jsonl": "the planner's dev rows",
    "tune": "what the matched-supervision control learned from",
}


def leakage_section(study: Study) -> Section:
    lead = "Whether a test question, its context or its wording was there to learn from as well."
    found = study.facts.get("leakage")
    figures = (
        (shared_figure(found), alike_figure(found), grouped_figure(found))
        if found
        else (Figure("leakage-shared", "What test questions share", absent="Leakage was not looked for."),)
    )
    return Section("leakage", "Leakage", lead, (*figures, figure(study, LADDER_APART, apart_picture, largest=True)))


def shared_figure(found: Mapping[str, Any]) -> Figure:
    test = found["test"]
    share = f"{len(test['concerned']):,} of" if test["concerned"] else "None of"
    told = [f"{share} {test['questions']:,} test questions share something with what was learned from."]
    nothing = []
    for row in found["learned"]:
        name = f"{LEARNED.get(row['learned'], row['learned'])} ({row['questions']:,})"
        if row["concerned"]:
            kinds = [f"{SHARED[kind]} in {len(ids):,}" for kind in SHARED if (ids := row["shared"][kind])]
            told.append(f"{row['against'].capitalize()} questions share with {name}: {listed(kinds)}.")
        elif row["against"] == "test":
            nothing.append(name)
        else:
            told.append(f"{row['against'].capitalize()} questions share nothing with {name}.")
        if row["unknown"]:
            told.append(f"Of {name}, {row['unknown']:,} are no questions of this study, and cannot be compared.")
    if nothing:
        told.append(f"Test questions share nothing with {listed(nothing)}.")
    return Figure("leakage-shared", "What test questions share", " ".join(told))


def alike_figure(found: Mapping[str, Any]) -> Figure:
    settings, contexts, questions = found["settings"], found["contexts"], found["questions"]
    told = [
        f"Contexts are compared as sets of runs of {counted(settings['context_words'], 'word')}. Two are nearly equal "
        f"where they share {percentage(settings['jaccard'])} of both (Jaccard index); one holds the other where it has "
        f"{percentage(settings['containment'])} of it. Of {contexts['compared']:,} pairs, estimates from one run in "
        f"{settings['sample']:,} left {contexts['verified']:,} to be compared in full; "
        f"{len(contexts['pairs']):,} are alike, those within one split included."
    ]
    if contexts["verified"] > len(contexts["pairs"]):
        below = contexts["below"]
        told.append(
            f"The others of those share up to {percentage(below['jaccard'])} of both and "
            f"{percentage(below['containment'])} of the smaller."
        )
    told.append(
        f"Questions are compared with their choices, in runs of {counted(settings['question_words'], 'word')}, and are "
        f"nearly the same from {percentage(settings['question_jaccard'])} on; of {questions['compared']:,} pairs "
        f"{len(questions['pairs']):,} are the same or nearly so."
    )
    return Figure("leakage-alike", "What counts as alike", " ".join(told))


def grouped_figure(found: Mapping[str, Any]) -> Figure:
    id, title = "leakage-grouped", "What grouping by context would change"
    grouped = found["group_by_context"]
    if grouped["absent"]:
        return Figure(id, title, absent=f"Nothing is said of split.group_by: context here: {grouped['absent']}.")
    sizes = listed([f"{split} {grouped['sizes'][split]:,}" for split in SPLITS])
    left = counted(grouped["concerned"], "test question") if grouped["concerned"] else "no test question"
    caption = (
        f"With split.group_by: context the splits would be {sizes}. {counted(grouped['moved'], 'question')} would "
        f"move, and {left} would still share something with train or dev, by the rules above. The verdicts of such a "
        "split are not known without training and asking again. What this run can say is in the table below: its own "
        "test questions, without those that share something."
    )
    return Figure(id, title, caption)


def apart_picture(study: Study, rows: pd.DataFrame) -> Picture:
    whole = study.table(LADDER_APART.name)
    moved, everywhere = changed(rows), changed(whole)
    told = (
        f"On the {int(rows['questions'].max()):,} test questions that share nothing. At {study.largest:,} characters "
        f"{len(moved):,} of {len(rows):,} verdicts differ from those on all test questions, over all budgets "
        f"{len(everywhere):,} of {len(whole):,}. Fewer questions tell less: a verdict can turn to cannot tell for that "
        "alone."
    )
    if study.planner not in set(rows["planner"]):
        return Picture(told)
    own = [
        f"{tier_label(row['tier']).lower()} ({row['control']}) was {VERDICTS[row['verdict_all']][1]} and is "
        f"{VERDICTS[row['verdict']][1]}"
        for row in moved[moved["planner"] == study.planner].to_dict("records")
    ]
    return Picture(f"{told} Of {study.planner} {listed(own) if own else 'none differs'}.")


def changed(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows whose verdict is another on all test questions."""
    return rows[rows["verdict"] != rows["verdict_all"]]
