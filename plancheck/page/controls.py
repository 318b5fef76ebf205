"""The section on what the controls had to work with: texts of their own, scores that tell, weights, documents."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from plancheck.page.caveats import readings, small_budgets
from plancheck.page.cells import counted, listed, percentage
from plancheck.page.study import Figure, Picture, Section, Study, figure
from plancheck.reporting.rankings_table import RANKINGS
from plancheck.reporting.texts_table import TEXTS

DOMAINS: Final = ("asked", "present")
PARTS: Final = {"head": "the beginning", "snippet": "what the planner is shown"}
DOCUMENTS: Final = {"1": "1 document", "2-5": "2 to 5", "6-50": "6 to 50", "more": "more than 50"}


def controls_section(study: Study) -> Section:
    lead = (
        "A control is as strong as what it has to work with: where policies show the same text, where a ranking says "
        "nothing, and what was found in contexts and questions."
    )
    figures = (
        figure(study, TEXTS, texts_picture),
        figure(study, RANKINGS, rankings_picture),
        reading_figure(study),
        weights_figure(study),
        *runs_figures(study),
        documents_figure(study),
        *choices_figures(study),
    )
    return Section("controls", "What the controls had to work with", lead, figures)


def texts_picture(study: Study, table: pd.DataFrame) -> Picture:
    row = min(table.to_dict("records"), key=lambda row: row["budget_chars"])
    caption = (
        "Policies that show a question the same text get the same answer, so they cannot differ on it. At "
        f"{row['budget_chars']:,} characters, all questions under all policies are {row['conditions']:,} cases. They "
        f"show {row['texts']:,} distinct texts; {row['one_cut_atom']:,} show the beginning of one atom and no more."
    )
    told = small_budgets(study, *study.budgets_chars)
    return Picture(f"{caption} {told}".strip())


def rankings_picture(study: Study, table: pd.DataFrame) -> Picture:
    found = [f"{row['ranking']} in {row['silent']:,} of {row['questions']:,}" for row in table.to_dict("records")]
    caption = (
        "Questions in which all scores of a ranking are equal, because no word of the question occurs in the context "
        f"or there is one atom: {listed(found)}. The order is that of position there. Fusions and MMR inherit it."
    )
    return Picture(caption)


def reading_figure(study: Study) -> Figure:
    blank = Figure("reading", "How much of the atoms the models read")
    told = []
    for own in readings(study):
        share, rule, count = own.facts["truncated_share"], own.facts["coverage"], f"{own.facts['atoms']:,} {own.texts}"
        what = f"read only {PARTS[rule]} of {percentage(share)} of its {count}" if share else f"read all of its {count}"
        told.append(f"{own.reader[0].upper()}{own.reader[1:]} {what} ({own.parameter} is {rule}).")
    if not told:
        return replace(blank, absent="No ranking is by a model.")
    return replace(blank, caption=" ".join(told))


def weights_figure(study: Study) -> Figure:
    blank = Figure("weights", "BM25's weights")
    lexical = {name: own for name, own in study.facts.get("retrieve", {}).items() if own["kind"] == "bm25"}
    if not lexical:
        return replace(blank, absent="No ranking is BM25's.")
    return replace(blank, caption=" ".join(weights(name, found) for name, found in lexical.items()))


def weights(name: str, found: Mapping[str, Any]) -> str:
    """What is said of one BM25 ranking's weights."""
    parameter = f"rankings.{name}.variant"
    if found["variant"] != "okapi":
        return f"Every weight of {name} is above 0 ({parameter} is {found['variant']})."
    return (
        f"{name} is Okapi, which weighs a word in half of the atoms 0, and a commoner one by a constant that can be "
        "below 0. That concerns "
        f"{found['weight_0_or_below']:,} of {found['questions']:,} questions: in {found['first_atom_differs']:,} "
        "another atom comes first than with weights above 0, and in "
        f"{found['first_five_differ']:,} the first five atoms are others. Another {parameter} has no such weights."
    )


def runs_figures(study: Study) -> tuple[Figure, ...]:
    """What the user's runs lack; none where there is no run."""
    runs = {name: own for name, own in study.facts.get("retrieve", {}).items() if own["kind"] == "run"}
    told = [
        f"{name} lacks {percentage(own['missing_share'])} of {own['atoms']:,} pairs of question and atom, and "
        f"{own['questions_missing']:,} of {own['questions']:,} questions altogether; what it lacks follows in order of "
        "position."
        for name, own in runs.items()
    ]
    return (Figure("runs", "Runs from elsewhere", " ".join(told)),) if told else ()


def documents_figure(study: Study) -> Figure:
    blank = Figure("documents", "Documents found in the contexts")
    if "atoms" not in study.facts:
        return replace(blank, absent="Nothing is known of the documents.")
    found = study.facts["atoms"]["multi_document"]
    asked, present = (listed(found["domains"][name]) if found["domains"][name] else "none" for name in DOMAINS)
    if not found["contexts"]:
        caption = (
            f"No context was cut at documents: no question is of atoms.multi_document.domains ({asked}); the domains "
            f"of the questions are {present}."
        )
        return replace(blank, caption=caption)
    shares = [f"{count:,} hold {label}" for name, label in DOCUMENTS.items() if (count := found["documents"][name])]
    caption = (
        f"{counted(found['contexts'], 'context')} of multi-document domains: {listed(shares)}. Where several documents "
        "count as one, atoms run across them; atoms.multi_document.domains and atoms.multi_document.separators say "
        "what is cut and where."
    )
    return replace(blank, caption=caption)


def choices_figures(study: Study) -> tuple[Figure, ...]:
    """None where no two choices of a question read the same."""
    found = study.facts.get("benchmark", {}).get("equal_choices", {"questions": 0})
    if not found["questions"]:
        return ()
    caption = (
        f"In {counted(found['questions'], 'question')} two choices read the same; in {found['with_gold']:,} of them "
        "the right one is among those, and each of its copies counts as right."
    )
    return (Figure("equal-choices", "Choices that read the same", caption),)
