"""Sections of accuracies: by budget, held out, and by domain with the difference of declared pairs."""

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from plancheck.page import columns
from plancheck.page.cells import table_view
from plancheck.page.charts.accuracy import by_budget
from plancheck.page.charts.domains import heat_map
from plancheck.page.charts.intervals import forest, heldout
from plancheck.page.comparisons import outcome
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
    return Section("domains", "Domains", lead, (domains_figure(study), domain_differences_figure(study)))


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


def domain_differences_figure(study: Study) -> Figure:
    """The differences of declared pairs by domain; a domain without an interval is in the table alone."""
    figure, title = "domain-differences", "Difference of declared pairs by domain"
    table = study.table("domain_differences")
    if table.empty:
        return Figure(figure, title, absent="domain_differences.csv holds no row: analyze.by_domain names no pair.")
    view = table_view("domain_differences.csv", table, columns.DOMAIN_DIFFERENCES, caption=f"{title}.")
    drawn = table[table["low"].notna()]
    if drawn.empty:
        return Figure(figure, title, absent="The questions of each domain share one context, so there is no interval.",
                      tables=(view,))  # fmt: skip
    chart = forest(
        domain_rows(study, drawn),
        description=f"{title}: {len(drawn)} differences with intervals.",
        margin=study.margin,
        confidence=study.confidence,
    )
    caption = (
        "Descriptive: these domains were not declared as tests, so there is no p. Accuracy of treatment minus control, "
        f"{questions_of(drawn)} questions a domain. Bars: {study.percent} percentile bootstrap intervals, clustered by "
        "shared context; where no two contexts differ an interval has no width, which is no measure of chance, and "
        "a domain of one context has none and is in the table alone. "
        f"Grey band: differences below the margin of {100 * study.margin:g} points."
    )
    return Figure(figure, title, caption, (Drawing("domain-differences-chart", chart),), tables=(view,))


def domain_rows(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    """What the forest plot draws of differences by domain: no p, so no point is filled."""
    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "label": [row["domain"] for row in rows],
            "where": [
                f"{row['treatment']} − {row['control']}, {row['budget_chars']:,} chars, {row['split']}, "
                f"n = {row['questions']:,}"
                for row in rows
            ],
            **{name: table[name].to_numpy() for name in ("difference", "low", "high")},
            "p_adjusted": np.nan,
            "colour": [study.family(row["treatment"]).colour for row in rows],
            "detail": [outcome(row) for row in rows],
        }
    )
