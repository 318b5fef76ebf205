"""A small study without a fault: 6 questions, 3 contexts, 3 policies, 2 budgets, 2 selectors."""

import hashlib
import json

import great_expectations as gx
import pyarrow as pa
import pytest
from pydantic import TypeAdapter

from plancheck.atoms import cut
from plancheck.packing import head, pack
from plancheck.params.analyze import Analyze
from plancheck.params.answer import Route
from plancheck.params.benchmark import OWN_SPLIT, Split
from plancheck.params.pack import Pack, Policy
from plancheck.params.planning import Mine, Plan, Planner, Tune
from plancheck.params.rankings import Rankings
from plancheck.params.retrieval import Atoms, MultiDocument, Pool, Rerank, Retrieve, Window
from plancheck.params.selectors import HarnessSelector, PlannerSelector
from plancheck.params.study import Params
from plancheck.planning.prompt import completion
from plancheck.plumbing.files import write_json, write_table
from plancheck.plumbing.privacy import switch_off_telemetry
from plancheck.records import TABLES, router_features
from plancheck.routing.entries import entries
from validation.data_docs import quiet
from validation.inputs import LEAKAGE_FILE, SPLITS_FILE, Inputs, rows_file, table_file

WINDOWS = {"Single": (80, 10), "Multi": (60, 10)}
DOMAIN = {"a": "Single", "b": "Multi", "c": "Multi"}
CONTEXT_OF = "aaabcc"  # of questions q0 to q5
POOL = 3
SAMPLES = 3
GOLD = "ABCD"
PROBABILITIES = (0.4, 0.3, 0.2, 0.1)
ROUTERS = ["domain_rule"]
FOLDS = {
    "stratified": dict(zip("abc", (0, 1, 1), strict=True)),
    "leave_one_domain_out": dict(zip("abc", (1, 0, 0), strict=True)),
}


SCORERS = ["bm25", "dense", "rerank"]
RANKINGS = TypeAdapter(Rankings).validate_python(
    {
        "bm25": {"kind": "bm25", "variant": "okapi"},
        "dense": {"kind": "dense", "model": "encoder", "coverage": "head"},
        "mmr": {"kind": "mmr", "of": "dense", "lambda": 0.7},
        "rerank": {"kind": "cross_encoder", "model": "reranker", "coverage": "head", "rest": "bm25"},
        "rerank_tuned": {"kind": "cross_encoder", "model": "reranker_tuned", "coverage": "head", "rest": "bm25"},
    }
)
SCHEMAS = {**TABLES, "router_features": router_features(SCORERS, ["rerank"])}


def context_id(name):
    return hashlib.sha256(name.encode()).hexdigest()


def study_params(group_by="none", sizes=None):
    return Params.model_construct(
        split=Split(path=OWN_SPLIT, seed=7, group_by=group_by, sizes=sizes or {"train": 3, "dev": 1, "test": 2}),
        atoms=Atoms(
            multi_document=MultiDocument(window_chars=60, overlap_chars=10, domains=["Multi"], separators=[]),
            other=Window(window_chars=80, overlap_chars=10),
        ),
        retrieve=Retrieve(
            pool=Pool(rankings=["bm25", "dense"], size=POOL), batch_size=1, device="auto", dtype="float32"
        ),
        rankings=RANKINGS,
        rerank=Rerank(batch_size=1, device="auto", dtype="float32"),
        pack=Pack(
            budgets_chars=[100, 50],
            overflow="cut",
            merge_overlaps=False,
            policies={
                "head": Policy(fill="head"),
                "bm25": Policy(fill="bm25"),
                "sft+bm25": Policy(selector="sft", fill="bm25"),
            },
        ),
        planner=Planner(max_atoms=2, snippet_chars=None, max_new_tokens=8, device="cpu", dtype="float32"),
        mine=Mine(seed=1, samples=SAMPLES, begin_reply=True, temperature=0.7, top_p=0.9, budget_chars=100),
        plan=Plan(seed=1),
        selectors={
            "sft": PlannerSelector(kind="planner", adapter="last"),
            "evidence": HarnessSelector(kind="evidence"),
        },
        route=Route(seed=1, budget_chars=100, control="bm25", planner="sft+bm25", folds=2, routers=ROUTERS),
        analyze=Analyze.model_construct(tiers={"direct": ["head"], "retrieval": ["bm25"]}),
        tune=Tune(
            enabled=True, base="reranker", role="reranker_tuned", seed=1, epochs=1, batch_size=2, learning_rate=0.1
        ),
    )


