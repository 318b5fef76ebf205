"""Stage analyze on a small study: every table in three forms, the same bytes each time, honest refusals."""

import hashlib
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from pydantic import TypeAdapter

from plancheck.benchmark.tables import write_questions
from plancheck.params.analyze import Analyze
from plancheck.params.answer import Route
from plancheck.params.pack import Pack, Policy
from plancheck.params.planning import Tune
from plancheck.params.rankings import Rankings
from plancheck.params.selectors import HarnessSelector, PlannerSelector
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import DATA, write_json, write_table
from plancheck.records import (
    ATOMS,
    CANDIDATES,
    GIVEN_PREDICTIONS,
    PACKED,
    PLANS,
    PREDICTIONS,
    RANKINGS,
    ROUTING,
    Benchmark,
    Question,
    Span,
)
from plancheck.reporting.reading import read_report
from plancheck.reporting.tables import TABLES
from plancheck.routing.entries import entries
from plancheck.stages import analyze

IDS = [f"q{number:02}" for number in range(24)]
SPLITS = {"train": IDS[:12], "dev": IDS[12:16], "test": IDS[16:]}
BUDGETS = [900, 600]
POLICIES = {
    "no_context": Policy(fill="none"),
    "bm25": Policy(fill="bm25"),
    "rerank": Policy(fill="rerank"),
    "sft+nothing": Policy(selector="sft", fill="none"),
    "sft+hybrid_order": Policy(selector="sft", fill="none", shown_order="hybrid"),
    "sft+hybrid_first": Policy(selector="sft", order="hybrid", fill="none"),
    "sft_early+nothing": Policy(selector="sft_early", fill="none"),
    "evidence+nothing": Policy(selector="evidence", fill="none"),
}

RANKED = TypeAdapter(Rankings).validate_python(
    {
        "bm25": {"kind": "bm25", "variant": "okapi"},
        "dense": {"kind": "dense", "model": "encoder", "coverage": "head"},
        "hybrid": {"kind": "fusion", "weights": {"bm25": 1, "dense": 1}},
        "rerank": {"kind": "cross_encoder", "model": "reranker", "coverage": "head", "rest": "hybrid"},
        "rerank_tuned": {"kind": "cross_encoder", "model": "reranker_tuned", "coverage": "head", "rest": "hybrid"},
    }
)

# Show the same text in every question.
ALIKE = {("sft_early+nothing", 600), ("no_context", 600)}


def params(**changes):
    settings = {
        "confidence": 0.95,
        "seed": 1,
        "resamples": 200,
        "power": 0.8,
        "margin": 0.05,
        "tiers": {"direct": ["no_context"], "retrieval": ["bm25", "rerank"]},
        "comparisons": {
            "plan": {"treatment": "sft+nothing", "control": "bm25", "budget_chars": "largest", "split": "all"},
            "best": {
                "treatment": "sft+nothing",
                "control": {"best_of": ["bm25", "rerank"]},
                "budget_chars": 600,
                "split": "test",
            },
            "looked_into": {
                "treatment": "sft+nothing",
                "control": {"best_of": "retrieval"},
                "budget_chars": "smaller",
                "split": "all",
            },
        },
        "mechanisms": {"comparison": "looked_into", "top": 2},
    }
    return Params.model_construct(
        rankings=RANKED,
        tune=Tune.model_construct(role="reranker_tuned"),
        pack=Pack(budgets_chars=BUDGETS, overflow="cut", merge_overlaps=False, policies=POLICIES),
        selectors={
            "sft": PlannerSelector(kind="planner", adapter="last"),
            "sft_early": PlannerSelector(kind="planner", adapter="early"),
            "evidence": HarnessSelector(kind="evidence"),
        },
        route=Route(
            seed=1, budget_chars=900, control="bm25", planner="sft+nothing", folds=2, routers=["forest", "domain_rule"]
        ),
        analyze=Analyze.model_validate(settings | changes),
    )


def context(question_id):
    return hashlib.sha256(f"{IDS.index(question_id) // 2}".encode()).hexdigest()


