"""The answer to the study's question in a few sentences, and what to know before believing it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd

from plancheck.page.caveats import read_in_part, same_text, silent_rankings, small_budgets
from plancheck.page.cells import FORMATS, counted, listed, percentage
from plancheck.page.enough import enough
from plancheck.page.ladder import tier_label
from plancheck.page.showing import Showing, deciding_rows, showing, supported
from plancheck.page.study import Study
from plancheck.page.yardsticks import beyond_reach, held_out, like_for_like, no_better_than_chance, plan_alone
from plancheck.reporting.results import ALL
from plancheck.reporting.rounding import p_is

CLAUSES: Final[Mapping[str, str]] = {
    "supported": "the {subject} is better {at}: {tiers}",
    "opposite": "the {subject} is worse {at}: {tiers}",
    "not_supported": "a gain of {margin} points or more is excluded {at}: {tiers}",
    "cannot_tell": "they cannot tell {at}: {tiers}",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer at the largest budget.

    Args:
        verdict: one sentence.
        points: the figures behind it, the test questions, and what the yardsticks say of them; a text each.
        caveats: what weakens it; a text each, or none.
    """

    verdict: str
    points: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()


def answer(study: Study) -> Answer:
    """Whether the planner beats the controls, by its verdicts on all questions; those on test are counted apart.

    A tier counts once; `reporting.ladder` says which one of several routers decides. Without a row of the planner there
    is no answer, and the verdict says so.
    """
    rows = study.table("ladder")
    own = rows[rows["planner"] == study.planner] if not rows.empty else rows
    if own.empty:
        return Answer(f"This run compares {study.planner} with no control, so it gives no answer.")
    budget = int(own["budget_chars"].max())
    rows = rows[rows["budget_chars"] == budget]
    own = rows[(rows["planner"] == study.planner) & (rows["split"] == ALL)]
    judged = showing(rows, study.planner)
    assert judged
    showings = {name: showing(rows, name) for mark in (study.perfect, study.null) for name in (mark.policy, mark.alone)}
    perfect, null = (showings[mark.policy] or showings[mark.alone] for mark in (study.perfect, study.null))
    yardsticks = (
        like_for_like(study, perfect, null),
        beyond_reach(judged, perfect if perfect and perfect.policy == study.perfect.policy else None),
        plan_alone(showings[study.perfect.alone] if study.perfect.policy else None, perfect),
    )
    points = (
        figures(study, judged, own),
        f"On all questions: {'; '.join(tiers(study, own))}.",
        held_out(study, judged, [showings[study.perfect.policy], showings[study.perfect.alone]]),
        " ".join(("Could this study have shown a gain?", *told)) if (told := list(filter(None, yardsticks))) else "",
    )
    caveats = (
        no_better_than_chance(study, judged, null),
        same_text(own),
        silent_rankings(study),
        read_in_part(study),
        small_budgets(study, budget),
    )
    return Answer(verdict(study, judged), tuple(filter(None, points)), tuple(filter(None, caveats)))


def verdict(study: Study, judged: Showing) -> str:
    """The answer in one sentence."""
    subject = f"the {study.subject}"
    verdicts = judged.verdicts
    won = [tier for tier, found in verdicts.items() if found == "supported"]
    if len(won) == len(verdicts):
        return f"Yes, in this run: {subject} beats every tier of controls."
    if set(won) and set(won) <= set(study.searchless):
        held = "" if supported(judged.held_out) or not judged.held_out else ", and on test questions alone none"
        return f"No gain over retrieval is shown: {subject} beats only controls that do not search{held}."
    if won:
        return f"Only in part: {subject} {judged.beats} of controls."
    if "cannot_tell" in verdicts.values():
        return f"Not shown in this run: {subject} {judged.beats} of controls, and the questions are too few to say no."
    return f"No: {subject} {judged.beats} of controls, and no gain that matters is left open."


def figures(study: Study, judged: Showing, own: pd.DataFrame) -> str:
    """The planner or system beside the strongest control: the deciding one with the least difference, first tier first.

    Args:
        own: the planner's rows at the budget, on all questions.
    """
    row = min(deciding_rows(own).to_dict("records"), key=lambda row: row["difference"])
    points = FORMATS["points"]
    learned = ", some of which it learned from" if study.family(judged.policy).learned else ""
    return (
        f"The {study.subject} ({judged.policy}) is {judged.right} on {judged.questions:,} questions{learned}. The "
        f"strongest control it meets, {row['control']} ({tier_label(row['tier']).lower()}), is "
        f"{percentage(row['control_accuracy'])} right: a difference of {points(row['difference'])} points "
        f"[{study.percent} interval {points(row['low'])} to {points(row['high'])}], adj. p {p_is(row['p_adjusted'])}."
    )


def tiers(study: Study, own: pd.DataFrame) -> Iterator[str]:
    """A clause a verdict: at how many tiers and at which a gain is supported, reversed, excluded or left open."""
    rows = deciding_rows(own)
    for found, text in CLAUSES.items():
        these = rows[rows["verdict"] == found]
        if these.empty:
            continue
        at = f"at {len(these)} of {counted(len(rows), 'tier')}"
        named = listed(these["named"].tolist())
        would = enough(study, these) if found == "cannot_tell" else ""
        clause = text.format(subject=study.subject, at=at, tiers=named, margin=f"{100 * study.margin:g}")
        yield f"{clause} ({would})" if would else clause
