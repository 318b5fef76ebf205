"""The whole page as one HTML text."""

from collections.abc import Mapping
from typing import Any

from plancheck.page import ladder
from plancheck.page.answer import answer
from plancheck.page.cells import TableView, counted, table_view
from plancheck.page.code import code_sha256
from plancheck.page.comparisons import comparisons_section
from plancheck.page.controls import controls_section
from plancheck.page.enough import enough
from plancheck.page.insides import composition_section, evidence_section, training_section
from plancheck.page.mechanisms import mechanisms_section
from plancheck.page.power import power_section
from plancheck.page.render import render
from plancheck.page.results import accuracy_section, domains_section
from plancheck.page.routing import routing_section
from plancheck.page.study import Study, questions_of
from plancheck.page.tiers import tiers_figure
from plancheck.reporting.ladder import LADDER

SECTIONS = (
    accuracy_section,
    controls_section,
    comparisons_section,
    domains_section,
    routing_section,
    composition_section,
    evidence_section,
    mechanisms_section,
    training_section,
    power_section,
)


def page(study: Study, *, questions: Mapping[str, Any], provenance: Mapping[str, Any]) -> str:
    """The page's HTML.

    Args:
        questions: see drilldown.
        provenance: profile, parameters (YAML text), models, environment, splits (sizes), split_digest, files
            (digest by path).
    """
    sections = [make(study) for make in SECTIONS]
    first = tiers_figure(study)
    rungs = study.table("ladder")
    matrices = (
        ladder.matrices(rungs, study.family_of, list(study.families), planner=study.planner) if not rungs.empty else []
    )
    view = {
        "sections": sections,
        "heading": study.heading,
        "about": study.about,
        "answer": answer(study),
        "first": first,
        "budget": f"{study.largest:,}",
        "matrices": matrices,
        "silences": {matrix.budget_chars: silence(study, matrix) for matrix in matrices},
        "tiers": {tier: ladder.TIERS[tier] for tier in dict.fromkeys(rungs.get("tier", ())) if tier in ladder.TIERS},
        "ladder_table": ladder_table(study),
        "families": study.families,
        "verdicts": ladder.VERDICTS,
        "alpha": f"{1 - study.confidence:.2g}",
        "percent": study.percent,
        "margin": f"{100 * study.margin:g}",
        "provenance": provenance,
        "code": code_sha256(),
        "digests": provenance["files"],
    }
    specs = {
        drawing.id: drawing.chart.to_dict()
        for figure in (first, *(figure for section in sections for figure in section.figures))
        for drawing in figure.drawings
    }
    colours = {policy: study.families[family].colour for policy, family in study.family_of.items()}
    return render(
        view,
        specs=specs,
        questions={**questions, "treatment": study.planner, "control": study.control, "colours": colours},
    )


def silence(study: Study, matrix: ladder.Matrix) -> str:
    """One line for the planners that cannot tell at any tier: how many they are, and how many questions would tell."""
    planners = [climb.planner for _, climbs in matrix.silent for climb in climbs]
    if not planners:
        return ""
    rungs = study.table("ladder")
    rows = rungs[rungs["planner"].isin(planners) & (rungs["budget_chars"] == matrix.budget_chars)]
    would = enough(study, rows)
    text = f"{counted(len(planners), 'planner')} cannot tell at any tier on {questions_of(rows)} questions"
    return f"{text}; {would}" if would else text


def ladder_table(study: Study) -> TableView:
    """The ladder's rows at the largest budget; of the others the page shows verdicts alone."""
    rungs = study.table("ladder")
    rows = rungs[rungs["budget_chars"] == rungs["budget_chars"].max()] if not rungs.empty else rungs
    note = "The file also holds the other budgets." if len(rows) < len(rungs) else ""
    return table_view(LADDER, rows, note=note)
