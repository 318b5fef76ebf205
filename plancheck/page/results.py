"""Sections of accuracies: by budget, held out, and by domain."""

from collections.abc import Iterable, Iterator

import pandas as pd

from plancheck.page import columns
from plancheck.page.cells import table_view
from plancheck.page.charts.accuracy import by_budget
from plancheck.page.charts.domains import heat_map
from plancheck.page.charts.intervals import heldout
from plancheck.page.families import CONTROLS, FAMILIES, HARNESS
from plancheck.page.study import Drawing, Figure, Section, Study, questions_of
from plancheck.reporting.results import ALL

TRANSDUCTIVE = "all questions, partly transductive: the trained planners learned from some of them"


def accuracy_section(study: Study) -> Section:
    lead = (
        "Every policy at every budget, grouped by family. The same question, budget and answer model throughout; a "
        "failed answer counts as wrong."
    )
    return Section("accuracy", "Accuracy against budget", lead, (by_budget_figure(study), heldout_figure(study)))


def by_budget_figure(study: Study) -> Figure:
    figure, title = "accuracy-by-budget", "Accuracy at each budget, by family of policies"
    main = study.table("main")
    if main.empty:
        return Figure(figure, title, absent="main.csv holds no row, so there is no accuracy to draw.")
    everyone = main[main["split"] == ALL]
    controls = everyone[[study.family_of.get(policy) in CONTROLS for policy in everyone["policy"]]]
    best = controls.groupby("budget_chars")["accuracy"].max().reset_index()
    drawings = []
    for key, heading, policies in panels(study, everyone["policy"]):
        rows = everyone[everyone["policy"].isin(policies)]
        described = f"Accuracy of {', '.join(policies)} at each budget, with intervals."
        chart = by_budget(rows, best, colour=FAMILIES[key.split("-")[0]].colour, description=described)
        drawings.append(Drawing(f"accuracy-{key}", chart, heading))
    caption = (
        f"Points: accuracy on {TRANSDUCTIVE} ({questions_of(everyone)}). Bars: Wilson {study.percent} intervals. "
        "Horizontal marks: the best control of each budget, picked on these same questions. Dotted line: chance among "
        "four choices, 25 %. Test questions alone are in the table and in the next figure."
    )
    table = table_view(
        "main.csv", main, columns.MAIN,
        caption=f"Accuracy of every policy at every budget. Split all: {TRANSDUCTIVE}. Split test: held out.",
    )  # fmt: skip
    return Figure(figure, title, caption, tuple(drawings), tables=(table,))


def panels(study: Study, policies: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Key, heading and policies of each small chart: one a family, of the harness one a selector."""
    present = list(dict.fromkeys(policies))
    for key, family in FAMILIES.items():
        own = [policy for policy in present if study.family_of.get(policy) == key]
        if key != "harness":
            if own:
                yield key, family.label, own
            continue
        for selector, name in HARNESS.items():
            kin = [policy for policy in own if study.selector_of.get(policy) == selector]
            if kin:
                yield f"{key}-{selector}", f"Harness: {name} planner", kin


def heldout_figure(study: Study) -> Figure:
    figure, title = "held-out", "Held-out test questions beside all questions"
    table = study.table("heldout")
    if table.empty:
        return Figure(figure, title, absent="heldout.csv holds no row, so test questions are in main.csv alone.")
    rows = pd.DataFrame(
        {
            "policy": table["policy"],
            "test": table["test_accuracy"],
            "low": table["test_low"],
            "high": table["test_high"],
            "everyone": table["all_accuracy"],
            "colour": [study.family(policy).colour for policy in table["policy"]],
        }
    )
    test, everyone = int(table["test_questions"].iloc[0]), int(table["all_questions"].iloc[0])
    caption = (
        f"Points: accuracy on the {test:,} test questions with Wilson {study.percent} intervals, at "
        f"{int(table['budget_chars'].iloc[0]):,} characters. Upright ticks: accuracy on all {everyone:,} questions, "
        "partly transductive. Colours are those of the families above."
    )
    chart = heldout(rows, description=f"Accuracy of {len(rows)} policies on test questions, with intervals.")
    view = table_view("heldout.csv", table, columns.HELDOUT, caption="Test questions alone, and all questions.")
    return Figure(figure, title, caption, (Drawing("held-out-chart", chart),), tables=(view,))


def domains_section(study: Study) -> Section:
    lead = "Where a policy is strong and where it is weak. Few questions a domain make wide intervals: see the table."
    return Section("domains", "Domains", lead, (domains_figure(study),))


def domains_figure(study: Study) -> Figure:
    figure, title = "domain-accuracy", "Accuracy by domain"
    table = study.table("domains")
    if table.empty:
        return Figure(figure, title, absent="domains.csv holds no row, so there is no accuracy by domain.")
    rows = table[table["budget_chars"] == study.largest]
    caption = (
        f"Accuracy in % at {study.largest:,} characters on {TRANSDUCTIVE}. n: questions of the domain. The other "
        "budgets are in domains.csv."
    )
    chart = heat_map(rows, description=f"Accuracy of each policy in {rows['domain'].nunique()} domains.")
    view = table_view(
        "domains.csv", rows, columns.DOMAINS,
        caption=f"Accuracy by domain at {study.largest:,} characters, with Wilson {study.percent} intervals.",
        note="The file also holds the other budgets." if len(rows) < len(table) else "",
    )  # fmt: skip
    return Figure(figure, title, caption, (Drawing("domains-chart", chart),), tables=(view,))
