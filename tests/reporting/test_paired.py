"""The columns of paired comparisons, on the published study's outcomes and on laws that any outcomes obey."""

import random

import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

from plancheck.reporting.paired import PAIRED, Arm, Method, adjusted, arm, paired
from plancheck.statistics.power import examples_needed_exactly

PUBLISHED = Method(confidence=0.95, power=0.8, margin=0.02, seed=20260225, resamples=10_000)


def outcomes(wins, losses, both, neither):
    treatment = [1] * wins + [0] * losses + [1] * both + [0] * neither
    control = [0] * wins + [1] * losses + [1] * both + [0] * neither
    return {"planner": treatment, "control": control}


def figures(results, method, *, swapped=False, split="all"):
    arms = [arm(results, name, 900) for name in ("planner", "control")]
    return paired(*(reversed(arms) if swapped else arms), results, split, method)


def test_the_published_held_out_comparison(study):
    found = figures(study(outcomes(12, 20, 44, 76)), PUBLISHED)
    assert (found["questions"], found["wins"], found["losses"], found["ties"]) == (152, 12, 20, 120)
    accuracies = [round(100 * found[f"{side}_accuracy"], 2) for side in ("treatment", "control")]
    assert accuracies == [36.84, 42.11]
    assert round(found["p"], 3) == 0.215
    assert [round(100 * found[bound]) for bound in ("low", "high")] == [-12, 2]


def test_the_published_planner_and_reranker(study):
    found = figures(study(outcomes(68, 59, 113, 263)), PUBLISHED)
    assert (round(100 * found["difference"], 2), round(found["p"], 3)) == (1.79, 0.478)
    assert found["needed"] == examples_needed_exactly(0.02, 127 / 503)
    assert found["discordance"] == 127 / 503


def test_identical_arms_give_p_of_1_and_nothing_to_detect(study, method):
    found = figures(study(outcomes(0, 0, 5, 7)), method)
    assert (found["p"], found["difference"], found["low"], found["high"]) == (1, 0, 0, 0)
    assert found["detectable"] is None and found["needed"] is None


def test_pairs_that_saw_the_same_text_are_counted_on_the_questions_compared(study, method):
    shown = {"planner": ["same"] * 5 + ["ours"] * 3, "control": ["same"] * 3 + ["theirs"] * 2 + ["ours"] * 3}
    results = study(outcomes(0, 2, 3, 3), sizes=(2, 2, 4), shown=shown)
    assert figures(results, method)["identical"] == 6
    assert figures(results, method, split="test")["identical"] == 3
    assert figures(study(outcomes(0, 2, 3, 3)), method)["identical"] == 0


def test_swapping_the_arms_mirrors_the_figures(study, method):
    results = study(outcomes(9, 4, 12, 11), contexts=[f"c{number // 2}" for number in range(36)])
    one, other = figures(results, method), figures(results, method, swapped=True)
    assert (other["wins"], other["losses"], other["ties"]) == (one["losses"], one["wins"], one["ties"])
    assert (other["p"], other["detectable"], other["needed"]) == (one["p"], one["detectable"], one["needed"])
    assert other["difference"] == pytest.approx(-one["difference"])
    assert (other["low"], other["high"]) == pytest.approx((-one["high"], -one["low"]))


def test_permuting_the_questions_changes_nothing(study, method):
    rows, contexts = outcomes(9, 4, 12, 11), [f"c{number // 3}" for number in range(36)]
    assert figures(study(rows, contexts=contexts, shuffle=3), method) == figures(study(rows, contexts=contexts), method)


def test_only_shared_contexts_tell_the_two_intervals_apart(study, method):
    rows = outcomes(9, 4, 12, 11)
    alone = figures(study(rows), method)
    assert (alone["low"], alone["high"]) == (alone["plain_low"], alone["plain_high"])
    assert alone["contexts"] == alone["questions"] == 36
    together = figures(study(rows, contexts=[f"c{number // 4}" for number in range(36)]), method)
    assert together["contexts"] == 9
    assert together["high"] - together["low"] > 1.3 * (together["plain_high"] - together["plain_low"])
    assert (together["plain_low"], together["plain_high"]) == (alone["low"], alone["high"])


def test_a_split_holds_its_own_questions_alone(study, method):
    found = figures(study(outcomes(2, 2, 2, 2), sizes=(2, 2, 4)), method, split="test")
    assert (found["questions"], found["wins"], found["losses"], found["ties"]) == (4, 0, 0, 4)


def test_an_arm_that_lacks_a_question_is_refused(study, method):
    results = study(outcomes(2, 2, 2, 2))
    with pytest.raises(KeyError, match="q0003"):
        paired(
            Arm("short", results.right("planner", 900).drop("q0003").to_dict(), results.texts("planner", 900)),
            arm(results, "control", 900),
            results,
            "all",
            method,
        )


def test_each_family_is_adjusted_alone_and_says_its_size():
    generator = random.Random(3)
    rows = [{"name": name, "p": generator.random() / 10} for name in "aaaabbb"]
    rows.insert(2, {"name": "a", "p": None})
    table = pd.DataFrame(adjusted(rows, family=lambda row: row["name"]))

    for name, size in (("a", 4), ("b", 3)):
        own = table[(table["name"] == name) & table["p"].notna()]
        assert own["tests"].tolist() == [size] * size
        assert own["p_adjusted"].tolist() == pytest.approx(multipletests(own["p"], method="fdr_bh")[1].tolist())
    untested = table.iloc[2]
    assert pd.isna(untested["p_adjusted"]) and pd.isna(untested["tests"])


def test_rows_of_the_same_test_count_once():
    rows = [{"name": name, "p": p} for name, p in (("one", 0.01), ("two", 0.03), ("one", 0.01), ("three", 0.5))]
    found = adjusted(rows, test=lambda row: row["name"])
    assert [row["tests"] for row in found] == [3] * 4
    assert [row["p_adjusted"] for row in found] == pytest.approx([0.03, 0.045, 0.03, 0.5])


def test_no_rows_stay_none():
    assert adjusted([]) == []


def test_a_comparison_has_just_the_declared_columns(study, method):
    found = adjusted([figures(study(outcomes(3, 1, 2, 2)), method)])[0]
    assert set(found) == {name for column in PAIRED for name in column.sources}
