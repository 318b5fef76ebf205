"""Rules between the sections of params.yaml, and the profiles as Hydra composes them."""

import re
from pathlib import Path

import pytest

from plancheck.params.comparison import budgets
from plancheck.params.pack import Policy, deployable
from plancheck.params.study import parse_params, read_params
from plancheck.plumbing.errors import StudyError

ROOT = Path(__file__).parents[2]
SELECTORS = ["prompted", "sft", "sft_early"]
PROFILES = sorted(path.stem for path in (ROOT / "conf/profile").glob("*.yaml"))
FILLS = ["nothing", "hybrid_anchor", "bm25", "rerank", "hybrid_order", "hybrid_first"]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_holds_the_planner_policies_of_every_selector_after_the_controls(profile, composed):
    params = parse_params(composed(profile), name=profile)
    policies = list(params.pack.policies)
    planner = [f"{selector}+{fill}" for selector in SELECTORS for fill in FILLS]
    start = policies.index(planner[0])
    assert policies[start : start + len(planner)] == planner
    assert all(params.pack.policies[name].selector is None for name in policies[:start])
    assert list(params.selectors)[:3] == SELECTORS


def test_the_demo_alone_has_the_controls_of_the_harness_and_of_supervision(composed):
    demo, published = (parse_params(composed(name), name=name) for name in ("demo", "longbench_v2"))
    only = set(demo.pack.policies) - set(published.pack.policies)
    harness = {f"{name}+{fill}" for name in ("evidence", "evidence_half", "random_plan") for fill in FILLS[:2]}
    assert only == {"rerank_tuned", *harness}
    assert (demo.tune.enabled, published.tune.enabled) == (True, False)


def test_the_large_demo_is_the_demo_with_more_questions(composed):
    demo, large = (composed(name) for name in ("demo", "demo_large"))
    assert large["split"]["sizes"] == {"train": 60, "dev": 12, "test": 408}
    for sized in (demo, large):
        sized["benchmark"]["controlled"]["questions"] = sized["profile"] = sized["split"]["sizes"] = None
    assert large == demo


def test_params_yaml_is_what_the_demo_profile_composes(composed):
    assert read_params(ROOT / "params.yaml") == parse_params(composed("demo"), name="demo")


def test_a_policy_of_a_selector_that_makes_no_plans_names_what_to_add(composed):
    values = composed("demo", "~selectors.sft_early", "policies=[controls,planner]")
    with pytest.raises(StudyError) as caught:
        parse_params(values, name="params.yaml")
    message = str(caught.value)
    assert "selectors: lacks 'sft_early', which pack.policies sft_early+nothing, sft_early+hybrid_" in message
    assert "rerank_tuned" not in message


def test_a_policy_of_the_tuned_reranker_wants_it_tuned(composed):
    with pytest.raises(StudyError, match=r"tune.enabled: is false, but rankings rerank_tuned use .*; set it to"):
        parse_params(composed("demo", "tune.enabled=false"), name="params.yaml")


def test_a_cross_encoder_reads_what_the_planner_is_shown_only_where_that_is_a_part(composed):
    with pytest.raises(
        StudyError, match=r"rankings.rerank.coverage: is 'snippet'.*planner.snippet_chars is null.*windows"
    ):
        parse_params(composed("demo", "rankings.rerank.coverage=snippet", "planner.snippet_chars=null"), name="demo")
    for coverage in ("head", "windows"):
        whole = composed("demo", f"rankings.rerank.coverage={coverage}", "planner.snippet_chars=null")
        assert parse_params(whole, name="demo").rankings["rerank"].chars(None) is None
    shown = parse_params(composed("demo", "rankings.rerank.coverage=snippet"), name="demo")
    assert shown.rankings["rerank"].chars(shown.planner.snippet_chars) == shown.planner.snippet_chars


def test_a_reranker_is_not_tuned_on_the_questions_of_the_study(composed):
    values = composed("demo")
    values["models"]["reranker"]["seed"] = values["benchmark"]["seed"]
    with pytest.raises(StudyError, match=r"models\.reranker\.seed: .* would be tuned on the study's own questions"):
        parse_params(values, name="demo")


def test_routers_follow_the_largest_budget(composed):
    assert composed("longbench_v2")["route"]["budget_chars"] == 18000
    assert composed("demo", "pack.budgets_chars=[900,400]")["route"]["budget_chars"] == 900


