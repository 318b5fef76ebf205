"""Names are the user's: under other ones for everything that has one, every table says the same."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from pydantic import TypeAdapter

from plancheck.params.analyze import Analyze
from plancheck.params.answer import Route
from plancheck.params.pack import Pack
from plancheck.params.planning import Tune
from plancheck.params.rankings import Rankings
from plancheck.params.selectors import Selector
from plancheck.params.study import Params
from plancheck.plumbing.files import DATA, read_table, write_table
from plancheck.reporting.tables import TABLES
from plancheck.stages import analyze
from tests.stages.test_analyze_stage import params, write_study

OTHER = {
    "sft": "mine", "sft_early": "mine_half_done", "evidence": "gold", "bm25": "words", "dense": "vectors",
    "hybrid": "both", "rerank": "once_more", "rerank_tuned": "taught", "no_context": "blank", "nothing": "alone",
    "hybrid_order": "as_both_show", "hybrid_first": "as_both_take", "direct": "floor", "retrieval": "engines",
    "plan": "first_one", "best": "second_one", "looked_into": "third_one", "encoder": "small_bert",
    "reranker": "large_bert", "reranker_tuned": "own_bert",
}  # fmt: skip
KINDS = ("kind", "variant", "adapter", "coverage", "split", "overflow", "budget_chars", "routers")
NAMED = ("policy", "selector", "ranking")


def renamed(value, key=""):
    """Parameters with other names in the place of every name, kinds and choices as they were."""
    if isinstance(value, dict):
        return {renamed(name): renamed(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, key) for item in value]
    return (
        "+".join(OTHER.get(part, part) for part in value.split("+"))
        if isinstance(value, str) and key not in KINDS
        else value
    )


def other_params():
    ours = params()
    dumped = {name: getattr(ours, name).model_dump(mode="json") for name in ("pack", "route", "analyze")}
    rankings = TypeAdapter(Rankings).dump_python(ours.rankings, mode="json")
    selectors = TypeAdapter(dict[str, Selector]).dump_python(ours.selectors, mode="json")
    return Params.model_construct(
        rankings=TypeAdapter(Rankings).validate_python(renamed(rankings)),
        tune=Tune.model_construct(role=OTHER[ours.tune.role]),
        pack=Pack.model_validate(renamed(dumped["pack"])),
        selectors=TypeAdapter(dict[str, Selector]).validate_python(renamed(selectors)),
        route=Route.model_validate(renamed(dumped["route"])),
        analyze=Analyze.model_validate(renamed(dumped["analyze"])),
    )


def rename_tables():
    for path in sorted(DATA.glob("*.parquet")):
        table = read_table(path)
        rows = [row | {name: renamed(row[name]) for name in NAMED if row.get(name)} for row in table.to_pylist()]
        write_table(path, rows, table.schema)


def results():
    tables = {
        table.name: pd.read_csv(f"reports/tables/{table.name}.csv", dtype=str, keep_default_na=False)
        for table in TABLES
    }
    return tables, json.loads(Path("reports/metrics.json").read_text(encoding="utf-8"))


def in_other_names(text):
    """A cell of a table: a name, or a sentence, whose ordinary words stay."""
    if " " not in text:
        return renamed(text)
    return re.sub(r"\w+\+\w+|no_context|bm25|rerank|direct|retrieval", lambda name: renamed(name.group()), text)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_study()


def test_every_table_says_the_same_under_other_names(folder):
    analyze.run(params())
    before, metrics = results()
    rename_tables()
    analyze.run(other_params())
    after, other_metrics = results()
    assert renamed(metrics) == other_metrics
    for name, table in before.items():
        expected = table.map(in_other_names)
        pd.testing.assert_frame_equal(after[name], expected, obj=name)
