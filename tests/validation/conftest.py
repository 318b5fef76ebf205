"""A small study without a fault: 6 questions, 3 contexts, 2 policies, 2 budgets."""

import hashlib

import great_expectations as gx
import pyarrow as pa
import pytest

from plancheck.atoms import cut
from plancheck.files import write_json, write_table
from plancheck.packing import head, pack
from plancheck.params import Atoms, MultiDocument, Pack, Params, Policy, Retrieve, Split, Window
from plancheck.privacy import switch_off_telemetry
from plancheck.records import TABLES
from validation.gate import quiet
from validation.inputs import SPLITS_FILE, Inputs, table_file

WINDOWS = {"Single": (80, 10), "Multi": (60, 10)}
DOMAIN = {"a": "Single", "b": "Multi", "c": "Multi"}
CONTEXT_OF = "aaabcc"  # of questions q0 to q5
POOL = 3
PROBABILITIES = {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1}


def context_id(name):
    return hashlib.sha256(name.encode()).hexdigest()


def study_params(group_by="none", sizes=None):
    return Params.model_construct(
        split=Split(seed=7, group_by=group_by, sizes=sizes or {"train": 3, "dev": 1, "test": 2}),
        atoms=Atoms(
            multi_document=MultiDocument(window_chars=60, overlap_chars=10, domains=["Multi"], separators=[]),
            other=Window(window_chars=80, overlap_chars=10),
        ),
        retrieve=Retrieve(pool_size=POOL, rrf_k=60, mmr_lambda=0.7, dense_coverage="head", batch_size=1, device="auto"),
        pack=Pack(
            seed=1,
            budgets_chars=[100, 50],
            overflow="cut",
            merge_overlaps=False,
            policies={"head": Policy(fill="head"), "bm25": Policy(fill="bm25")},
        ),
    )


def study_rows():
    """Rows of every table, by table."""
    lengths = {"a": 200, "b": 250, "c": 130}
    rows = {name: [] for name in TABLES}
    rows["contexts"] = [
        {"context_id": context_id(name), "chars": chars, "text": "x" * chars} for name, chars in lengths.items()
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
            **{f"choice_{letter}": f"SECRET choice {letter}" for letter in "abcd"},
            "answer": "ABCD"[index % 4],
            "context_id": context_id(name),
            "evidence": None,
        }
    )
    for position, atom in enumerate(atoms[name]):
        rows["retrieval"].append(
            {
                "question_id": question_id,
                "atom_id": atom.atom_id,
                "position": position,
                "bm25_score": 1.0 - position,
                "bm25_rank": position + 1,
                "dense_score": 0.5 - position / 10,
                "dense_rank": position + 1,
                "mmr_rank": len(atoms[name]) - position,
                "candidate": position < POOL,
                "tokens": 10,
                "truncated": False,
            }
        )
        if position < POOL:
            rows["rerank"].append(
                {
                    "question_id": question_id,
                    "atom_id": atom.atom_id,
                    "rerank_score": -float(position),
                    "rerank_rank": position + 1,
                }
            )
    for policy in ("head", "bm25"):
        for budget in (100, 50):
            add_condition(rows, index, question_id, policy, budget, atoms[name])


def add_condition(rows, index, question_id, policy, budget, atoms):
    if policy == "head":
        shown = head(atoms, budget_chars=budget)
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
        }
    )
    gold = "ABCD"[index % 4]
    letter = None if (index, budget) == (5, 50) else "A"
    rows["predictions"].append(
        {
            **key,
            "letter": letter,
            "gold": gold,
            "correct": letter == gold,
            "failure": None if letter else "unparsable",
            **{f"prob_{name}": value if letter else None for name, value in PROBABILITIES.items()},
            "prompt_tokens": 40 if letter else None,
        }
    )


def study_splits(group_by="none"):
    return {"train": ["q0", "q1", "q2"], "dev": ["q3"], "test": ["q4", "q5"], "seed": 7, "group_by": group_by}


def as_tables(rows):
    return {name: pa.Table.from_pylist(rows[name], schema=TABLES[name]) for name in TABLES}


class Study:
    """Rows, splits and parameters to plant faults in; ``write`` puts them where a gate looks."""

    def __init__(self, group_by="none", sizes=None):
        self.rows = study_rows()
        self.splits = study_splits(group_by)
        self.params = study_params(group_by, sizes)

    def inputs(self):
        return Inputs(self.params, as_tables(self.rows), self.splits)

    def write(self):
        for name, table in as_tables(self.rows).items():
            write_table(table_file(name), table, TABLES[name])
        write_json(SPLITS_FILE, self.splits)


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