def test_every_policy_and_budget_that_routers_lack_is_named_at_once(composed):
    values = composed("demo", "route.control=hybrid_anchors", "route.planner=sft", "route.budget_chars=1801")
    with pytest.raises(StudyError) as caught:
        parse_params(values, name="params.yaml")
    message = str(caught.value)
    assert "route.control: 'hybrid_anchors' is not in pack.policies; name one of no_context, head" in message
    assert "route.planner: 'sft' is not in pack.policies" in message
    assert "route.budget_chars: 1801 is not in pack.budgets_chars; use one of 900, 450, 300" in message


def test_policies_of_the_harness_are_not_deployable(composed):
    params = parse_params(composed("demo"), name="demo")
    assert set(params.pack.policies) - set(deployable(params.pack.policies, params.selectors)) == {
        f"{name}+{fill}" for name in ("evidence", "evidence_half", "random_plan") for fill in FILLS[:2]
    }


def test_policies_can_be_left_out_with_their_selectors(composed):
    values = composed("smollm2", "policies=[controls]", "route.planner=rerank")
    assert not any(policy.selector for policy in parse_params(values, name="x").pack.policies.values())


def test_the_ladder_of_a_profile_holds_every_control_once_and_no_planner(composed):
    for profile in PROFILES:
        params = parse_params(composed(profile), name=profile)
        laddered = [name for policies in params.analyze.tiers.values() for name in policies]
        assert laddered == [name for name, policy in params.pack.policies.items() if not policy.selector]


def test_budgets_of_comparisons_follow_the_budgets_packed(composed):
    params = parse_params(composed("demo", "pack.budgets_chars=[400,900]", "route.budget_chars=900"), name="x")
    meant = {
        name: budgets(declared.budget_chars, params.pack.budgets_chars)
        for name, declared in params.analyze.comparisons.items()
    }
    assert (meant["guided"], meant["guided_smallest"], meant["best_planner"]) == ([900], [400], [400])


@pytest.mark.parametrize(
    ("meant", "budgets_chars", "expected"),
    [
        ("smaller", [18000, 9000, 6000], [9000, 6000]),
        ("smaller", [600, 1800, 900], [600, 900]),
        ("smaller", [1800], [1800]),
        ("largest", [600, 1800, 900], [1800]),
        ("smallest", [900, 600, 1800], [600]),
        (900, [1800, 900], [900]),
    ],
)
def test_the_words_for_budgets_are_meant_among_those_packed(meant, budgets_chars, expected):
    assert budgets(meant, budgets_chars) == expected


@pytest.mark.parametrize("profile", PROFILES)
def test_every_published_comparison_is_declared_in_every_profile(profile, composed):
    params = parse_params(composed(profile), name=profile)
    made = {
        (" or ".join(params.analyze.candidates(declared.treatment)),
         " or ".join(params.analyze.candidates(declared.control)), declared.split, declared.family, budget)
        for declared in params.analyze.comparisons.values()
        for budget in budgets(declared.budget_chars, params.pack.budgets_chars)
    }  # fmt: skip
    large, *small = params.pack.budgets_chars
    rerankers = "rerank or rerank_anchor or rerank_fused"
    assert made >= {
        ("bm25", "hybrid_anchor", "all", "published", large),
        ("sft+bm25", "bm25", "all", "published", large),
        ("sft+hybrid_anchor", "hybrid_anchor", "all", "published", large),
        ("sft+hybrid_anchor", "hybrid_anchor", "test", "published", large),
        *(("sft_early+rerank", rerankers, "all", "sensitivity", budget) for budget in small),
    }
    assert {row for row in made if row[3] == "table_4"} == {
        row
        for budget in small
        for row in (
            ("sft+hybrid_anchor or sft+bm25 or sft+rerank", "hybrid_weighted or mmr", "all", "table_4", budget),
            ("sft+rerank", rerankers, "all", "table_4", budget),
        )
    }
    assert params.analyze.by_domain == ["guided"]


def test_a_treatment_may_be_the_best_of_a_tier_as_a_control_may(composed):
    sides = "treatment:{best_of:rerank},control:{best_of:retrieval}"
    override = f"analyze.comparisons.guided={{{sides}}}"
    analyze = parse_params(composed("demo", override, "analyze.by_domain=[]"), name="demo").analyze
    assert analyze.candidates(analyze.comparisons["guided"].treatment) == ["rerank", "rerank_anchor", "rerank_fused"]


