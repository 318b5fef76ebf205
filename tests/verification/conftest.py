"""A small study with the texts of the generated benchmark, its release, and copies of it to change."""

import json
import logging
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from plancheck import cli
from plancheck.answering.rightness import is_right
from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.params.study import parse_params
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import CANDIDATES, PLANS, PREDICTIONS, RANKINGS, ROUTING, TRACES
from plancheck.release.sums import SUMS, sums_text
from plancheck.release.tables import stored_schemas
from plancheck.routing.entries import FOLD_SCHEMES
from plancheck.routing.evaluation import Cases, Pair, in_order, routed, unfolded
from plancheck.routing.folds import Fold
from plancheck.stages import analyze, atoms, benchmark, given, leakage, pack, release, report, split
from plancheck.tables import read_atoms, read_splits

ROOT = Path(__file__).parents[2]
SMALL = (
    "benchmark.controlled.questions=24",
    "benchmark.controlled.context_chars=2500",
    "split.sizes={train: 10, dev: 4, test: 10}",
    "pack.budgets_chars=[900,300]",
    "analyze.resamples=200",
)
CONTROLS = ("no_context", "bm25", "hybrid_anchor", "rerank")
PLANNERS = ("sft+nothing", "sft+hybrid_anchor", "sft+rerank", "evidence+nothing")
REPLY = "The needed passages are the third and the eighth of them"


def params_of(composed):
    values = composed("demo", *SMALL)
    declared = parse_params(values, name="demo").pack.policies
    kept = {name: declared[name].model_dump() for name in (*CONTROLS, *PLANNERS)}
    values["pack"] |= {"policies": kept, "grids": {}, "packings": {}}
    analyzed = values["analyze"]
    analyzed["tiers"] = {"direct": ["no_context"], "retrieval": ["bm25", "hybrid_anchor"], "rerank": ["rerank"]}
    analyzed["comparisons"] = {
        name: analyzed["comparisons"][name] for name in ("guided", "guided_best_retrieval", "plan_alone")
    }
    analyzed["mechanisms"]["comparison"] = "guided"
    values["selectors"] = {name: values["selectors"][name] for name in ("sft", "evidence")}
    for unused in ("mmr", "random", "rerank_tuned"):
        del values["rankings"][unused]
    return parse_params(values, name="demo")


