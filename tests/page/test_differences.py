"""The figures of paired differences: declared comparisons, the best of all, and declared pairs by domain."""

import pandas as pd
import pytest

from plancheck.page.comparisons import comparisons_section, forest_picture
from plancheck.page.families import families
from plancheck.page.kin import Yardstick
from plancheck.page.results import domains_section
from plancheck.page.study import Study
from plancheck.reporting.comparison_tables import BEST_OF_ALL, COMPARISONS
from plancheck.reporting.domain_tables import DOMAIN_DIFFERENCES
from plancheck.reporting.variant_tables import ORDER


def study_of(**tables):
    yardsticks = {"perfect": Yardstick(None, None), "null": Yardstick(None, None), "tuned": None}
    return Study(
        tables, None, families({}, []), {}, {}, {}, planner="sft+bm25", control="bm25", budgets_chars=[1800, 600],
        confidence=0.95, margin=0.05, power=0.8, **yardsticks,
    )  # fmt: skip


def row(**more):
    return {
        "treatment": "sft+bm25", "control": "bm25", "pick": "declared", "treatment_candidates": 1,
        "control_candidates": 1, "budget_chars": 1800, "split": "all", "questions": 20, "contexts": 18,
        "treatment_accuracy": 0.5, "control_accuracy": 0.4, "wins": 5, "losses": 3, "ties": 12, "identical": 4,
        "difference": 0.1, "low": -0.1, "high": 0.3, "plain_low": -0.1, "plain_high": 0.3, "p": 0.7, "p_adjusted": 0.9,
        "tests": 2, "discordance": 0.4, "detectable": 0.2, "needed": 700,
    } | more  # fmt: skip


def by_domain(*rows):
    return pd.DataFrame([row(name="guided", **more) for more in rows])[DOMAIN_DIFFERENCES.names]


def differences_figure(study):
    return domains_section(study).figures[1]


def marks(figure):
    """The rows that a figure's one chart draws."""
    (drawing,) = figure.drawings
    return [mark for rows in drawing.chart.to_dict()["datasets"].values() for mark in rows if "label" in mark]


def test_domains_are_drawn_hollow_without_p_and_said_to_be_descriptive():
    table = by_domain({"domain": "Code", "questions": 12}, {"domain": "Tables", "treatment": "sft+rerank"})
    figure = differences_figure(study_of(domain_differences=table))
    assert figure.caption.startswith("Descriptive: these domains were not declared as tests, so there is no p.")
    assert "n = 12 to 20 questions a domain" in figure.caption
    drawn = marks(figure)
    assert [mark["label"] for mark in drawn] == ["Code", "Tables"]
    assert drawn[0]["where"] == "sft+bm25 − bm25, 1,800 chars, all, n = 12"
    assert {mark["fill"] for mark in drawn} == {0}
    assert "Adj. p" not in figure.drawings[0].chart.to_json()
    (view,) = figure.tables
    assert "p" not in [column.name for column in view.columns] and len(view.rows) == 2


def test_a_domain_without_an_interval_is_in_the_table_alone():
    table = by_domain({"domain": "Code"}, {"domain": "Tables", "contexts": 1, "low": None, "high": None})
    figure = differences_figure(study_of(domain_differences=table))
    assert [mark["label"] for mark in marks(figure)] == ["Code"]
    assert len(figure.tables[0].rows) == 2
    figure = differences_figure(study_of(domain_differences=table.iloc[[1]]))
    assert figure.absent.startswith("The questions of each domain share one context") and len(figure.tables) == 1
    assert "names no pair" in differences_figure(study_of()).absent


@pytest.mark.parametrize(
    ("table", "family"),
    [
        (COMPARISONS, "rows of one family and one kind of pick)"),
        (BEST_OF_ALL, "rows of one kind of pick)"),
        (ORDER, "rows of one way of holding)"),
    ],
)
def test_the_caption_says_which_rows_p_is_adjusted_over(table, family):
    rows = pd.DataFrame(
        [
            row(
                name="one",
                family="table_4",
                equivalence_p=0.5,
                held="shown",
                selector="sft",
                same_set=1,
                several_atoms=1,
            )
        ]
    )[table.names]
    caption = forest_picture("Title", study_of(), rows).caption
    assert f"adj. p (Benjamini-Hochberg over the table's {family} at most 0.05" in caption


def test_how_the_sides_were_picked_and_from_how_many_is_shown():
    rows = [row(name="one", family="table_4", equivalence_p=0.5, pick=pick) for pick in ("same_questions", "nested")]
    table = pd.DataFrame(rows).assign(treatment_candidates=3, control_candidates=2)[COMPARISONS.names]
    figure = comparisons_section(study_of(comparisons=table)).figures[0]
    assert [mark["where"] for mark in marks(figure)] == [
        "1,800 chars, all, picked on the same questions, family table_4",
        "1,800 chars, all, picked on train and dev, family table_4",
    ]
    assert "Same questions: the best was picked on the questions that are compared." in figure.caption
    headers = [column.header for column in figure.tables[0].columns]
    assert "Family of tests" in headers
    place = headers.index("Treatments to pick from")
    assert [">3<" in cells[place] and ">2<" in cells[place + 1] for cells in figure.tables[0].rows] == [True, True]