def study_rows():
    """Rows of every table, by table."""
    lengths = {"a": 200, "b": 250, "c": 130}
    rows = {name: [] for name in SCHEMAS}
    rows["contexts"] = [
        {"context_id": context_id(name), "chars": chars, "text": "x" * chars, "documents": None}
        for name, chars in lengths.items()
    ]
    atoms = {}
    for name, chars in lengths.items():
        window, overlap = WINDOWS[DOMAIN[name]]
        atoms[name] = cut(context_id(name), "x" * chars, window_chars=window, overlap_chars=overlap)
        for position, atom in enumerate(atoms[name]):
            rows["atoms"].append(
                {
                    "atom_id": atom.atom_id,
                    "context_id": atom.context_id,
                    "position": position,
                    "start": atom.start,
                    "end": atom.end,
                    "document": 0,
                }
            )
    for index, name in enumerate(CONTEXT_OF):
        add_question(rows, index, name, atoms)
    return rows


def add_question(rows, index, name, atoms):
    question_id = f"q{index}"
    rows["questions"].append(
        {
            "question_id": question_id,
            "domain": DOMAIN[name],
            "sub_domain": "",
            "difficulty": "",
            "length": "",
            "question": f"SECRET question text {index % 4}",
            "choices": [f"SECRET choice {letter}" for letter in "abcd"],
            "answer": GOLD[index % 4],
            "context_id": context_id(name),
            "context_group": context_id(name),
            "evidence": None,
        }
    )
    for position, atom in enumerate(atoms[name]):
        key = {"question_id": question_id, "atom_id": atom.atom_id}
        unread, read = {"tokens": None, "truncated": None}, {"tokens": 10, "truncated": False}
        rows["rankings"] += [
            {**key, "ranking": "bm25", "score": 1.0 - position, "rank": position + 1, **unread},
            {**key, "ranking": "dense", "score": 0.5 - position / 10, "rank": position + 1, **read},
            {**key, "ranking": "mmr", "score": None, "rank": len(atoms[name]) - position, **unread},
        ]
        if position < POOL:
            rows["candidates"].append({**key, "position": position})
            reranked = {
                "score": -float(position),
                "rank": position + 1,
                "tokens": 12 - position,
                "truncated": not position,
            }
            for table in ("rerank", "rerank_tuned"):
                rows[table].append({**key, "ranking": table, **reranked})
    add_plans(rows, index, question_id, atoms[name])
    if question_id not in study_splits()["test"]:
        add_traces(rows, index, question_id, atoms[name])
    for policy in ("head", "bm25", "sft+bm25"):
        for budget in (100, 50):
            add_condition(rows, index, question_id, policy, budget, atoms[name])
    add_features(rows, index, question_id, name, atoms[name])
    add_routing(rows, index, question_id, name)


def add_plans(rows, index, question_id, atoms):
    """The plan of sft fails for q1; evidence names the last atom, which in context b is no candidate."""
    named = {"sft": [] if index == 1 else [1, 0], "evidence": [len(atoms) - 1]}
    for selector, positions in named.items():
        rows["plans"].append(
            {
                "question_id": question_id,
                "selector": selector,
                "atom_ids": [atoms[position].atom_id for position in positions],
                "starts": [atoms[position].start for position in positions],
                "ends": [atoms[position].end for position in positions],
                "parsed": bool(positions),
                "failure": None if positions else "unparsable",
            }
        )


