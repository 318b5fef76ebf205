"""Two small runs of a study: folders, and commits of one project with their outputs in DVC's cache."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from plancheck.plumbing.files import write_json, write_table
from plancheck.records import ATOMS, PACKED, PLANS, PREDICTIONS, QUESTIONS, RANKINGS

CONTEXT = "c" * 64
QUESTION_IDS = ("q1", "q2", "q3")
LETTERS = {"bm25": "AAB", "sft+bm25": "ABA"}  # the gold letters are all A
GRAPH = {"stages": {"atoms": {"params": ["atoms"]}, "plan": {"params": ["planner", "plan"]},
                    "pack": {"params": ["pack"]}, "answer": {"params": ["answer"]},
                    "analyze": {"params": ["pack", "analyze"]}}}  # fmt: skip
PARAMS = {"atoms": {"other": {"window_chars": 8}}, "pack": {"overflow": "cut", "budgets_chars": [9]},
          "answer": {"mode": "generate"}}  # fmt: skip
OUTPUTS = {
    "models": ["models/lock.json"], "benchmark": ["data/questions.parquet"], "split": ["data/splits.json"],
    "atoms": ["data/atoms.parquet"], "retrieve": ["data/rankings.parquet"], "train": ["models/planner"],
    "plan": ["data/plans.parquet"], "pack": ["data/packed.parquet"], "answer": ["data/predictions.parquet"],
    "analyze": ["reports/tables"],
}  # fmt: skip


def write_run(root, *, params=None, letters=None, shown=None, verdict="cannot_tell", probs=(0.5, 0.5), weights=b"w"):
    """A run in a folder. ``letters``: by policy, of each question; ``shown``: the atom that sft+bm25 shows of q2."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "params.yaml").write_text(yaml.safe_dump(PARAMS | (params or {})))
    (root / "dvc.yaml").write_text(yaml.safe_dump(GRAPH))
    write_json(root / "models/lock.json", {"roles": {"answer": "m"}, "models": {"m": {"revision": "1"}}})
    (root / "models/planner").mkdir(exist_ok=True)
    (root / "models/planner/adapter_model.safetensors").write_bytes(weights)
    asked = [
        {"question_id": name, "domain": "d", "sub_domain": "", "difficulty": "", "length": "", "question": "?",
         "choices": ["x", "y"], "answer": "A", "context_id": CONTEXT, "context_group": CONTEXT, "evidence": None}
        for name in QUESTION_IDS
    ]  # fmt: skip
    write_table(root / "data/questions.parquet", asked, QUESTIONS)
    write_json(root / "data/splits.json", {"train": ["q1"], "dev": [], "test": ["q2", "q3"]})
    atoms = [
        {"atom_id": f"a{place}", "context_id": CONTEXT, "position": place, "start": place * 8, "end": place * 8 + 8,
         "document": 0}
        for place in range(3)
    ]  # fmt: skip
    write_table(root / "data/atoms.parquet", atoms, ATOMS)
    ranks = [
        {"question_id": name, "ranking": "bm25", "atom_id": f"a{place}", "score": 1.0, "rank": place + 1}
        for name in QUESTION_IDS
        for place in range(3)
    ]
    write_table(root / "data/rankings.parquet", ranks, RANKINGS)
    plans = [
        {"question_id": name, "selector": "sft", "atom_ids": ["a0"], "starts": [0], "ends": [8], "parsed": True}
        for name in QUESTION_IDS
    ]
    write_table(root / "data/plans.parquet", plans, PLANS)
    packed, answers = [], []
    for policy, own in (letters or LETTERS).items():
        for name, letter in zip(QUESTION_IDS, own, strict=True):
            atom = shown if shown and (name, policy) == ("q2", "sft+bm25") else "a0"
            key = {"question_id": name, "policy": policy, "budget_chars": 9, "packed_id": f"{name} {atom}"}
            packed.append(
                key | {"atom_ids": [atom], "starts": [0], "ends": [8], "chars": 8, "cut": False, "skipped": 0,
                       "plan_failed": False}
            )  # fmt: skip
            answers.append(key | {"letter": letter, "gold": "A", "correct": letter == "A", "probs": list(probs)})
    write_table(root / "data/packed.parquet", packed, PACKED)
    write_table(root / "data/predictions.parquet", answers, PREDICTIONS)
    (root / "reports/tables").mkdir(parents=True, exist_ok=True)
    (root / "reports/tables/ladder.csv").write_text(
        "planner,tier,control,budget_chars,split,verdict,difference,p_adjusted\n"
        f"sft+bm25,rerank,rerank,9,test,{verdict},0.1,0.5\n"
        "sft+bm25,router,forest,9,test,opposite,0.1,0.5\nsft+bm25,router,logistic,9,test,opposite,0.1,0.5\n"
    )


def lock(root, code):
    """A dvc.lock of a run's outputs, which go to the project's cache."""
    stages = {}
    for stage, paths in OUTPUTS.items():
        stages[stage] = {"deps": [{"path": f"code/{stage}.py", "md5": code.get(stage, "0")}],
                         "outs": [{"path": path, "md5": stored(root / path)} for path in paths]}  # fmt: skip
    (root / "dvc.lock").write_text(yaml.safe_dump({"schema": "2.0", "stages": stages}))


def stored(path):
    if path.is_dir():
        entries = [
            {"md5": stored(file), "relpath": file.relative_to(path).as_posix()}
            for file in sorted(path.rglob("*"))
            if file.is_file()
        ]
        content, ending = json.dumps(entries).encode(), ".dir"
    else:
        content, ending = path.read_bytes(), ""
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest() + ending
    cached = Path(".dvc/cache/files/md5") / md5[:2] / md5[2:]
    cached.parent.mkdir(parents=True, exist_ok=True)
    cached.write_bytes(content)
    return md5


def git(*arguments):
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project in the current folder, and how to commit a run there and tag it."""
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    Path(".gitignore").write_text("data\nmodels\nreports\n.dvc\n")

    def commit(name, *, code=None, **made):
        write_run(Path(), **made)
        lock(Path(), code or {})
        git("add", "-A")
        git("commit", "-qm", name)
        git("tag", name)
        for folder in ("data", "models", "reports"):
            shutil.rmtree(folder)

    return commit


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Writes run A, as it is unless ``before`` says otherwise, and run B with other values, and names both."""
    monkeypatch.chdir(tmp_path)

    def write(before=None, **others):
        write_run(Path("a"), **(before or {}))
        write_run(Path("b"), **others)
        return "a", "b"

    return write
