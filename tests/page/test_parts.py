"""The page's parts that are no charts: families, the answer, the drill-down and provenance."""

import pandas as pd
import pytest
from pydantic import TypeAdapter

from plancheck.page.answer import answer
from plancheck.page.caveats import small_budgets
from plancheck.page.comparisons import where
from plancheck.page.controls import (
    choices_figures,
    documents_figure,
    rankings_picture,
    reading_figure,
    runs_figures,
    texts_picture,
    weights_figure,
)
from plancheck.page.drilldown import drilldown
from plancheck.page.families import families, families_of
from plancheck.page.insides import matched_supervision
from plancheck.page.kin import Yardstick, searchless, tuned_and_not, yardstick
from plancheck.page.ladder import matrices
from plancheck.page.mechanisms import family_text, mechanisms_arms, mechanisms_picture
from plancheck.page.page import silence
from plancheck.page.power import judged_comparison
from plancheck.page.provenance import models, parameters_text, split_digest
from plancheck.page.study import Study
from plancheck.page.tiers import tiers_figure
from plancheck.params.pack import Policy
from plancheck.params.rankings import Bm25, Random
from plancheck.params.selectors import Selector
from plancheck.plumbing.places import portable
from plancheck.records import FAILURES
from plancheck.reporting.paired import questions_needed
from plancheck.reporting.texts_table import TEXTS

SELECTORS = TypeAdapter(dict[str, Selector]).validate_python(
    {
        "prompted": {"kind": "planner"},
        "sft": {"kind": "planner", "adapter": "last"},
        "sft_early": {"kind": "planner", "adapter": "early"},
        "evidence": {"kind": "evidence"},
        "random_plan": {"kind": "random"},
    }
)


def luminance(colour):
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("paper", ["#ffffff", "#14181c"])
def test_every_family_stands_out_from_the_light_and_the_dark_page(paper):
    own = {f"mine_{number}": SELECTORS["prompted"] for number in range(7)}
    found = families(SELECTORS | own, ["direct", "retrieval", "budgeted", "rerank", "matched_supervision", "mine"])
    for family in found.values():
        low, high = sorted([luminance(family.colour), luminance(paper)])
        assert (high + 0.05) / (low + 0.05) >= 3, family


def test_a_policy_is_of_its_selector_or_its_tier():
    policies = {"bm25": None, "odd": None, "sft+nothing": "sft", "evidence+nothing": "evidence", "tuned": None}
    tiers = {"retrieval": ["bm25"], "my_tier": ["tuned"]}
    found = families_of(policies, SELECTORS, tiers)

    assert found == {
        "bm25": "tier:retrieval", "odd": "control", "sft+nothing": "selector:sft", "evidence+nothing": "harness",
        "tuned": "tier:my_tier",
    }  # fmt: skip
    assert set(found.values()) < set(families(SELECTORS, tiers))


def test_a_ranking_that_poses_as_a_plan_is_a_control_and_planners_of_one_s_own_have_families_of_their_own():
    selectors = TypeAdapter(dict[str, Selector]).validate_python(
        {
            "first": {"kind": "ranking", "ranking": "bm25", "atoms": 4},
            "mine": {"kind": "plans", "path": "mine.jsonl"},
            "again": {"kind": "planner"},
        }
    )
    policies = {"first+bm25": "first", "mine+bm25": "mine", "prompted+bm25": "prompted", "again+bm25": "again"}
    found = families_of(policies, SELECTORS | selectors, {"posing": ["first+bm25"]})
    assert found == {
        "first+bm25": "tier:posing", "mine+bm25": "selector:mine", "prompted+bm25": "selector:prompted",
        "again+bm25": "selector:again",
    }  # fmt: skip
    made = families(SELECTORS | selectors, ["posing"]).values()
    assert len({family.colour for family in made}) == len({family.label for family in made}) == len(made)


