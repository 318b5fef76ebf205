"""Sections of accuracies: by budget, held out, and by domain with the difference of declared pairs."""

from collections.abc import Iterable, Iterator

import pandas as pd

from plancheck.page.charts.accuracy import by_budget
from plancheck.page.charts.domains import heat_map
from plancheck.page.charts.intervals import heldout
from plancheck.page.comparisons import differences
from plancheck.page.families import SKILLS
from plancheck.page.study import Picture, Section, Study, figure, questions_of
from plancheck.reporting.accuracy_tables import HELDOUT
from plancheck.reporting.domain_tables import DOMAIN_DIFFERENCES, DOMAINS
from plancheck.reporting.main_table import MAIN
from plancheck.reporting.results import ALL

SEEN_IN_PART = "all questions, some of which the trained planners learned from"


def accuracy_section(study: Study) -> Section:
    lead = (
        "Every policy at every budget, grouped by family. The same question, budget and answer model throughout; a "
        "failed answer counts as wrong."
    )
    by_family = "Accuracy at each budget, by family of policies"
    figures = (
        figure(study, MAIN, by_budget_picture, id="accuracy-by-budget", title=by_family),
        figure(study, HELDOUT, heldout_picture, id="held-out", title="Held-out test questions beside all questions"),
    )
    return Section("accuracy", "Accuracy against budget", lead, figures)


def by_budget_picture(study: Study, main: pd.DataFrame) -> Picture:
    everyone = main[main["split"] == ALL]
    controls = everyone[[study.is_control(policy) for policy in everyone["policy"]]]
    best = controls.groupby("budget_chars")["accuracy"].max().reset_index()
    charts = {}
    for key, heading, policies in panels(study, everyone["policy"]):
        rows = everyone[everyone["policy"].isin(policies)]
        described = f"Accuracy of {', '.join(policies)} at each budget, with intervals."
        charts[heading] = by_budget(rows, best, colour=study.families[key].colour, description=described)
    caption = (
        f"Points: accuracy on {SEEN_IN_PART} ({questions_of(everyone)}). Bars: Wilson {study.percent} intervals. "
        "Horizontal marks: the best control of each budget, picked on these same questions. Dotted line: chance among "
        "four choices, 25 %. Test questions alone (split test) are in the table and in the next figure."
    )
    return Picture(caption, charts)


def panels(study: Study, policies: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Family, heading and policies of each small chart: one a family, of the harness one a selector."""
    present = list(dict.fromkeys(policies))
    for key, family in study.families.items():
        own = [policy for policy in present if study.family_of.get(policy) == key]
        if key != "harness":
            if own:
                yield key, family.label, own
            continue
        for selector, name in SKILLS.items():
            kin = [policy for policy in own if study.kind_of(policy) == selector]
            if kin:
                yield key, f"Harness: {name} planner", kin


def heldout_picture(study: Study, table: pd.DataFrame) -> Picture:
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
        "some of which the trained planners learned from. Colours are those of the families above."
    )
    chart = heldout(rows, description=f"Accuracy of {len(rows)} policies on test questions, with intervals.")
    return Picture(caption, {"": chart})


def domains_section(study: Study) -> Section:
    lead = "Where a policy is strong and where it is weak. Few questions a domain make wide intervals: see the table."
    figures = (
        figure(study, DOMAINS, domains_picture, largest=True),
        figure(study, DOMAIN_DIFFERENCES, domain_differences_picture),
    )
    return Section("domains", "Domains", lead, figures)


def domains_picture(study: Study, rows: pd.DataFrame) -> Picture:
    caption = (
        f"Accuracy in % at {study.largest:,} characters on {SEEN_IN_PART}. n: questions of the domain. The other "
        "budgets are in domains.csv."
    )
    chart = heat_map(rows, description=f"Accuracy of each policy in {rows['domain'].nunique()} domains.")
    return Picture(caption, {"": chart})


def domain_differences_picture(study: Study, table: pd.DataFrame) -> Picture:
    """The differences of declared pairs by domain; a domain without an interval is in the table alone."""
    drawn = table[table["low"].notna()]
    if drawn.empty:
        return Picture(absent="The questions of each domain share one context, so there is no interval.")
    caption = (
        "Descriptive: these domains were not declared as tests, so there is no p. Accuracy of treatment minus control, "
        f"{questions_of(drawn)} questions a domain. Bars: {study.percent} percentile bootstrap intervals, clustered by "
        "shared context. An interval without width comes from too few questions: no two contexts differed. A domain of "
        "one context has no interval and is in the table alone. "
        f"Grey band: differences below the margin of {100 * study.margin:g} points."
    )
    return Picture(caption, {"": differences(study, drawn, DOMAIN_DIFFERENCES.title)})
