"""The page's parts that are no charts: families, the answer, the drill-down and provenance."""

import pandas as pd
import pytest

from plancheck.page.drilldown import drilldown
from plancheck.page.families import CONTROLS, FAMILIES, families_of
from plancheck.page.ladder import answer, calibration, matrices
from plancheck.page.provenance import models, parameters_text, portable, split_digest


def luminance(colour):
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("paper", ["#ffffff", "#14181c"])
def test_every_family_stands_out_from_the_light_and_the_dark_page(paper):
    for family in FAMILIES.values():
        low, high = sorted([luminance(family.colour), luminance(paper)])
        assert (high + 0.05) / (low + 0.05) >= 3, family


def test_a_policy_is_of_its_selector_or_its_tier():
    selectors = {"bm25": None, "odd": None, "sft+nothing": "sft", "evidence+nothing": "evidence", "tuned": None}
    found = families_of(selectors, {"retrieval": ["bm25"], "my_tier": ["tuned"]})

    assert found == {
        "bm25": "retrieval", "odd": "control", "sft+nothing": "sft", "evidence+nothing": "harness", "tuned": "control",
    }  # fmt: skip
    assert set(CONTROLS) < set(FAMILIES)


def rung(planner="sft+nothing", tier="direct", verdict="supported", pick="declared", budget=1800, n=48):
    return {
        "planner": planner, "tier": tier, "control": "c", "pick": pick, "candidates": 2, "budget_chars": budget,
        "questions": n, "difference": 0.1, "low": 0.05, "high": 0.2, "p_adjusted": 0.01, "verdict": verdict,
        "sentence": "So it is.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("verdicts", "starts", "holds"),
    [
        (["supported", "supported"], "Yes, in this run", "supported at 2 of 2 tiers"),
        (["supported", "opposite"], "Only in part", "the planner is worse than router"),
        (
            ["not_supported", "cannot_tell"],
            "Not shown in this run",
            "A gain of 5 points or more is excluded",
        ),
    ],
)
def test_the_answer_says_how_far_the_gain_survives(verdicts, starts, holds):
    rows = [rung(tier=tier, verdict=verdict) for tier, verdict in zip(("direct", "router"), verdicts, strict=True)]
    smaller = rung(tier="direct", verdict="opposite", budget=600)
    text = answer(pd.DataFrame([*rows, smaller]), planner="sft+nothing", margin=0.05)

    assert text.startswith(starts)
    assert holds in text
    assert "1,800 characters" in text


def test_of_several_routers_the_first_that_is_not_beaten_decides_and_nested_rows_are_counted_apart():
    rows = pd.DataFrame(
        [
            rung(),
            rung(pick="nested", verdict="cannot_tell", n=14),
            rung(tier="router"),
            rung(tier="router", verdict="cannot_tell"),
            rung(tier="router"),
        ]
    )
    text = answer(rows, planner="sft+nothing", margin=0.05)
    (matrix,) = matrices(rows, {"sft+nothing": "sft"}, planner="sft+nothing")

    assert "supported at 1 of 2 tiers" in text
    assert "14 held-out test questions" in text
    assert "supported at 0 of 1 such tier." in text
    ((_, (climb,)),) = matrix.groups
    assert [found.verdict for found in climb.decisive] == ["supported", "cannot_tell"]


def test_without_the_planner_there_is_no_answer():
    assert "gives no answer" in answer(pd.DataFrame(), planner="x", margin=0.05)
    assert "gives no answer" in answer(pd.DataFrame([rung()]), planner="x", margin=0.05)


def test_the_calibration_names_the_perfect_and_the_null_planner():
    rows = pd.DataFrame(
        [rung("evidence+nothing"), rung("random_plan+nothing", verdict="opposite"), rung("evidence_half+nothing")]
    )
    text = calibration(rows)

    assert "the perfect planner (evidence+nothing) is supported at 1 of 1 tier" in text
    assert "the null planner (random_plan+nothing) is supported at 0 of 1 tier" in text
    assert calibration(pd.DataFrame([rung()])) == calibration(pd.DataFrame()) == ""


def test_the_drilldown_holds_a_letter_a_question_policy_and_budget():
    rows = [("q2", "p", 9, "B", None), ("q2", "r", 9, None, "too_long"), ("q1", "p", 9, "A", None)]
    predictions = pd.DataFrame(
        [
            {"question_id": q, "policy": p, "budget_chars": b, "letter": letter, "gold": "A", "failure": failure}
            for q, p, b, letter, failure in rows
        ]
    )
    found = drilldown(
        predictions, {"q1": "D2", "q2": "D1"}, {"train": ["q2"], "dev": [], "test": ["q1"]},
        policies=["p", "r"], budgets_chars=[9, 5],
    )  # fmt: skip

    assert found["questions"] == [["q1", 1, "test", "A"], ["q2", 0, "train", "A"]]
    assert found["domains"] == ["D1", "D2"]
    assert found["letters"] == [["A.", "Bl"], ["..", ".."]]
    assert found["failures"]["l"] == "too_long"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plancheck/benchmark/lexicon.yaml", "plancheck/benchmark/lexicon.yaml"),
        ("/home/ada/secret/questions.json", "…/questions.json"),
        ("~/questions.json", "…/questions.json"),
        ("../ada/questions.json", "…/questions.json"),
        (r"C:\Users\ada\questions.json", "…/questions.json"),
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct"),
    ],
)
def test_a_path_outside_the_project_is_cut_to_its_name(text, shown):
    assert portable(text) == shown
    assert shown in parameters_text({"benchmark": {"path": text}})


def test_separators_in_lists_are_left_as_they_are():
    assert "/.+ ===$" in parameters_text({"separators": ["/.+ ===$"]})


def test_the_split_digest_depends_on_the_ids_alone():
    digest = split_digest({"train": ["b", "a"], "test": ["c"]})
    assert digest == split_digest({"test": ["c"], "train": ["a", "b"]})
    assert digest != split_digest({"train": ["a"], "test": ["b", "c"]})


def test_models_are_listed_by_role_with_their_revision():
    model = {"name": "/home/ada/mine", "source": "path", "revision": "ab" * 32, "files": {"b": "1", "a": "2"}}
    (answering, planning) = models({"roles": {"planner": "m", "answer": "m"}, "models": {"m": model}})

    assert (answering["role"], planning["role"]) == ("answer", "planner")
    assert answering["name"] == "…/mine"
    assert answering["revision"] == "ab" * 32