def rung(
    planner="sft+bm25", tier="direct", verdict="supported", pick="declared", budget=1800, n=48, split="all", **more
):
    return {
        "planner": planner, "tier": tier, "control": "c", "pick": pick, "candidates": 2, "budget_chars": budget,
        "split": split, "questions": n, "ties": n - 8, "identical": 0,
        "treatment_accuracy": 0.325, "difference": 0.1, "low": 0.05, "high": 0.2,
        "control_accuracy": 0.225, "p_adjusted": 0.01, "tests": 10, "discordance": 0.3,
        "verdict": verdict, "sentence": "So it is.",
    } | more  # fmt: skip


def study_of(rows, **more):
    """A study of sft+bm25 whose ladder holds these rows."""
    named = {
        "searchless": ["direct"],
        "planner": "sft+bm25", "control": "bm25", "budgets_chars": [1800, 600], "confidence": 0.95, "margin": 0.05,
        "power": 0.8, "perfect": Yardstick("evidence+bm25", "evidence+nothing"),
        "null": Yardstick("random_plan+bm25", "random_plan+nothing"), "tuned": None,
        "selector_of": {"sft+bm25": "sft", "random_plan+bm25": "random_plan"}, "selectors": SELECTORS,
        "families": families(SELECTORS, []), "family_of": {},
    }  # fmt: skip
    tables = {"ladder": pd.DataFrame(rows)} | more.pop("tables", {})
    return Study(tables, None, **named | more)


def said(study):
    """Every text of the answer, in order."""
    found = answer(study)
    return (found.verdict, *found.points, *found.caveats)


def test_a_system_that_is_no_planner_is_called_so_and_the_heading_names_whom_the_parameters_name():
    rows = [rung(tier=tier, verdict="opposite") for tier in ("direct", "router")]
    study = study_of(rows, subject="system", named=True)
    assert study.heading == "Does sft+bm25 beat strong retrieval?"
    verdict, figures, by_tier = said(study)[:3]
    assert verdict.startswith("No: the system beats 0") and figures.startswith("The system (sft+bm25) is")
    assert "the system is worse at 2 of 2 tiers" in by_tier
    assert tiers_figure(study).title == "The system against each tier of controls"
    assert study_of(rows).heading == "Does a learned context planner beat strong retrieval?"


def test_a_tier_does_not_search_where_no_control_of_it_does():
    policies = {name: Policy.model_validate(value) for name, value in {
        "nothing": "none", "head": "head", "chance": "dice", "found": "bm25",
        "named": {"fill": "none", "selector": "sft"}, "mixed": {"fill": {"dice": 1, "bm25": 1}},
    }.items()}  # fmt: skip
    rankings = {"dice": Random(kind="random", seed=1), "bm25": Bm25(kind="bm25", variant="okapi", k1=1.5, b=0.75)}
    tiers = {
        "a": ["nothing", "head", "chance"],
        "b": ["head", "found"],
        "c": ["head", "agent"],
        "d": ["named"],
        "e": ["mixed"],
    }
    assert searchless(tiers, policies, rankings) == ["a"]


@pytest.mark.parametrize(
    ("verdicts", "starts", "holds"),
    [
        (
            ["supported", "supported"],
            "Yes, in this run",
            "On all questions: the planner is better at 2 of 2 tiers: direct and router.",
        ),
        (
            ["opposite", "supported"],
            "Only in part: the planner beats 1 of 2",
            "the planner is worse at 1 of 2 tiers: direct.",
        ),
        (["supported", "opposite"], "No gain over retrieval is shown", "the planner is worse at 1 of 2 tiers: router."),
        (
            ["not_supported", "cannot_tell"],
            "Not shown in this run",
            "a gain of 5 points or more is excluded at 1 of 2 tiers: direct; they cannot tell",
        ),
        (
            ["not_supported", "opposite"],
            "No: the planner beats 0 of 2 tiers",
            "the planner is worse at 1 of 2 tiers: router;",
        ),
        (
            ["opposite", "opposite"],
            "No: the planner beats 0 of 2 tiers",
            "On all questions: the planner is worse at 2 of 2 tiers",
        ),
    ],
)
def test_the_answer_says_how_far_the_gain_survives(verdicts, starts, holds):
    rows = [rung(tier=tier, verdict=verdict) for tier, verdict in zip(("direct", "router"), verdicts, strict=True)]
    smaller = rung(tier="direct", verdict="opposite", budget=600)
    verdict, figures, by_tier = said(study_of([*rows, smaller]))

    assert verdict.startswith(starts)
    assert holds in f"{by_tier} "
    assert "is 32.5\N{NO-BREAK SPACE}% right on 48 questions" in figures


