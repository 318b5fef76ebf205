"""The planner's path on a tiny Qwen2: mined, made into rows, planned, from the study's own files."""

import hashlib
import importlib.util
import json
from pathlib import Path

import pytest
import torch
from peft import LoraConfig, get_peft_model
from pydantic import TypeAdapter

from flows.plan import harness_plans, ranked_plans
from plancheck.atoms import cut
from plancheck.backends.adapters import adapter_digest, save_adapter
from plancheck.backends.cache import GenerationCache
from plancheck.backends.generation import read_causal_model
from plancheck.backends.models import LockedModel
from plancheck.backends.served.probing import probed
from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.params.answer import Answer
from plancheck.params.models import ServedModel
from plancheck.params.pack import Pack, Policy
from plancheck.params.planning import Mine, Planner
from plancheck.params.rankings import Rankings
from plancheck.params.selectors import HarnessSelector, RankingSelector
from plancheck.params.study import Params
from plancheck.planning.plan_rows import plan_rows
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import CANDIDATES, PLANS, RANKINGS, TRACES, Benchmark, Question, Span
from plancheck.stages import rows as rows_stage
from plancheck.tables import read_splits
from tasks.mine import Settings, mine_shard
from tasks.plan import Adapter, plan_shard
from tasks.shards import Shard

ROOT = Path(__file__).parents[2]
TEXT = " ".join(f"House {number} keeps a boat in Tarn." for number in range(20))
CONTEXT = hashlib.sha256(TEXT.encode()).hexdigest()
ATOMS = cut(CONTEXT, TEXT, window_chars=80, overlap_chars=10)
IDS = ("q0", "q1", "q2")
PLANNER = Planner(max_atoms=3, snippet_chars=40, max_new_tokens=12, device="cpu", dtype="float32")
SETTINGS = Settings(
    planner=PLANNER,
    mine=Mine(seed=3, samples=3, begin_reply=True, temperature=1.0, top_p=1.0, budget_chars=150),
    pack=Pack(budgets_chars=[100], overflow="cut", merge_overlaps=False, policies={"none": Policy(fill="none")}),
    answer=Answer(mode="likelihood", max_new_tokens=4, pass_tokens=64, batch_size=2, device="cpu", dtype="float32"),
)


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    questions = tuple(
        Question(name, "Single", "", "", "", f"Who keeps {name}?", ("a", "b", "c", "d"), "A", CONTEXT, (Span(0, 20),))
        for name in IDS
    )
    benchmark = Benchmark(questions, {CONTEXT: TEXT})
    write_questions(benchmark)
    write_contexts(benchmark)
    from plancheck.records import ATOMS as COLUMNS

    write_table(DATA / "atoms.parquet", [atom_row(number) for number in range(len(ATOMS))], COLUMNS)
    candidates = [
        {"question_id": name, "atom_id": ATOMS[number].atom_id, "position": number}
        for name in IDS
        for number in range(5)
    ]
    write_table(DATA / "candidates.parquet", candidates, CANDIDATES)
    write_json(DATA / "splits.json", {"train": ["q0"], "dev": ["q1"], "test": ["q2"], "seed": 1, "group_by": "none"})


def atom_row(number):
    atom = ATOMS[number]
    return {
        "atom_id": atom.atom_id, "context_id": CONTEXT, "position": number, "start": atom.start, "end": atom.end,
        "document": 0,
    }  # fmt: skip


@pytest.fixture
def model(tiny_qwen2):
    return LockedModel("planner", "tiny", "1", tiny_qwen2, "digest")


def test_mining_twice_asks_once_and_gives_the_same_rows(study, model):
    first = mine_shard.fn(Shard("1/1", ("q0", "q1")), model, model, SETTINGS)
    again = mine_shard.fn(Shard("1/1", ("q0", "q1")), model, model, SETTINGS)

    write_table(DATA / "traces.parquet", first.rows, TRACES)
    assert [(row["question_id"], row["sample"]) for row in first.rows] == [
        (n, k) for n in ("q0", "q1") for k in range(3)
    ]
    assert (first.plan_calls, again.plan_calls, again.answer_calls) == (6, 0, 0)
    assert again.rows == first.rows
    assert mine_shard.fn(Shard("1/1", ("q1",)), model, model, SETTINGS).rows == first.rows[3:]


def test_planning_twice_asks_once(study, model):
    first = plan_shard.fn(Shard("1/1", IDS), "prompted", model, None, PLANNER).plans
    again = plan_shard.fn(Shard("1/1", IDS), "prompted", model, None, PLANNER).plans

    assert {name: found.plans for name, found in again.items()} == {name: found.plans for name, found in first.items()}
    assert [found.calls for found in (*first.values(), *again.values())] == [1, 1, 1, 0, 0, 0]


def test_an_adapter_is_asked_for_itself(study, model, tmp_path):
    torch.manual_seed(0)
    base, _ = read_causal_model(model.path, device="cpu", dtype="float32")
    tuned = get_peft_model(base, LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False))
    save_adapter(tuned, tmp_path / "adapter", base_name="tiny")
    adapter = Adapter(tmp_path / "adapter", adapter_digest(tmp_path / "adapter"))
    plain = plan_shard.fn(Shard("1/1", IDS), "prompted", model, None, PLANNER).plans
    adapted = plan_shard.fn(Shard("1/1", IDS), "sft", model, adapter, PLANNER).plans

    assert [found.calls for found in (*plain.values(), *adapted.values())] == [1] * 6
    with GenerationCache() as cache:
        assert len(cache) == 6