def write_study(params):
    """All that earlier stages leave, in the current folder: made by them where they call no model, else planted."""
    for name in ("contexts", "plans", "predictions"):
        Path("given", name).mkdir(parents=True)
    Path("plancheck/benchmark").mkdir(parents=True)
    shutil.copy(ROOT / params.benchmark.path, params.benchmark.path)
    for stage in (benchmark, split, atoms, given):
        stage.run(params)
    generator = np.random.default_rng(3)
    questions, by_context = read_questions(), read_atoms()
    rankings, reranked, candidates, plans, traces = [], [], [], [], []
    for question in questions:
        own = by_context[question.context_id]
        order = generator.permutation(len(own)).tolist()
        for name in ("bm25", "dense", "hybrid"):
            order = order[1:] + order[:1]
            rankings += [
                {"question_id": question.question_id, "ranking": name, "atom_id": own[place].atom_id,
                 "score": float(len(own) - rank), "rank": rank, "tokens": None, "truncated": None}
                for rank, place in enumerate(order, start=1)
            ]  # fmt: skip
        pool = sorted(order[:6])
        candidates += [
            {"question_id": question.question_id, "atom_id": own[place].atom_id, "position": place} for place in pool
        ]
        reranked += [
            {"question_id": question.question_id, "ranking": "rerank", "atom_id": own[place].atom_id,
             "score": float(-rank), "rank": rank, "tokens": 9, "truncated": False}
            for rank, place in enumerate(reversed(pool), start=1)
        ]  # fmt: skip
        held = [atom for atom in own if any(atom.start <= span.start < atom.end for span in question.evidence)]
        for selector, chosen in (("sft", [own[pool[0]], own[pool[2]]]), ("evidence", held)):
            plans.append(
                {"question_id": question.question_id, "selector": selector, "parsed": True, "failure": None,
                 "atom_ids": [atom.atom_id for atom in chosen], "starts": [atom.start for atom in chosen],
                 "ends": [atom.end for atom in chosen]}
            )  # fmt: skip
    texts = read_contexts()
    splits = read_splits()
    for question in questions:
        if question.question_id in splits["test"]:
            continue
        right = bool(generator.integers(2))
        other = next(letter for letter in question.letters if letter != question.answer)
        traces.append(
            {"question_id": question.question_id, "sample": 0, "atom_ids": [], "parsed": True, "failure": None,
             "chars": 9, "letter": question.answer if right else other, "correct": right, "reward": int(right),
             "duplicate_of": None}
        )  # fmt: skip
    rows = [
        {"question_id": question.question_id, "atom_ids": [], "candidate_ids": [], "reward": 1,
         "prompt": [{"role": "user", "content": texts[question.context_id][:200]}],
         "completion": [{"role": "assistant", "content": f"{REPLY} [{number}]"}]}
        for number, question in enumerate(questions[:3])
    ]  # fmt: skip
    (DATA / "sft").mkdir()
    for name in ("train", "dev"):
        (DATA / "sft" / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    planted = {
        "rankings": (rankings, RANKINGS),
        "rerank": (reranked, RANKINGS),
        "rerank_tuned": ([], RANKINGS),
        "candidates": (candidates, CANDIDATES),
        "plans": (plans, PLANS),
        "traces": (traces, TRACES),
    }
    for name, (found, columns) in planted.items():
        write_table(DATA / f"{name}.parquet", found, columns)
    pack.run(params)
    predictions = write_predictions(questions, generator)
    write_routing(params, questions, predictions)
    write_reports()


def write_predictions(questions, generator):
    by_id = {question.question_id: question for question in questions}
    rows = []
    for row in pq.read_table(DATA / "packed.parquet").to_pylist():
        question = by_id[row["question_id"]]
        likely = 0.9 if row["evidence_recall"] else 0.35
        letter = question.answer if generator.random() < likely else str(generator.choice(question.letters))
        failed = row["question_id"] == questions[0].question_id and row["policy"] == "bm25"
        rows.append(
            {name: row[name] for name in ("question_id", "policy", "budget_chars", "packed_id")}
            | {"letter": None if failed else letter, "gold": question.answer,
               "correct": not failed and is_right(question, letter), "failure": "unparsable" if failed else None,
               "probs": None, "prompt_tokens": 10}
        )  # fmt: skip
    write_table(DATA / "predictions.parquet", rows, PREDICTIONS)
    return pd.DataFrame(rows)


def write_routing(params, questions, predictions):
    ids = [question.question_id for question in questions]
    columns = stored_schemas(params)["router_features"]
    plain = {"string": "", "int64": 1, "double": 0.5, "bool": True}
    features = [
        {field.name: plain[str(field.type)] for field in columns} | {"question_id": question.question_id,
         "domain": question.domain, "length": question.length}
        for question in questions
    ]  # fmt: skip
    write_table(DATA / "router_features.parquet", features, columns)
    at_budget = predictions[predictions["budget_chars"] == params.route.budget_chars]
    right = at_budget.pivot(index="question_id", columns="policy", values="correct").loc[ids]
    deployable = tuple(name for name in params.pack.policies if not name.startswith("evidence"))
    answers = pd.DataFrame(0.5, index=ids, columns=pd.MultiIndex.from_product([deployable, ["margin"]]))
    known = pd.DataFrame(features).set_index("question_id")
    cases = Cases(known, right, answers, deployable)
    pair, tiers = Pair(params.route.control, params.route.planner), params.analyze.tiers
    rows = unfolded(cases, pair)
    for scheme in FOLD_SCHEMES:
        for number, (train, test) in enumerate(((ids[::2], ids[1::2]), (ids[1::2], ids[::2]))):
            fold = Fold(scheme, number, tuple(train), tuple(test))
            rows += routed(cases, fold, pair, tiers, routers=["domain_rule"], seed=1)
    write_table(DATA / "routing.parquet", in_order(rows, ["domain_rule"]), ROUTING)


def write_reports():
    reports = Path("reports")
    write_json(reports / "rerank.json", {})
    write_json(reports / "retrieve.json", {})
    for gate in ("split", "results"):
        write_json(reports / "checks" / f"{gate}.json", {"gate": gate, "success": True})
    model = {"name": "tiny", "source": "wheel", "revision": "0.1", "path": "weights/tiny", "files": {"a": "0" * 64}}
    roles = dict.fromkeys(("answer", "encoder", "planner", "reranker"), "tiny")
    write_json(Path("models/lock.json"), {"environment": {"torch": "2"}, "models": {"tiny": model}, "roles": roles})
    shutil.copy(ROOT / "requirements.lock", "requirements.lock")
    Path("dvc.lock").write_text("stages:\n  release: {cmd: x}\n  split:\n    deps:\n    - path: /home/ada/split.csv\n")


@pytest.fixture(scope="session")
def study(composed, tmp_path_factory):
    """The folder of a study and of its release. Do not change it."""
    folder = tmp_path_factory.mktemp("study")
    params = params_of(composed)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_study(params)
        leakage.run(params)
        analyze.run(params)
        report.run(params)
        release.run(params)
    return SimpleNamespace(folder=folder, params=params, bundle=folder / "release" / "bundle", reply=REPLY)


@pytest.fixture
def bundle(study, tmp_path):
    """A copy of the release, to change; `seal` makes its sums right again."""
    path = tmp_path / "bundle"
    shutil.copytree(study.bundle, path)

    def change(name, **columns):
        """Write a table anew with other values in some columns: from a list of all values to another."""
        file = path / "data" / f"{name}.parquet"
        table = pq.read_table(file)
        for column, changed in columns.items():
            place = table.column_names.index(column)
            values = changed(table[column].to_pylist())
            table = table.set_column(place, table.schema.field(column), [values])
        pq.write_table(table, file)
        seal()

    def seal():
        (path / SUMS).write_text(sums_text(path), encoding="ascii")

    return SimpleNamespace(path=path, change=change, seal=seal)


@pytest.fixture
def plancheck(monkeypatch, capfd):
    """Runs `plancheck verify` here, without its bounds: exit status, and what it printed on each stream."""
    monkeypatch.setattr("plancheck.verification.bounds.bound", lambda: None)
    monkeypatch.setattr(logging.getLogger("plancheck"), "handlers", [])

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["plancheck", "verify", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return ended.value.code or 0, out, err

    return run
