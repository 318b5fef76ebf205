"""Stage pack with plans: what conditions show when plans are made, fail or are missing."""

import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.params.pack import Pack, Policy
from plancheck.params.rankings import Rankings
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, read_table, write_table
from plancheck.records import ATOMS, GIVEN_CONTEXTS, PLANS, RANKINGS, Benchmark, Question, Span
from plancheck.stages import pack

TEXT = "".join(chr(ord("a") + number) * 10 for number in range(5))  # five atoms of ten characters each
CONTEXT = hashlib.sha256(TEXT.encode()).hexdigest()
QUESTIONS = ("q1", "q2")
POLICIES = {
    "no_context": Policy(fill="none"),
    "bm25": Policy(fill="bm25"),
    "rerank_tuned": Policy(fill="rerank_tuned"),
    "sft+nothing": Policy(selector="sft", fill="none"),
    "sft+bm25": Policy(selector="sft", fill="bm25"),
    "sft+hybrid_order": Policy(selector="sft", fill="none", shown_order="hybrid"),
    "sft+hybrid_first": Policy(selector="sft", fill="none", order="hybrid"),
    "rerank_shown_hybrid": Policy(fill="rerank", shown_order="hybrid"),
}


RANKED = {
    "bm25": {"kind": "bm25", "variant": "okapi"},
    "hybrid": {"kind": "fusion", "weights": {"bm25": 1}},
    "rerank": {"kind": "cross_encoder", "model": "reranker", "coverage": "head", "rest": "hybrid"},
    "rerank_tuned": {"kind": "cross_encoder", "model": "reranker_tuned", "coverage": "head", "rest": "hybrid"},
}


def params(policies=POLICIES, rankings=tuple(RANKED)):
    return Params.model_construct(
        rankings=TypeAdapter(Rankings).validate_python({name: RANKED[name] for name in rankings}),
        pack=Pack(budgets_chars=[22], overflow="cut", merge_overlaps=False, policies=policies),
    )


def ranked(question_id, ranking, position, score, rank):
    keys = {"question_id": question_id, "ranking": ranking, "atom_id": f"a{position}"}
    return {**keys, "score": float(score), "rank": rank, "tokens": None, "truncated": None}


def write_plans(plans):
    rows = [
        {
            "question_id": question_id,
            "selector": selector,
            "atom_ids": [f"a{position}" for position in positions],
            "starts": [10 * position for position in positions],
            "ends": [10 * position + 10 for position in positions],
            "parsed": bool(positions),
            "failure": None if positions else "unparsable",
        }
        for (question_id, selector), positions in plans.items()
    ]
    write_table(DATA / "plans.parquet", rows, PLANS)
    write_table(DATA / "given_plans.parquet", [], PLANS)
    write_table(DATA / "given_contexts.parquet", [], GIVEN_CONTEXTS)


def write_pool(name, questions=QUESTIONS):
    """The reranker prefers later atoms of the pool."""
    rows = [ranked(question, name, place, place, 3 - place) for question in questions for place in range(3)]
    write_table(DATA / f"{name}.parquet", rows, RANKINGS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"domain": "d", "sub_domain": "", "difficulty": "", "length": "", "question": "?", "answer": "A"}
    questions = tuple(
        Question(question_id=name, context_id=CONTEXT, choices=("1", "2", "3", "4"), evidence=(Span(31, 39),), **names)
        for name in QUESTIONS
    )
    benchmark = Benchmark(questions, {CONTEXT: TEXT})
    write_questions(benchmark)
    write_contexts(benchmark)
    atoms = [
        {"atom_id": f"a{place}", "context_id": CONTEXT, "position": place, "start": place * 10, "end": place * 10 + 10,
         "document": 0}
        for place in range(5)
    ]  # fmt: skip
    write_table(DATA / "atoms.parquet", atoms, ATOMS)
    rankings = [
        ranked(name, ranking, place, -place, place + 1)  # BM25 and so the hybrid ranking prefer earlier atoms
        for name in QUESTIONS
        for ranking in ("bm25", "hybrid")
        for place in range(5)
    ]
    write_table(DATA / "rankings.parquet", rankings, RANKINGS)
    write_pool("rerank")
    write_pool("rerank_tuned")
    write_plans({("q1", "sft"): [3, 1], ("q2", "sft"): []})
    return tmp_path


def shown(policies=POLICIES, rankings=tuple(RANKED)):
    """By question and policy: the atoms shown, and the row."""
    pack.run(params(policies, rankings))
    rows = read_table(DATA / "packed.parquet").to_pylist()
    return {(row["question_id"], row["policy"]): (row["atom_ids"], row) for row in rows}


def test_a_plan_is_shown_first_alone_or_before_its_fill(folder):
    found = shown()
    assert found["q1", "sft+nothing"][0] == ["a3", "a1"]
    assert found["q1", "sft+bm25"][0] == ["a3", "a1"]  # with their separator they fill the budget
    assert found["q1", "sft+hybrid_order"][0] == found["q1", "sft+hybrid_first"][0] == ["a1", "a3"]
    assert found["q1", "rerank_tuned"][0] == ["a2", "a1"]
    assert found["q1", "sft+nothing"][1]["evidence_recall"] == 1
    assert not any(row["plan_failed"] for (name, _), (_, row) in found.items() if name == "q1")