def test_the_answer_gives_the_figures_against_the_strongest_deciding_control():
    rows = [
        rung(difference=0.1, control="head"),
        rung(
            tier="rerank", difference=-0.1, low=-0.2, high=0.05, p_adjusted=0.25, control="best", verdict="cannot_tell"
        ),
        rung(tier="router", difference=-0.1, control="other", verdict="cannot_tell"),
        rung(tier="router", difference=-0.3, control="passed over", verdict="not_supported"),
        rung(tier="rerank", split="test", difference=-0.4, control="best on test", verdict="cannot_tell"),
    ]
    figures = answer(study_of(rows)).points[0].replace("\N{NO-BREAK SPACE}", " ")
    assert "strongest control it meets, best (reranking), is 22.5 % right: a" in figures
    assert "difference of −10.0 points [95 % interval −20.0 to +5.0], adj. p = 0.250." in figures


def test_where_these_questions_cannot_tell_the_answer_says_how_many_would():
    rows = [rung(tier=tier, verdict="cannot_tell", discordance=share) for tier, share in (("a", 0.3), ("b", 0.4))]
    least, most = (questions_needed(0.05, share, alpha=0.05 / 10, power=0.8) for share in (0.3, 0.4))
    assert f"a and b (about {least:,} to {most:,} questions would tell a gain of 5 points)." in said(study_of(rows))[2]
    (alone,) = [rows[0] | {"discordance": 0.04}]
    assert said(study_of([alone]))[2] == "On all questions: they cannot tell at 1 of 1 tier: a."


@pytest.mark.parametrize("turned", [False, True])
def test_several_routers_are_judged_as_one_tier_in_any_order_and_test_questions_are_counted_apart(turned):
    verdicts = {"logistic": "not_supported", "forest": "cannot_tell", "boosting": "supported"}
    routers = [rung(tier="router", verdict=found, control=name) for name, found in verdicts.items()]
    rows = pd.DataFrame(
        [rung(), rung(split="test", verdict="cannot_tell", n=14), *(routers[::-1] if turned else routers)]
    )
    _, _, by_tier, held_out = said(study_of(rows))
    (matrix,) = matrices(rows, {"sft+bm25": "selector:sft"}, list(families(SELECTORS, [])), planner="sft+bm25")

    assert by_tier.startswith("On all questions: the planner is better at 1 of 2 tiers: direct; ")
    assert "cannot tell at 1 of 2 tiers: router (forest) (about " in by_tier
    assert "14 test questions" in held_out
    assert "beats 0 of 1 tier, and 1 cannot be told (" in held_out
    ((_, (climb,)),) = matrix.groups
    assert [(found.control, found.verdict) for found in climb.decisive] == [
        ("c", "supported"),
        ("forest", "cannot_tell"),
    ]
    assert [found.pick for found in climb.rungs[1]] == ["decides among 3"]


