"""The section on leakage says what was found, and in one line each what was not."""

import pandas as pd
import pytest

from plancheck.page.leakage import alike_figure, apart_picture, grouped_figure, shared_figure
from plancheck.page.study import Study
from plancheck.reporting.apart_table import LADDER_APART

KINDS = ("same_id", "same_context", "near_context", "contained_context", "same_question", "near_question")
SETTINGS = {
    "context_words": 5, "sample": 16, "jaccard": 0.5, "containment": 0.8, "question_words": 3, "question_jaccard": 0.8
}  # fmt: skip


def row(learned, against="test", unknown=0, **shared):
    names = {name for ids in shared.values() for name in ids}
    shared = {kind: shared.get(kind, []) for kind in KINDS}
    return {"learned": learned, "against": against, "questions": 9, "unknown": unknown, "concerned": len(names),
            "shared": shared}  # fmt: skip


def report(*rows, concerned=(), **changes):
    return {
        "settings": SETTINGS,
        "learned": list(rows),
        "test": {"questions": 84, "concerned": list(concerned)},
        "contexts": {"compared": 29403, "verified": 0, "below": {"jaccard": 0.0, "containment": 0.0}, "pairs": []},
        "questions": {"compared": 36315, "pairs": []},
        "group_by_context": {
            "absent": None, "sizes": {"train": 30, "dev": 6, "test": 84}, "moved": 18, "concerned": 0
        },
    } | changes  # fmt: skip


def test_what_is_shared_is_told_by_what_was_learned_from():
    found = report(
        row("train", same_context=["a", "b"], near_question=["b"]),
        row("dev"),
        row("train", "dev", near_context=["d"]),
        row("selectors.mine", unknown=3),
        concerned=["a", "b"],
    )
    assert shared_figure(found).caption == (
        "2 of 84 test questions share something with what was learned from. Test questions share with the train "
        "questions (9): the context in 2 and nearly the same question and choices in 1. Dev questions share with the "
        "train questions (9): a nearly equal context in 1. Of selectors.mine (9), 3 are no questions of this study, "
        "and cannot be compared. Test questions share nothing with the dev questions (9) and selectors.mine (9)."
    )


def test_where_nothing_is_shared_that_is_told_in_a_line():
    caption = shared_figure(report(row("train"), row("dev"), row("train", "dev"))).caption
    assert caption == (
        "None of 84 test questions share something with what was learned from. Dev questions share nothing with the "
        "train questions (9). Test questions share nothing with the train questions (9) and the dev questions (9)."
    )


def test_how_alike_the_others_are_is_told_where_any_was_compared_in_full():
    assert "The others" not in alike_figure(report()).caption
    contexts = {"compared": 7140, "verified": 7, "below": {"jaccard": 0.474, "containment": 0.648}, "pairs": [{}] * 4}
    caption = alike_figure(report(contexts=contexts)).caption.replace("\N{NO-BREAK SPACE}", " ")
    assert "Of 7,140 pairs, estimates from one run in 16 left 7 to be compared in full; 4 are alike" in caption
    assert "The others of those share up to 47.4 % of both and 64.8 % of the smaller." in caption


@pytest.mark.parametrize(
    ("concerned", "told"), [(0, "no test question"), (1, "1 test question"), (2, "2 test questions")]
)
def test_what_grouping_would_change_is_told(concerned, told):
    grouped = report()["group_by_context"] | {"concerned": concerned}
    caption = grouped_figure(report(group_by_context=grouped)).caption
    assert "would be train 30, dev 6 and test 84. 18 questions would move" in caption
    assert f"and {told} would still share something" in caption


def test_why_nothing_is_said_of_grouping_is_told():
    grouped = {"absent": "it is in force", "sizes": None, "moved": None, "concerned": None}
    assert grouped_figure(report(group_by_context=grouped)).absent.endswith("here: it is in force.")


def picture(planner="sft+bm25"):
    rows = pd.DataFrame(
        [
            {"planner": name, "tier": tier, "control": "mmr", "budget_chars": 900, "questions": 78,
             "verdict": "cannot_tell", "verdict_all": before}
            for name, tier, before in (
                ("sft+bm25", "direct", "supported"), ("sft+bm25", "budgeted", "cannot_tell"),
                ("prompted+bm25", "direct", "supported"),
            )
        ],
        columns=LADDER_APART.names,
    )  # fmt: skip
    study = Study(
        {LADDER_APART.name: rows}, None, {}, {}, {}, {}, planner, "", None, None, None, [900], 0.95, 0.8, 0.05
    )
    return apart_picture(study, rows).caption


def test_the_verdicts_that_change_are_counted_and_the_planner_s_own_are_named():
    caption = picture()
    assert "On the 78 test questions that share nothing. At 900 characters 2 of 3 verdicts differ" in caption
    assert caption.endswith("Of sft+bm25 direct (mmr) was supported and is cannot tell.")
    assert picture("mine").endswith("for that alone.")