def write_study(*, seed=0):
    """Four atoms a context; two questions share each context; the evidence selector is always right."""
    generator = np.random.default_rng(seed)
    names = {"sub_domain": "", "difficulty": "", "length": "", "question": "?", "answer": "A"}
    questions = tuple(
        Question(
            question_id=name,
            context_id=context(name),
            choices=("1", "2", "3", "4"),
            evidence=(Span(0, 5),),
            domain=f"d{number % 3}",
            **names,
        )
        for number, name in enumerate(IDS)
    )
    write_questions(Benchmark(questions, {}))
    write_json(DATA / "splits.json", {**SPLITS, "seed": 1, "group_by": "none"})
    atoms, rankings, candidates, reranked, tuned = [], [], [], [], []
    plans, packed, predictions, routing = [], [], [], []
    read = {"tokens": 1, "truncated": False}
    for name in IDS:
        own = [f"{context(name)[:16]}-{position:05}" for position in range(4)]
        if IDS.index(name) % 2 == 0:
            atoms += [
                {"atom_id": atom, "context_id": context(name), "position": n, "start": 10 * n, "end": 10 * n + 10,
                 "document": 0}
                for n, atom in enumerate(own)
            ]  # fmt: skip
        for n, atom in enumerate(own):
            keys = {"question_id": name, "atom_id": atom}
            for ranking, score, rank in (("bm25", 4.0 - n, n + 1), ("dense", n / 10, 4 - n), ("hybrid", 1.0, n + 1)):
                rankings.append({**keys, "ranking": ranking, "score": score, "rank": rank, **read})
            if n < 3:
                candidates.append({**keys, "position": n})
                reranked.append({**keys, "ranking": "rerank", "score": float(n), "rank": 3 - n, **read})
                tuned.append({**keys, "ranking": "rerank_tuned", "score": 0.0, "rank": n + 1, **read})
        for selector in ("sft", "sft_early", "evidence"):
            chosen = [own[generator.integers(3)]] if generator.random() < 0.8 else []
            plans.append(
                {"question_id": name, "selector": selector, "atom_ids": chosen, "parsed": bool(chosen),
                 "starts": [10 * int(one[-1]) for one in chosen], "ends": [10 * int(one[-1]) + 10 for one in chosen],
                 "failure": None if chosen else "unparsable"}
            )  # fmt: skip
        for policy in POLICIES:
            for budget in BUDGETS:
                shown = [] if policy == "no_context" else [own[generator.integers(4)]]
                start = 10 * int(shown[0][-1]) if shown else 0
                right = bool(policy == "evidence+nothing" or generator.random() < 0.4)
                right = right and (policy, budget) not in ALIKE
                text = "alike" if (policy, budget) in ALIKE else policy
                packed_id = hashlib.sha256(f"{name}{text}{budget}".encode()).hexdigest()
                keys = {"question_id": name, "policy": policy, "budget_chars": budget, "packed_id": packed_id}
                packed.append(
                    {**keys, "atom_ids": shown, "starts": [start][: len(shown)], "ends": [start + 10][: len(shown)],
                     "chars": 10 * len(shown), "cut": False, "skipped": 0, "evidence_recall": generator.random(),
                     "plan_failed": False}
                )  # fmt: skip
                predictions.append({**keys, "letter": "A" if right else "B", "gold": "A", "correct": right})
        for entry in entries(["forest", "domain_rule"]):
            routing.append(
                {"question_id": name, "scheme": entry.scheme, "router": entry.router, "among": entry.among,
                 "kind": entry.kind, "fold": 0, "learned": 4, "policy": "bm25", "correct": bool(generator.integers(2))}
            )  # fmt: skip
    tables = {
        "atoms": (atoms, ATOMS),
        "rankings": (rankings, RANKINGS),
        "candidates": (candidates, CANDIDATES),
        "rerank": (reranked, RANKINGS),
        "rerank_tuned": (tuned, RANKINGS),
        "plans": (plans, PLANS),
        "given_plans": ([], PLANS),
        "given_predictions": ([], GIVEN_PREDICTIONS),
        "packed": (packed, PACKED),
        "predictions": (predictions, PREDICTIONS),
        "routing": (routing, ROUTING),
    }
    for table, (rows, schema) in tables.items():
        write_table(DATA / f"{table}.parquet", rows, schema)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_study()
    return tmp_path


def written(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted((folder / "reports").rglob("*.*"))}