def test_planners_that_cannot_tell_anywhere_are_set_apart_and_nobody_is_lost():
    rows = pd.DataFrame(
        [
            rung("mute", verdict="cannot_tell"),
            rung("sft+bm25", verdict="cannot_tell"),
            rung("sft+bm25", tier="rerank", verdict="not_supported"),
            rung("evidence", verdict="supported"),
            rung("random", verdict="cannot_tell"),
            rung("random", verdict="cannot_tell", split="test"),
            rung("heard on test", verdict="cannot_tell"),
            rung("heard on test", verdict="opposite", split="test"),
        ]
    )
    family_of = dict.fromkeys(("mute", "sft+bm25", "heard on test"), "selector:sft") | dict.fromkeys(
        ("evidence", "random"), "harness"
    )
    (matrix,) = matrices(rows, family_of, list(families(SELECTORS, [])), planner="sft+bm25")

    def names(groups):
        return [(family, [climb.planner for climb in climbs]) for family, climbs in groups]

    assert names(matrix.told) == [("selector:sft", ["sft+bm25", "heard on test"]), ("harness", ["evidence"])]
    assert names(matrix.silent) == [("selector:sft", ["mute"]), ("harness", ["random"])]
    text = silence(study_of(rows), matrix)
    assert text.startswith("2 planners cannot tell at any tier on n = 48 questions; about ")
    (heard,) = matrices(rows[3:4], family_of, list(families(SELECTORS, [])), planner="sft+bm25")
    assert heard.silent == () and silence(study_of(rows), heard) == ""


def point(points, part):
    """The one point that holds ``part``."""
    (found,) = (text for text in points if part in text)
    return found.replace("\N{NO-BREAK SPACE}", " ")


def test_ties_of_the_same_text_and_comparisons_of_a_text_with_itself_are_told_by_tier():
    rows = [
        rung(tier="direct"),
        rung(tier="retrieval", control="bm25", identical=21),
        rung(tier="rerank", control="rerank", identical=48, ties=48),
        rung(tier="router", control="forest", verdict="supported", identical=5),
        rung(tier="router", control="boosting", verdict="cannot_tell", identical=7),
        rung(tier="budgeted", split="test", identical=48),
        rung("evidence+bm25", identical=48),
    ]
    told = point(said(study_of(rows)), "same text")
    assert "That explains 21 of 40 ties with retrieval (bm25) and 7 of 40 ties with router (boosting)." in told
    assert told.endswith(
        "Against reranking (rerank) both showed every question the same text: that comparison says nothing."
    )
    assert not [text for text in said(study_of([rung()])) if "same text" in text]
    ((_, (climb,)),) = matrices(
        pd.DataFrame(rows[:3]), {"sft+bm25": "selector:sft"}, list(families(SELECTORS, [])), planner="sft+bm25"
    )[0].groups
    assert [found.same for (found,) in climb.rungs] == [
        "", "of 40 ties, 21 saw the same text", "both saw the same text in every question: says nothing",
    ]  # fmt: skip


def test_rankings_that_say_nothing_are_told_unless_there_was_one_atom_to_order():
    rankings = pd.DataFrame(
        [("bm25", 48, 14, 2), ("dense", 48, 2, 2), ("rerank_tuned", 48, 1, 0)],
        columns=["ranking", "questions", "silent", "one_atom"],
    )
    told = point(said(study_of([rung()], tables={"rankings": rankings})), "all scores of a ranking")
    assert told.endswith("bm25 in 12 of 48 questions and rerank_tuned in 1 of 48 questions.")
    assert answer(study_of([rung()], tables={"rankings": rankings.iloc[[1]]})).caveats == ()
    caption = rankings_picture(study_of([]), rankings).caption
    assert "bm25 in 14 of 48, dense in 2 of 48 and rerank_tuned in 1 of 48." in caption


@pytest.mark.parametrize(
    ("overflow", "follows"),
    [("cut", "by their first atom alone"), ("skip", "is never shown"), ("stop", "shows nothing")],
)
def test_budgets_below_one_atom_are_told_with_what_follows_and_in_the_answer_where_it_is_of_one(overflow, follows):
    texts = pd.DataFrame(
        [(1800, 48, 480, 400, 2, 800, 0), (600, 48, 480, 103, 240, 800, 30)], columns=TEXTS.names
    )  # fmt: skip
    study = study_of([rung()], tables={"texts": texts}, overflow=overflow)
    caption = texts_picture(study, texts).caption
    assert (
        "all questions under all policies are 480 cases. They show 103 distinct texts; 240 show the beginning of"
        in caption
    )
    assert "up to 800 characters: 600 (in 30 of 48 questions)." in caption
    assert follows in caption and "pack.budgets_chars and atoms.*.window_chars" in caption
    own = study_of([rung()], tables={"texts": texts}, facts={"atoms": {"uncovered": {}}})
    assert "pack.budgets_chars and atoms.path)" in small_budgets(own, 600)
    assert answer(study).caveats == ()
    below = study_of([rung()], tables={"texts": texts.assign(longer_atoms=7)}, overflow=overflow)
    assert "1,800 (in 7 of 48 questions)" in point(said(below), "less than one atom")