def add_traces(rows, index, question_id, atoms):
    """Three samples: a rewarded plan, the same atoms again, and a reply that names none."""
    gold = GOLD[index % 4]
    outcome = {"failure": None, "chars": 90, "letter": gold, "correct": True, "reward": 1}
    nothing = {"failure": "unparsable", "chars": None, "letter": None, "correct": False, "reward": 0}
    samples = [([1, 0], outcome, None), ([0, 1], outcome, 0), ([], nothing, None)]
    for sample, (positions, said, duplicate_of) in enumerate(samples):
        rows["traces"].append(
            {
                "question_id": question_id,
                "sample": sample,
                "atom_ids": [atoms[position].atom_id for position in positions],
                "starts": [atoms[position].start for position in positions],
                "ends": [atoms[position].end for position in positions],
                "parsed": bool(positions),
                **said,
                "duplicate_of": duplicate_of,
            }
        )


def study_sft(rows):
    """A row for each train and dev question: the plan of its first trace."""
    found = {"train": [], "dev": []}
    splits = study_splits()
    for trace in rows["traces"]:
        if trace["sample"]:
            continue
        pool = [row for row in rows["candidates"] if row["question_id"] == trace["question_id"]]
        content = completion([2, 1], begin_reply=True)
        found["train" if trace["question_id"] in splits["train"] else "dev"].append(
            {
                "question_id": trace["question_id"],
                "prompt": [{"role": "user", "content": "SECRET prompt"}],
                "completion": [{"role": "assistant", "content": content}],
                "atom_ids": list(trace["atom_ids"]),
                "candidate_ids": [row["atom_id"] for row in pool],
                "reward": 1,
            }
        )
    return found


def add_condition(rows, index, question_id, policy, budget, atoms):
    if policy == "head":
        shown = head(atoms, context_chars=atoms[-1].end, budget_chars=budget)
    else:
        shown = pack(atoms, budget_chars=budget, overflow="cut", merge_overlaps=False)
    packed_id = hashlib.sha256(f"{question_id}{shown.pieces}".encode()).hexdigest()
    key = {"question_id": question_id, "policy": policy, "budget_chars": budget, "packed_id": packed_id}
    rows["packed"].append(
        {
            **key,
            "atom_ids": [piece.atom_id for piece in shown.pieces],
            "starts": [piece.start for piece in shown.pieces],
            "ends": [piece.end for piece in shown.pieces],
            "chars": shown.chars,
            "cut": shown.cut,
            "skipped": 0,
            "evidence_recall": 0.5 if index % 2 else None,
            "plan_failed": (policy, index) == ("sft+bm25", 1),
        }
    )
    gold = GOLD[index % 4]
    letter = None if (index, budget) == (5, 50) else "A"
    rows["predictions"].append(
        {
            **key,
            "letter": letter,
            "gold": gold,
            "correct": letter == gold,
            "failure": None if letter else "unparsable",
            "probs": list(PROBABILITIES) if letter else None,
            "prompt_tokens": 40 if letter else None,
        }
    )


def add_features(rows, index, question_id, name, atoms):
    """Of the pair bm25 and sft+bm25 at 100 characters; the scores are those of the tables in form, not in value."""
    planned = index != 1
    of_scorers, of_sides = {}, {}
    for scorer in SCORERS:
        statistics = {"top": 1.0, "mean": 0.5, "entropy": 0.8, "gap": 0.5, "gini": 0.4, "variation": 0.8}
        of_scorers |= {f"{scorer}_{statistic}": value for statistic, value in statistics.items()}
        of_scorers[f"plan_{scorer}_mean_rank"] = 1.5 if planned else None
        of_scorers[f"plan_{scorer}_best_rank"] = 1 if planned else None
    for side in ("control", "planner"):
        of_sides[f"{side}_answered"] = True
        of_sides |= {f"{side}_confidence": 0.4, f"{side}_margin": 0.1, f"{side}_entropy": 0.92}
    rows["router_features"].append(
        {
            **{column: rows["questions"][index][column] for column in ("domain", "sub_domain", "length")},
            "question_id": question_id,
            "context_chars": 200,
            "question_chars": 80,
            "atoms": len(atoms),
            "candidates": min(POOL, len(atoms)),
            **of_scorers,
            "plan_parsed": planned,
            "plan_atoms": 2 if planned else 0,
            "plan_rerank_overlap": 1.0 if planned else None,
            **of_sides,
            "letters_agree": True,
            "same_context": False,
        }
    )