def test_every_table_is_written_in_three_forms_and_twice_the_same(folder):
    analyze.run(params())
    first = written(folder)
    assert {path.name for path in first} == {
        "metrics.json",
        *(f"{table.name}.{form}" for table in TABLES for form in ("csv", "md", "tex")),
    }
    analyze.run(params())
    assert written(folder) == first


def test_every_table_is_read_back_as_it_was_written(folder):
    analyze.run(params(by_domain=["plan"]))
    for declared in TABLES:
        path = folder / "reports" / "tables" / f"{declared.name}.csv"
        table = read_report(path, declared)
        assert list(table.columns) == declared.names and len(table) == len(path.read_text().splitlines()) - 1


def test_the_ladder_has_the_routers_at_their_budget_and_the_perfect_planner_passes_every_tier(folder):
    analyze.run(params())
    table = pd.read_csv(folder / "reports" / "tables" / "ladder.csv")
    routers = table[table["tier"] == "router"]
    assert set(routers["budget_chars"]) == {900}
    assert set(routers["control"]) == {"forest", "domain_rule"}
    perfect = table[(table["planner"] == "evidence+nothing") & (table["split"] == "all")]
    assert set(perfect["verdict"]) == {"supported"}


def test_metrics_are_few_figures_of_the_tables(folder):
    analyze.run(params())
    found = json.loads((folder / "reports" / "metrics.json").read_text())
    assert set(found) == {"accuracy", "failures", "ladder", "oracle_gap", "parse_rate_test", "planner_gain", "rankings"}
    silent = {name: found["silent"] for name, found in found["rankings"].items()}
    assert silent == {"bm25": 0, "dense": 0, "rerank": 0, "rerank_tuned": 24}
    assert {side: set(by_budget) for side, by_budget in found["accuracy"].items()} == {
        "planner": {"900", "600"},
        "control": {"900", "600"},
    }
    assert found["ladder"]["harness"]["supported"] > 0
    assert set(found["planner_gain"]) == {"same_questions", "nested"}
    pooled = pd.read_csv(folder / "reports" / "tables" / "best_of_all.csv")
    assert not pooled["treatment"].str.startswith("evidence").any()


def test_comparisons_of_a_text_with_itself_are_named(folder, caplog):
    with caplog.at_level("WARNING", logger="plancheck.analyze"):
        analyze.run(params())
    table = pd.read_csv(folder / "reports" / "tables" / "ladder.csv")
    same = table[table["identical"] == table["questions"]]
    assert set(same["planner"]) == {"sft_early+nothing"} and set(same["control"]) == {"no_context"}
    assert len(same) == 2 and same["sentence"].str.endswith("this comparison says nothing.").all()
    assert f"2 of the ladder's {len(table)} comparisons say nothing" in caplog.text
    assert "sft_early+nothing and no_context at 600" in caplog.text


def test_the_texts_of_each_budget_and_the_questions_with_a_longer_atom_are_counted(folder):
    analyze.run(params())
    table = pd.read_csv(folder / "reports" / "tables" / "texts.csv").set_index("budget_chars")
    assert table["conditions"].tolist() == [24 * len(POLICIES)] * 2
    assert table["texts"].to_dict() == {900: 24 * len(POLICIES), 600: 24 * (len(POLICIES) - 1)}
    assert table["longer_atoms"].tolist() == [0, 0] and table["longest_atom_chars"].tolist() == [10, 10]


def test_adding_a_comparison_changes_no_other_row(folder):
    analyze.run(params())
    before = pd.read_csv(folder / "reports" / "tables" / "comparisons.csv").set_index("name")
    one = params().analyze.model_dump()["comparisons"]["plan"]
    analyze.run(params(comparisons={"plan": one}, mechanisms=None))
    after = pd.read_csv(folder / "reports" / "tables" / "comparisons.csv").set_index("name")
    columns = ["low", "high", "plain_low", "plain_high", "p", "needed"]
    assert after.loc["plan", columns].tolist() == before.loc["plan", columns].tolist()


def test_a_study_without_comparisons_or_mechanisms_has_empty_tables(folder):
    analyze.run(params(comparisons={}, mechanisms=None))
    for name in ("comparisons", "mechanisms"):
        assert pd.read_csv(folder / "reports" / "tables" / f"{name}.csv").empty