def test_the_weights_of_bm25_the_documents_and_equal_choices_are_told_from_what_the_stages_report():
    bm25 = {
        "kind": "bm25", "variant": "okapi",
        "questions": 48, "weight_0_or_below": 30, "first_atom_differs": 7, "first_five_differ": 19,
    }  # fmt: skip
    documents = {"1": 105, "2-5": 0, "6-50": 18, "more": 1}
    domains = {"asked": ["Multi-Document QA"], "present": ["Code", "Multi-Document QA"]}
    facts = {
        "retrieve": {"bm25": bm25},
        "atoms": {"multi_document": {"contexts": 124, "documents": documents, "domains": domains}},
        "benchmark": {"equal_choices": {"questions": 3, "with_gold": 1}},
    }
    study = study_of([], facts=facts)
    assert "concerns 30 of 48 questions: in 7 another atom comes first" in weights_figure(study).caption
    assert "in 19 the first five atoms are others" in weights_figure(study).caption
    assert (
        "124 contexts of multi-document domains: 105 hold 1 document, 18 hold 6 to 50 and 1 hold more than 50."
        in documents_figure(study).caption
    )
    assert "In 3 questions two choices read the same; in 1 of them" in choices_figures(study)[0].caption
    mended = {
        "retrieve": {"bm25": bm25 | {"variant": "lucene"}},
        "atoms": {"multi_document": {"contexts": 0, "documents": {}, "domains": domains | {"asked": ["multi"]}}},
        "benchmark": {"equal_choices": {"questions": 0, "with_gold": 0}},
    }
    study = study_of([], facts=mended)
    assert weights_figure(study).caption == "Every weight of bm25 is above 0 (rankings.bm25.variant is lucene)."
    assert "domains (multi); the domains of the questions are Code and Multi" in documents_figure(study).caption
    assert choices_figures(study) == ()


def read(coverage, truncated, atoms=400):
    return {"coverage": coverage, "atoms": atoms, "truncated": truncated, "truncated_share": truncated / atoms}


def test_how_much_encoder_and_cross_encoder_read_is_told_and_a_beginning_is_a_caveat():
    def told(dense, rerank):
        study = study_of([rung()], facts={"retrieve": {"dense": dense | {"kind": "dense"}}, "rerank": {"mine": rerank}})
        return said(study), reading_figure(study).caption.replace("\N{NO-BREAK SPACE}", " ")

    points, caption = told(read("head", 397), read("head", 30))
    assert point(points, "beginning").startswith(
        "The encoder of dense read only the beginning of 99.2 % of its atoms and the cross-encoder of mine read only "
        "the beginning of 7.5 % of its candidates. Evidence further back in an atom cannot raise its rank"
    )
    assert (
        "The encoder of dense read only the beginning of 99.2 % of its 400 atoms (rankings.dense.coverage is head)."
        in caption
    )
    points, caption = told(read("windows", 0), read("snippet", 395))
    assert len(points) == 3
    assert caption == (
        "The encoder of dense read all of its 400 atoms (rankings.dense.coverage is windows). The cross-encoder of "
        "mine read only what the planner is shown of 98.8 % of its 400 candidates (rankings.mine.coverage is snippet)."
    )
    points, _ = told(read("head", 0), read("head", 1))
    assert point(points, "beginning").startswith(
        "The cross-encoder of mine read only the beginning of 0.2 % of its candidates"
    )
    assert reading_figure(study_of([])).absent == "No ranking is by a model."


