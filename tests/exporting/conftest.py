"""A small study: four questions on two contexts of five atoms, their rankings, and what two policies show."""

import hashlib
import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.packing import packed_id
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import ATOMS, CANDIDATES, PACKED, RANKINGS, Benchmark, Piece, Question, Span

ROOT = Path(__file__).parents[2]
TEXTS = {
    "north": "The mill is in Tarn. The inn is in Lund. Old oaks stand here. A boat lies there. The end of it.",
    "south": "Café «Ost» 開く。 50% of the men came late. Nobody knew the keeper. The lamp was dim. The sea was calm.",
}
WINDOW, STEP, ATOMS_EACH = 24, 18, 5
QUESTIONS = {
    "q 1": ("north", "Where is the mill?", ("Tarn", "Lund", "Ost", "nowhere"), "A", (Span(0, 20),)),
    "q2": ("north", "Where is the inn?", ("Tarn", "Lund", "Ost", "nowhere"), "B", (Span(17, 43), Span(73, 80))),
    "50%": ("south", "Who came late?", ("men", "Nobody", "the keeper", "oaks"), "A", (Span(19, 30),)),
    "漢": ("south", "What was dim?", ("lamp", "the sea", "mill", "inn"), "A", (Span(72, 77),)),
}
SPLITS = {"train": ["q 1"], "dev": [], "test": ["50%", "q2", "漢"]}
# Positions, best first: the same for each question.
RANKED = {
    "bm25": [2, 0, 1, 4, 3],
    "dense": [1, 2, 0, 3, 4],
    "mmr": [4, 3, 2, 1, 0],
    "hybrid": [2, 1, 0, 4, 3],
    "random": [3, 1, 4, 0, 2],
}
POOL = [2, 0, 1]
RERANKED = {"rerank": [1, 2, 0], "rerank_tuned": [0, 1, 2]}
SHOWN = {"bm25": [0], "last": [4, 2]}
BUDGET = 900


def context_id(name):
    return hashlib.sha256(TEXTS[name].encode()).hexdigest()


def write_study(questions=QUESTIONS):
    made = tuple(
        Question(
            name, "Lore", "", "hard", "", asked, choices, gold, context_id(context), evidence=evidence
        )
        for name, (context, asked, choices, gold, evidence) in questions.items()
    )  # fmt: skip
    benchmark = Benchmark(made, {context_id(name): text for name, text in TEXTS.items()})
    write_questions(benchmark)
    write_contexts(benchmark)
    write_json(DATA / "splits.json", SPLITS)
    atoms = [
        {"atom_id": f"{name} {place}", "context_id": context_id(name), "position": place, "start": place * STEP,
         "end": min(place * STEP + WINDOW, len(text)), "document": 0}
        for name, text in TEXTS.items()
        for place in range(ATOMS_EACH)
    ]  # fmt: skip
    write_table(DATA / "atoms.parquet", atoms, ATOMS)
    write_rankings()
    write_packed()


def write_rankings():
    candidates = [
        {"question_id": name, "atom_id": f"{context} {place}", "position": place}
        for name, (context, *_) in QUESTIONS.items()
        for place in sorted(POOL)
    ]
    write_table(DATA / "candidates.parquet", candidates, CANDIDATES)
    write_ranked("rankings", RANKED)
    for ranking, order in RERANKED.items():
        write_ranked(ranking, {ranking: order})


def write_ranked(file, orders):
    rows = [
        {"question_id": name, "ranking": ranking, "atom_id": f"{context} {place}", "rank": rank}
        for name, (context, *_) in QUESTIONS.items()
        for ranking, order in orders.items()
        for rank, place in enumerate(order, start=1)
    ]
    write_table(DATA / f"{file}.parquet", rows, RANKINGS)


def write_packed():
    rows = []
    for name in sorted(QUESTIONS):
        context = QUESTIONS[name][0]
        for policy, places in SHOWN.items():
            pieces = [Piece(f"{context} {place}", place * STEP, place * STEP + WINDOW - 6) for place in places]
            rows.append(
                {"question_id": name, "policy": policy, "budget_chars": BUDGET, "chars": 0, "cut": False, "skipped": 0,
                 "packed_id": packed_id(name, TEXTS[context], pieces), "evidence_recall": 0.0, "plan_failed": False,
                 "atom_ids": [piece.atom_id for piece in pieces], "starts": [piece.start for piece in pieces],
                 "ends": [piece.end for piece in pieces]}
            )  # fmt: skip
    write_table(DATA / "packed.parquet", rows, PACKED)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """The study in the current folder: its questions and texts, and how to write it with others."""
    monkeypatch.chdir(tmp_path)
    for name in ("params.yaml", "dvc.yaml"):
        shutil.copy(ROOT / name, tmp_path / name)
    write_study()
    return SimpleNamespace(questions=QUESTIONS, texts=TEXTS, write=write_study, change=change_params)


def change_params(section, **values):
    path = Path("params.yaml")
    params = yaml.safe_load(path.read_text())
    params[section] |= values
    path.write_text(yaml.safe_dump(params))


@pytest.fixture
def exported(study, plancheck):
    """What an export writes, as text."""

    def export(*arguments):
        status, out, err = plancheck("export", *arguments, "--out", "-")
        assert status == 0, err
        return out

    return export


@pytest.fixture
def rows(exported):
    """What an export writes, as values."""
    return lambda *arguments: [json.loads(line) for line in exported(*arguments).splitlines()]