def test_any_policy_is_a_control_of_the_mechanisms(composed):
    for control in ("bm25", "rerank_anchor", "sft+nothing"):
        params = parse_params(composed("demo", f"analyze.comparisons.best_rerank.control={control}"), name="x")
        assert params.analyze.mechanisms.comparison == "best_rerank"


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("analyze.tiers.direct=[nowhere]", "analyze.tiers.direct: 'nowhere' is not in pack.policies"),
        ("analyze.tiers.direct=[sft+bm25]", "analyze.tiers.direct: 'sft+bm25' has a selector, so it is no control"),
        ("analyze.tiers.direct=[head,head]", "analyze.tiers.direct: 'head' comes twice"),
        ("+analyze.tiers.router=[head]", "'router' is made from data/routing.parquet; call yours differently"),
        ("analyze.comparisons.guided.treatment=sft+", "analyze.comparisons.guided: 'sft+' is not in pack.policies"),
        ("analyze.comparisons.guided.control=sft+hybrid_anchor", "'sft+hybrid_anchor' is compared with itself"),
        ("+analyze.comparisons.guided.budget_chars=7", "pack.budgets_chars 900, 450, 300, got 7"),
        (
            "analyze.comparisons.guided_best_rerank.control.best_of=x",
            "best_of names no tier 'x'; there are direct, retr",
        ),
        ("analyze.comparisons.guided_best_rerank.control.best_of=[bm25,x]", "'x' is not in pack.policies"),
        ("analyze.mechanisms.comparison=x", "analyze.mechanisms.comparison: 'x' is not in analyze.comparisons"),
        ("analyze.comparisons.guided.control={best_of:[]}", "guided: best_of needs a tier's name, or two or more"),
        ("analyze.comparisons.guided.control={best_of:[bm25]}", "guided: best_of needs a tier's name, or two or more"),
        ("analyze.comparisons.guided.control={best_of:[bm25,bm25]}", "guided: best_of: 'bm25' comes twice"),
        ("analyze.comparisons.guided.control={best_of:[bm25,sft+bm25]}", "best_of: 'sft+bm25' has a selector, so it"),
        ("analyze.comparisons.guided.treatment={best_of:[sft+bm25]}", "guided: best_of needs a tier's name, or two or"),
        ("analyze.comparisons.guided.treatment={best_of:[sft+,sft+bm25]}", "guided: best_of: 'sft+' is not in pack"),
        ("analyze.comparisons.guided.treatment={best_of:[sft+bm25,sft+bm25]}", "best_of: 'sft+bm25' comes twice"),
        (
            "analyze.comparisons.guided.treatment={best_of:x}",
            "guided: best_of names no tier 'x'; there are direct",
        ),
        (
            "analyze.comparisons.guided.treatment={best_of:[sft+bm25,hybrid_anchor]}",
            "guided: 'hybrid_anchor' is compared with itself",
        ),
        (
            "analyze.comparisons.best_planner.treatment={best_of:[mmr,sft+bm25]}",
            "best_planner: 'mmr' is compared with itself",
        ),
        ("analyze.comparisons.guided.family='Table 4'", "analyze.comparisons.guided.family"),
        ("+analyze.comparisons.guided.budget_chars=small", "analyze.comparisons.guided.budget_chars"),
        ("analyze.by_domain=[x]", "analyze.by_domain: 'x' is not in analyze.comparisons"),
        ("analyze.by_domain=[guided,guided]", "analyze.by_domain: 'guided' comes twice"),
        (
            "analyze.by_domain=[best_planner]",
            "analyze.by_domain: 'best_planner' picks a side by best_of; name",
        ),
        ("+analyze.tiers.more=[head,mmr]", "analyze.tiers: 'head' is in direct and more; a policy is in one tier"),
        ("+analyze.tiers.more=[head,mmr]", "analyze.tiers: 'mmr' is in budgeted and more; a policy is in one tier"),
        ("analyze.mechanisms.comparison=best_planner", "'best_planner' picks its treatment by best_of; name a"),
        ("analyze.mechanisms.comparison=guided_held_out", "'guided_held_out' is of the questions of split test"),
        ("analyze.mechanisms.comparison=lexical", "'lexical' is of treatment 'bm25', which has no selector"),
    ],
)
def test_a_section_analyze_that_names_what_there_is_not_is_refused(override, expected, composed):
    with pytest.raises(StudyError) as caught:
        parse_params(composed("demo", override), name="params.yaml")
    assert expected in str(caught.value)