def test_what_a_run_lacks_is_told_where_there_is_one():
    lacks = {"kind": "run", "questions": 48, "questions_missing": 2, "atoms": 400, "atoms_missing": 100}
    study = study_of([], facts={"retrieve": {"mine": lacks | {"missing_share": 0.25}}})
    (shown,) = runs_figures(study)
    assert (
        "mine lacks 25.0\N{NO-BREAK SPACE}% of 400 pairs of question and atom, and 2 of 48 questions" in shown.caption
    )
    assert runs_figures(study_of([])) == ()


def test_without_the_planner_there_is_no_answer():
    assert said(study_of([])) == ("This run compares sft+bm25 with no control, so it gives no answer.",)
    assert "gives no answer" in said(study_of([rung("other")]))[0]


def kin_rows(*, perfect, null=0.5):
    """The judged planner, supported at neither tier, and the harness's planners in its fill and alone."""
    shares = {"sft+bm25": 0.325, "evidence+bm25": 0.4, "random_plan+bm25": null, "evidence+nothing": 0.725}
    verdicts = {"evidence+bm25": perfect, "evidence+nothing": ["supported", "supported"]}
    return [
        rung(name, tier=tier, verdict=verdicts.get(name, ["cannot_tell"] * 2)[place], treatment_accuracy=share)
        for name, share in shares.items()
        for place, tier in enumerate(("direct", "rerank"))
    ]


def test_the_perfect_and_the_null_planner_are_those_of_the_judged_planner_s_fill():
    points = " ".join(said(study_of(kin_rows(perfect=["cannot_tell", "not_supported"]))))
    points = points.replace("\N{NO-BREAK SPACE}", " ")

    assert "perfect planner (evidence+bm25), which names exactly the passages that hold the answer, is 40.0 %" in points
    assert "right and beats 0 of 2 tiers; the null planner (random_plan+bm25), which names passages at random" in points
    assert "is 50.0 % right and beats 0 of 2 tiers." in points
    assert "shows no gain at any tier, so none could be expected of another planner" in points
    assert "(evidence+nothing), is 72.5 % right and beats 2 of 2 tiers" in points
    assert "gets more of them right than the planner (50.0 % against 32.5 % right)." in points


def test_tiers_beyond_reach_are_named_where_the_perfect_planner_is_supported_elsewhere():
    points = " ".join(said(study_of(kin_rows(perfect=["supported", "cannot_tell"], null=0.3))))
    assert "shows no gain against reranking, so" in points
    assert "gets more of them right" not in points and "gets as many of them right" not in points
    assert "shows no gain" not in " ".join(said(study_of(kin_rows(perfect=["supported", "supported"]))))


def test_the_plans_evidence_recall_is_told_where_the_null_planner_does_as_well():
    selection = pd.DataFrame(
        [
            {"selector": selector, "split": split, "evidence_recall": recall}
            for selector, recall in (("sft", 0.225), ("random_plan", 0.25))
            for split in ("all", "test")
        ]
    )
    rows = kin_rows(perfect=["supported", "supported"], null=0.325)
    points = " ".join(said(study_of(rows, tables={"selection": selection}))).replace("\N{NO-BREAK SPACE}", " ")
    assert "gets as many of them right as the planner" in points
    assert "evidence recall of the plans: null 25.0 %, its own 22.5 %." in points


def test_without_planners_of_the_same_fill_the_plans_alone_are_named_and_nothing_is_beyond_reach():
    rows = [rung(verdict="cannot_tell"), rung("evidence+nothing", verdict="cannot_tell"), rung("random_plan+nothing")]
    alone = {"perfect": Yardstick(None, "evidence+nothing"), "null": Yardstick(None, "random_plan+nothing")}
    points = " ".join(said(study_of(rows, **alone)))
    assert "Not all with the same fill" in points
    assert "the perfect planner (evidence+nothing, the plan alone)" in points
    assert "could be expected" not in points