@pytest.mark.parametrize("selector", ["evidence", "evidence_half", "random"])
def test_plans_carry_the_spans_of_their_atoms(study, selector):
    plans = harness_plans(HarnessSelector(kind=selector), list(IDS), seed=1, max_atoms=3)
    rows = plan_rows(selector, plans, {atom.atom_id: Span(atom.start, atom.end) for atom in ATOMS})
    write_table(DATA / "plans.parquet", rows, PLANS)

    assert [row["question_id"] for row in rows] == list(IDS)
    spans = {atom.atom_id: (atom.start, atom.end) for atom in ATOMS}
    for row in rows:
        assert list(zip(row["starts"], row["ends"], strict=True)) == [spans[atom_id] for atom_id in row["atom_ids"]]


def trace(name, atoms, reward):
    return {
        "question_id": name, "sample": 0, "atom_ids": [ATOMS[number].atom_id for number in atoms], "parsed": True,
        "failure": None, "chars": 80, "letter": "A" if reward else "B", "correct": bool(reward), "reward": reward,
        "duplicate_of": None,
    }  # fmt: skip


def test_rewarded_plans_become_rows_of_their_split(study):
    write_table(DATA / "traces.parquet", [trace("q0", [3, 1], 1), trace("q1", [2], 1)], TRACES)
    rows_stage.run(Params.model_construct(planner=PLANNER, mine=SETTINGS.mine))
    (train,) = map(json.loads, (DATA / "sft/train.jsonl").read_text().splitlines())
    (dev,) = map(json.loads, (DATA / "sft/dev.jsonl").read_text().splitlines())

    assert (train["question_id"], dev["question_id"]) == ("q0", "q1")
    assert train["completion"][0]["content"] == "The needed passages are [4] [2]"
    assert train["candidate_ids"] == [atom.atom_id for atom in ATOMS[:5]]


def test_without_a_rewarded_train_question_no_rows_are_written(study):
    write_table(DATA / "traces.parquet", [trace("q0", [3, 1], 0), trace("q1", [2], 1)], TRACES)
    with pytest.raises(StudyError, match="1 plan"):
        rows_stage.run(Params.model_construct(planner=PLANNER, mine=SETTINGS.mine))
    assert not (DATA / "sft").exists()


def test_a_question_in_two_splits_is_refused(study):
    write_json(DATA / "splits.json", {"train": ["q0", "q2"], "dev": ["q1"], "test": ["q2"]})
    with pytest.raises(StudyError, match="two splits"):
        read_splits()


def test_the_first_atoms_of_a_ranking_pose_as_a_plan(study):
    declared = TypeAdapter(Rankings).validate_python({"bm25": {"kind": "bm25", "variant": "okapi"}})
    ranked = [
        {"question_id": name, "ranking": "bm25", "atom_id": atom.atom_id, "score": 0.0, "rank": len(ATOMS) - number,
         "tokens": None, "truncated": None}
        for name in IDS
        for number, atom in enumerate(ATOMS)
    ]  # fmt: skip
    write_table(DATA / "rankings.parquet", ranked, RANKINGS)
    for name in ("rerank", "rerank_tuned"):
        write_table(DATA / f"{name}.parquet", [], RANKINGS)
    plans = ranked_plans(RankingSelector(kind="ranking", ranking="bm25", atoms=2), list(IDS), declared)
    assert {plan.atom_ids for plan in plans.values()} == {(ATOMS[-1].atom_id, ATOMS[-2].atom_id)}
    assert list(plans) == list(IDS)


@pytest.fixture
def served(tiny_qwen2, study):
    spec = importlib.util.spec_from_file_location("fake_server", ROOT / "tests/backends/fake_server.py")
    fake_server = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fake_server)
    with fake_server.running(tiny_qwen2) as fake:
        connection = ServedModel(source="served", base_url=fake.url, model="tiny", tokenizer=tiny_qwen2)
        identity = json.dumps(probed(connection)["identity"])
        yield fake, LockedModel("planner", "tiny", "1", tiny_qwen2, "digest", connection, identity)


def test_a_server_mines_and_plans_and_is_asked_once(served):
    fake, model = served
    first = mine_shard.fn(Shard("1/1", ("q0", "q1")), model, model, SETTINGS)
    planned = plan_shard.fn(Shard("1/1", IDS), "prompted", model, None, PLANNER)
    asked = len(fake.seen)
    again = mine_shard.fn(Shard("1/1", ("q0", "q1")), model, model, SETTINGS)

    write_table(DATA / "traces.parquet", first.rows, TRACES)
    assert (len(first.rows), first.plan_calls) == (6, 6)
    assert (again.rows, again.usage) == (first.rows, first.usage)
    assert first.usage["planner"]["replies"] == 6
    assert first.usage["answer"]["replies"] == first.answer_calls
    assert (sorted(planned.plans), planned.usage["replies"]) == (list(IDS), 3)
    assert len(fake.seen) == asked
    with pytest.raises(StudyError, match=r"models\.planner: is served, so the adapter"):
        plan_shard.fn(Shard("1/1", IDS), "sft", model, Adapter(DATA, "digest"), PLANNER)