def test_all_problems_of_section_analyze_are_listed_at_once(composed):
    overrides = [
        "analyze.tiers.direct=[x]",
        "analyze.comparisons.lexical.control=y",
        "analyze.comparisons.guided.control=z",
    ]
    overrides += ["analyze.comparisons.guided.treatment={best_of:[u,bm25]}", "analyze.by_domain=[v]"]
    with pytest.raises(StudyError) as caught:
        parse_params(composed("demo", *overrides), name="params.yaml")
    assert all(f"'{name}' is not in pack.policies" in str(caught.value) for name in "xyzu")
    assert "'v' is not in analyze.comparisons" in str(caught.value)


def test_an_empty_best_of_is_one_problem(composed):
    with pytest.raises(StudyError, match="1 parameter"):
        parse_params(composed("demo", "analyze.comparisons.guided.control={best_of:[]}"), name="params.yaml")


@pytest.mark.parametrize(
    ("targets", "rule"),
    [
        ("[]", "should have at least 1 item"),
        ("['.*']", "should match pattern"),
        ("[all-linear]", "should match pattern"),
        ("[q_proj,q_proj]", "'q_proj' comes twice"),
    ],
)
def test_layers_to_adapt_are_names_and_each_once(targets, rule, composed):
    with pytest.raises(StudyError) as caught:
        parse_params(composed("demo", f"train.lora_targets={targets}"), name="params.yaml")
    assert "train.lora_targets" in str(caught.value)
    assert rule in str(caught.value)


def test_a_role_in_the_place_of_a_model_is_that_roles_own(composed):
    values = composed("demo")
    assert values["models"]["planner"] == "answer"
    models = parse_params(values, name="demo").models
    assert models["planner"] == models["answer"]


@pytest.mark.parametrize(("named", "others"), [("nobody", {}), ("planner", {}), ("encoder", {"encoder": "planner"})])
def test_a_role_that_no_model_stands_behind_is_refused(named, others, composed):
    values = composed("demo")
    values["models"] |= {"planner": named, **others}
    with pytest.raises(StudyError, match=rf"planner names '{named}', which is no role with a model of its own"):
        parse_params(values, name="demo")


def test_a_name_in_the_place_of_a_policy_is_its_fill(composed):
    values = composed("demo")
    assert values["pack"]["policies"]["bm25"] == "bm25"
    assert parse_params(values, name="demo").pack.policies["bm25"] == Policy(fill="bm25")


SERVED = {"source": "served", "base_url": "http://127.0.0.1:8000/v1", "model": "m"}


@pytest.mark.parametrize(
    ("role", "model", "change", "problem"),
    [
        ("answer", SERVED, {"answer.mode": "likelihood"}, "answer.mode=likelihood needs its tokenizer"),
        ("planner", SERVED, {"mine.begin_reply": True}, "mine.begin_reply needs its tokenizer"),
        ("planner", SERVED, {}, "selectors.sft.adapter: models.planner is served"),
        ("encoder", SERVED, {}, "models.encoder: is served"),
        ("answer", SERVED | {"base_url": "http://user:key@host/v1"}, {}, "must hold no key"),
        ("answer", SERVED | {"base_url": "https://host/v1?api_key=k"}, {}, "must hold no key"),
        ("answer", SERVED | {"base_url": "127.0.0.1:8000"}, {}, "must be an address"),
        ("answer", SERVED | {"budget_cost": 1.0}, {}, "budget_cost needs prompt_price or reply_price"),
    ],
)
def test_what_no_server_can_do_is_refused_before_anything_runs(role, model, change, problem, composed):
    values = composed("demo")
    values["models"][role] = model
    for place, value in change.items():
        section, name = place.split(".")
        values[section][name] = value
    with pytest.raises(StudyError, match=re.escape(problem)):
        parse_params(values, name="params.yaml")


def test_a_served_answer_model_is_a_valid_one(composed):
    values = composed("demo")
    here = values["models"]["answer"]
    values["models"] |= {"answer": SERVED | {"budget_cost": 2.5, "reply_price": 0.6}, "planner": here}
    values["answer"]["mode"] = "generate"
    assert parse_params(values, name="params.yaml").models["answer"].concurrency == 8