def test_the_held_out_sentence_says_what_the_perfect_planner_reaches():
    tested = [rung(name, split="test", verdict="cannot_tell", n=12) for name in ("sft+bm25", "evidence+bm25")]
    text = answer(study_of([rung(), rung("evidence+bm25"), *tested])).points[2]
    assert "perfect planners: evidence+bm25 beats 0. So this part could not have shown a gain." in text
    tested[1]["verdict"] = "supported"
    text = answer(study_of([rung(), rung("evidence+bm25"), *tested])).points[2]
    assert text.endswith("perfect planners: evidence+bm25 beats 1.")


def test_kin_differ_in_one_thing_alone():
    anchored = {"anchors": {"ranking": "bm25", "atoms": 2}, "fill": {"bm25": 1, "dense": 1}}
    policies = {
        name: Policy.model_validate(policy)
        for name, policy in {
            "rerank": {"fill": "rerank"},
            "mine": {"selector": "sft", **anchored},
            "ordered": {"selector": "sft", "order": "hybrid", "fill": "none"},
            "other": {"selector": "evidence", "fill": {"bm25": 1, "dense": 1}},
            "same": {"selector": "evidence", **anchored},
            "alone": {"selector": "evidence", "fill": "none"},
            "tuned": {"fill": "rerank_tuned"},
        }.items()
    }
    assert yardstick(policies, "mine", "evidence") == Yardstick("same", "alone")
    assert yardstick(policies, "ordered", "evidence") == Yardstick(None, "alone")
    assert yardstick(policies, "mine", "random_plan") == Yardstick(None, None)
    untuned = {"rerank_tuned": "rerank"}
    assert tuned_and_not(policies, untuned) == ("tuned", "rerank")
    assert tuned_and_not(policies, {}) is None
    assert tuned_and_not({name: policies[name] for name in ("tuned", "mine")}, untuned) is None


def test_matched_supervision_is_told_from_the_same_budget_and_questions():
    main = pd.DataFrame(
        [
            {"policy": name, "budget_chars": budget, "split": split, "accuracy": accuracy, "evidence_recall": recall}
            for name, accuracy, recall in (("tuned", 0.5, 0.625), ("rerank", 0.45, 0.65))
            for budget, split in ((1800, "all"), (1800, "test"), (600, "all"))
        ]
    )
    tuned = {"tuned": ("tuned", "rerank")}
    text = matched_supervision(study_of([], tables={"main": main}, **tuned)).replace("\N{NO-BREAK SPACE}", " ")
    assert "tuned on the same rows" in text
    assert "it is 50.0 % right, rerank without that tuning 45.0 %" in text
    assert "hold 62.5 % of the evidence, those of rerank 65.0 %" in text
    unknown = matched_supervision(study_of([], tables={"main": main.assign(evidence_recall=None)}, **tuned))
    assert "evidence" not in unknown
    assert matched_supervision(study_of([], tables={"main": main})) == ""
    taught = matched_supervision(study_of([], tables={"main": main}, reranker_questions=300, **tuned))
    assert (
        "gold evidence of 300 other generated questions, which the planner never saw. So both rerankers learned"
        in taught
    )


def test_measures_of_too_few_wins_to_test_are_drawn_and_the_caption_counts_no_test():
    row = {"budget_chars": 1800, "treatment": "sft+bm25", "control": "rerank", "pick": "declared", "candidates": 1,
           "measure": "gini", "scorer": "bm25", "untested": "too few wins and losses", "members": 1,
           "wins": 2, "losses": 3, "mean_wins": 0.4, "mean_losses": 0.5, "median_wins": 0.4, "median_losses": 0.5,
           "p": None, "p_adjusted": None, "tests": None}  # fmt: skip
    table = pd.DataFrame([row]).astype({"p": "float64", "p_adjusted": "float64", "tests": "Int64"})
    picture = mechanisms_picture(study_of([]), table)
    assert len(picture.charts) == 1
    assert picture.caption.startswith("sft+bm25 against rerank. ")
    assert "Size of the family: 1 (measures and their scorers) x 1 (budgets) = 1. " in picture.caption
    assert "Of 0 tests with enough wins and losses, 0 hold" in picture.caption