def add_routing(rows, index, question_id, name):
    """Every answer at 100 characters is A, so every policy is right where A is."""
    for entry in entries(ROUTERS):
        rows["routing"].append(
            {
                "question_id": question_id,
                "scheme": entry.scheme,
                "router": entry.router,
                "among": entry.among,
                "kind": entry.kind,
                "fold": FOLDS[entry.scheme][name] if entry.scheme in FOLDS else None,
                "learned": None if entry.kind == "oracle" else 3,
                "policy": "sft+bm25" if entry.among == "pair" else "head",
                "correct": GOLD[index % 4] == "A",
            }
        )


def study_splits(group_by="none"):
    ids = {"train": ["q0", "q1", "q2"], "dev": ["q3"], "test": ["q4", "q5"]}
    return {**ids, "seed": 7, "source": None, "group_by": group_by}


def study_leakage():
    """What the audit says: two pairs of contexts and two of questions, none across train, dev and test."""
    kinds = ("same_id", "same_context", "near_context", "contained_context", "same_question", "near_question")
    against = [("train", "test"), ("dev", "test"), ("train", "dev")]
    against += [(f"data/sft/{split}.jsonl", "test") for split in ("train", "dev")]
    indices = {"jaccard": 0.6, "jaccard_estimate": 0.5, "containment": 0.9, "containment_estimate": 0.8}
    return {
        "learned": [
            {"learned": name, "against": split, "questions": 2, "unknown": 0, "concerned": 0,
             "shared": {kind: [] for kind in kinds}}
            for name, split in against
        ],
        "contexts": {
            "pairs": [
                {"left": "a", "right": "b", "kind": "near", **indices},
                {"left": "a", "right": "c", "kind": "contained", **indices, "jaccard": 0.2},
            ]
        },
        "questions": {
            "pairs": [
                {"left": "q4", "right": "q5", "kind": "near", "jaccard": 0.9},
                {"left": "q4", "right": "q1", "kind": "same", "jaccard": 0.0},
            ]
        },
    }  # fmt: skip


def as_tables(rows):
    return {name: pa.Table.from_pylist(rows[name], schema=SCHEMAS[name]) for name in SCHEMAS}


class Study:
    """Rows, splits and parameters to plant faults in; ``write`` puts them where a gate looks."""

    def __init__(self, group_by="none", sizes=None):
        self.rows = study_rows()
        self.sft = study_sft(self.rows)
        self.splits = study_splits(group_by)
        self.leakage = study_leakage()
        self.params = study_params(group_by, sizes)

    def inputs(self):
        return Inputs(self.params, as_tables(self.rows), self.splits, self.sft, self.leakage)

    def write(self):
        for name, table in as_tables(self.rows).items():
            write_table(table_file(name), table, SCHEMAS[name])
        write_json(SPLITS_FILE, self.splits)
        write_json(LEAKAGE_FILE, self.leakage)
        for split, rows in self.sft.items():
            rows_file(split).parent.mkdir(exist_ok=True)
            rows_file(split).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="session")
def make_study():
    return Study


@pytest.fixture(scope="session")
def context():
    """One Great Expectations context in memory, as silent as a gate's."""
    switch_off_telemetry()
    quiet()
    made = gx.get_context(mode="ephemeral")
    made.variables.progress_bars = {"globally": False}
    return made