def test_a_failed_plan_falls_back_to_its_fill_and_is_marked(folder):
    found = shown()
    atoms, row = found["q2", "sft+bm25"]
    assert row["plan_failed"]
    assert (atoms, row["packed_id"]) == (found["q2", "bm25"][0], found["q2", "bm25"][1]["packed_id"])
    assert not found["q2", "bm25"][1]["plan_failed"]


def test_the_order_shown_holds_the_atoms_and_the_order_packed_does_not(folder):
    write_plans({("q1", "sft"): [4, 3, 1], ("q2", "sft"): [2, 1]})
    found = shown()
    assert found["q1", "sft+nothing"][0] == ["a4", "a3"]
    assert found["q1", "sft+hybrid_order"][0] == ["a3", "a4"]  # two of the three fit, whatever their order
    assert found["q1", "sft+hybrid_first"][0] == ["a1", "a3"]
    assert (found["q1", "rerank_tuned"][0], found["q1", "rerank_shown_hybrid"][0]) == (["a2", "a1"], ["a1", "a2"])


@given(st.lists(st.permutations(range(5)), min_size=2, max_size=2), st.lists(st.integers(0, 5), min_size=2, max_size=2))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_plan_in_hybrid_order_shows_the_set_of_atoms_that_it_shows_in_its_own_order(folder, plans, sizes):
    kept = [plan[:size] for plan, size in zip(plans, sizes, strict=True)]
    write_plans({(name, "sft"): plan for name, plan in zip(QUESTIONS, kept, strict=True)})
    found = shown()
    for name in QUESTIONS:
        own, hybrid = found[name, "sft+nothing"], found[name, "sft+hybrid_order"]
        assert hybrid[0] == sorted(own[0])  # the hybrid ranking is by position here
        assert hybrid[1]["chars"] <= 22


@pytest.mark.parametrize("policy", ["sft+nothing", "sft+hybrid_order", "sft+hybrid_first"])
def test_a_failed_plan_without_a_fill_shows_nothing_and_is_marked(policy, folder):
    found = shown()
    atoms, row = found["q2", policy]
    assert (atoms, row["chars"], row["plan_failed"]) == ([], 0, True)
    assert row["packed_id"] == found["q2", "no_context"][1]["packed_id"]


def test_rankings_that_are_missing_are_all_named(folder):
    write_pool("rerank", questions=())
    write_pool("rerank_tuned", questions=("q1",))
    with pytest.raises(StudyError, match=r"rerank: for 2 of 2 questions\s+- rerank_tuned: for 1 of 2 questions"):
        shown()
    assert not (DATA / "packed.parquet").exists()


def test_policies_whose_plans_are_missing_are_all_named(folder):
    write_plans({("q1", "sft"): [3]})
    with pytest.raises(StudyError) as caught:
        shown()
    message = str(caught.value)
    lacking = "data/plans.parquet and data/given_plans.parquet lack"
    assert f"sft+nothing: {lacking} a plan of selector sft for 1 question(s)" in message
    assert f"sft+bm25: {lacking}" in message
    assert not (DATA / "packed.parquet").exists()


def test_a_study_without_planner_policies_needs_neither_plans_nor_the_tuned_reranker(folder):
    write_plans({})
    write_pool("rerank_tuned", questions=())
    assert shown({"bm25": Policy(fill="bm25")}, ["bm25"])["q1", "bm25"][0] == ["a0", "a1", "a2"]


def packed(**changes):
    made = params()
    pack.run(made.model_copy(update={"pack": made.pack.model_copy(update=changes)}))


@pytest.mark.parametrize(
    ("overflow", "follows"),
    [("cut", "differ by their first atom alone"), ("skip", "is never shown"), ("stop", "shows nothing")],
)
def test_a_budget_below_one_atom_is_told_with_what_follows_and_the_parameters(overflow, follows, folder, caplog):
    with caplog.at_level("WARNING", logger="plancheck.pack"):
        packed(budgets_chars=[22, 9], overflow=overflow)
    (told,) = caplog.messages
    assert told.startswith("9 characters are less than one atom (up to 10) in 2 of 2 questions. ")
    assert follows in told and "pack.budgets_chars" in told and "atoms.*.window_chars" in told


def test_a_budget_of_one_atom_or_more_is_not_warned_of(folder, caplog):
    with caplog.at_level("WARNING", logger="plancheck.pack"):
        packed(budgets_chars=[22, 10])
    assert caplog.messages == []


def test_spans_of_a_plan_of_one_s_own_are_shown_as_they_are_and_stand_in_a_ranking_where_their_atoms_do(folder):
    named = {"parsed": True, "failure": None, "bm25_ranks": [], "dense_ranks": [], "rerank_ranks": []}
    rows = [
        {"question_id": name, "selector": "mine", "atom_ids": ["33-36", "5-12", "a2"], "starts": [33, 5, 20],
         "ends": [36, 12, 30], **named}
        for name in QUESTIONS
    ]  # fmt: skip
    write_table(DATA / "given_plans.parquet", rows, PLANS)
    found = shown(
        {
            "own": Policy(selector="mine", fill="none"),
            "ordered": Policy(selector="mine", fill="none", order="hybrid"),
            "filled": Policy(selector="mine", fill="bm25"),
        }
    )
    ids, row = found["q1", "own"]
    assert (ids, row["starts"], row["ends"]) == (["33-36", "5-12", "a2"], [33, 5, 20], [36, 12, 28])
    assert found["q1", "ordered"][0] == ["5-12", "a2", "33-36"]  # where a0, a2 and a3 are
    assert found["q1", "filled"][0] == ids