def test_the_mechanisms_name_the_control_picked_at_each_budget_and_the_size_of_the_family():
    table = pd.DataFrame(
        {
            "budget_chars": [900, 900, 600, 600],
            "treatment": "sft+rerank",
            "control": ["rerank", "rerank", "fused", "fused"],
            "candidates": 3,
            "p_adjusted": [0.01, 0.2, None, 0.3],
        }
    )
    assert mechanisms_arms(table) == (
        "sft+rerank against rerank at 900 characters and fused at 600 characters, the best of 3 controls on the same "
        "questions."
    )
    assert family_text(table, 0.05).startswith(
        "Size of the family: 2 (measures and their scorers) x 2 (budgets) = 4. Of 3 tests with enough wins and losses, "
        "1 hold at 0.05"
    )


def test_a_row_of_the_order_study_says_what_is_held():
    row = {"budget_chars": 1800, "held": "shown"}
    assert where(row).replace("\N{NO-BREAK SPACE}", " ") == "1,800 chars, atoms shown held"
    assert where(row | {"held": "selected"}).endswith("plan held")


def test_power_says_what_the_judged_comparison_can_show_and_what_the_margin_takes():
    power = pd.DataFrame(
        [
            {"budget_chars": budget, "treatment": "sft+bm25", "control": control, "questions": 40, "discordance": 0.25,
             "detectable": 0.219, "effect": effect, "needed_exact": round(2 / effect**2)}
            for budget in (1800, 600) for control in ("dense", "bm25") for effect in (0.02, 0.05)
        ]
    )  # fmt: skip
    text = judged_comparison(study_of([], tables={"power": power})).replace("\N{NO-BREAK SPACE}", " ")
    assert text.startswith(
        "sft+bm25 against bm25 at 1,800 characters: 40 questions can show a difference of 21.9 points"
    )
    assert text.endswith("one of the margin, 5 points, takes 800 questions at the discordance seen, 25.0 %.")
    few = judged_comparison(study_of([], tables={"power": power.assign(detectable=None)}))
    assert "are too few to show any difference" in few
    assert judged_comparison(study_of([])) == ""


def test_the_drilldown_holds_a_letter_a_question_policy_and_budget_and_every_right_letter():
    rows = [
        ("q2", "p", 9, "B", False, None),
        ("q2", "r", 9, None, False, "too_long"),
        ("q1", "p", 9, "D", True, None),
        ("q1", "r", 9, "A", True, None),
        ("q1", "p", 5, "B", True, None),
    ]
    predictions = pd.DataFrame(
        [
            {"question_id": q, "policy": p, "budget_chars": b, "letter": letter, "gold": "A", "correct": correct,
             "failure": failure}
            for q, p, b, letter, correct, failure in rows
        ]
    )  # fmt: skip
    found = drilldown(
        predictions, {"q1": "D2", "q2": "D1", "q3": "D1"}, {"train": ["q2"], "dev": ["q3"], "test": ["q1"]},
        policies=["p", "r"], budgets_chars=[9, 5],
    )  # fmt: skip

    assert found["questions"] == [["q1", 1, "test", "ABD"], ["q2", 0, "train", "A"], ["q3", 0, "dev", ""]]
    assert found["domains"] == ["D1", "D2"]
    (mark,) = (mark for mark, failure in found["failures"].items() if failure == "too_long")
    assert found["letters"] == [["DA", f"B{mark}", ".."], ["B.", "..", ".."]]
    assert sorted(found["failures"].values()) == sorted(FAILURES)


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


@pytest.mark.parametrize("tier", ["sft", "prompted", "sft_early", "harness", "router"])
def test_a_tier_named_like_another_family_has_one_of_its_own(tier):
    found = families_of({"bm25": None, "p": "sft"}, SELECTORS, {tier: ["bm25"]})
    assert found == {"bm25": f"tier:{tier}", "p": "selector:sft"}
    assert families(SELECTORS, [tier])[f"tier:{tier}"].label == f"Controls: {tier}"