def test_mechanisms_are_of_the_best_of_a_tier_at_the_smaller_budgets(folder):
    analyze.run(params())
    table = pd.read_csv(folder / "reports" / "tables" / "mechanisms.csv")
    main = pd.read_csv(folder / "reports" / "tables" / "main.csv")
    rights = main[(main["split"] == "all") & (main["budget_chars"] == 600)].set_index("policy")["correct"]
    assert set(table["budget_chars"]) == {600} and set(table["members"]) == {len(table)}
    assert set(table["control"]) == {rights[["bm25", "rerank"]].idxmax()}
    assert set(zip(table["pick"], table["candidates"], strict=True)) == {("same_questions", 2)}
    displaced = table[table["measure"] == "displacement"][["mean_wins", "mean_losses"]]
    assert displaced.ge(0).all(axis=None) and displaced.le(2).all(axis=None)


def test_order_has_a_row_a_budget_for_each_way_of_holding(folder):
    analyze.run(params())
    table = pd.read_csv(folder / "reports" / "tables" / "order.csv")
    assert table[["held", "treatment", "control", "budget_chars"]].to_numpy().tolist() == [
        [held, treatment, "sft+nothing", budget]
        for held, treatment in (("shown", "sft+hybrid_order"), ("selected", "sft+hybrid_first"))
        for budget in BUDGETS
    ]
    packed = pq.read_table(DATA / "packed.parquet").to_pandas()
    sets = packed.assign(atoms=packed["atom_ids"].map(frozenset)).pivot(
        index="question_id", columns=["policy", "budget_chars"], values="atoms"
    )
    same = [
        (sets[row.treatment, row.budget_chars] == sets[row.control, row.budget_chars]).sum()
        for row in table.itertuples()
    ]
    assert table["same_set"].tolist() == same and set(table["several_atoms"]) == {0}


@pytest.mark.parametrize("name", ["routing", "rankings", "rerank", "rerank_tuned", "plans", "packed", "predictions"])
def test_a_missing_table_is_named(name, folder):
    (DATA / f"{name}.parquet").unlink()
    with pytest.raises(StudyError, match=f"{name}.parquet: no such file"):
        analyze.run(params())


def test_a_test_split_of_one_context_can_not_be_compared(folder):
    write_json(DATA / "splits.json", {"train": IDS[:16], "dev": IDS[16:22], "test": IDS[22:]})
    with pytest.raises(StudyError, match="the test questions have 1 context; intervals need 2") as error:
        analyze.run(params())
    assert "split.sizes, or the IDs that split.path lists" in str(error.value)


@pytest.mark.parametrize(
    ("splits", "expected"),
    [
        ({**SPLITS, "test": [*SPLITS["test"], "q99"]}, "q99: not in data/questions.parquet"),
        ({**SPLITS, "test": SPLITS["test"][1:]}, "q16: in no split"),
    ],
)
def test_splits_of_other_questions_are_refused(splits, expected, folder):
    write_json(DATA / "splits.json", splits)
    with pytest.raises(StudyError) as caught:
        analyze.run(params())
    assert expected in str(caught.value) and "Run `dvc repro -f split`" in str(caught.value)


@pytest.mark.parametrize(("name", "stage"), [("predictions", "answer"), ("packed", "pack")])
@pytest.mark.parametrize("fault", ["row missing", "row doubled", "condition missing", "condition too many"])
def test_rows_that_are_not_one_a_condition_and_question_are_refused(fault, name, stage, folder):
    table = pq.read_table(DATA / f"{name}.parquet")
    rows = table.to_pylist()
    changed, expected = {
        "row missing": (rows[1:], "q00, no_context at 900: no row"),
        "row doubled": ([*rows, rows[0]], "q00, no_context at 900: 2 rows"),
        "condition missing": ([row for row in rows if row["policy"] != "bm25"], "q00, bm25 at 600: no row"),
        "condition too many": ([*rows, {**rows[0], "policy": "other"}], "q00, other at 900: not in the study"),
    }[fault]
    write_table(DATA / f"{name}.parquet", changed, table.schema)
    with pytest.raises(StudyError) as caught:
        analyze.run(params())
    assert f"data/{name}.parquet" in str(caught.value) and expected in str(caught.value)
    assert f"Run `dvc repro -f {stage}`" in str(caught.value)
