"""A study of atoms of the user's own: from the benchmark's file to what its policies show."""

import copy
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from plancheck.benchmark.tables import read_contexts, write_contexts, write_questions
from plancheck.packing import SEPARATOR, packed_text
from plancheck.params.pack import Pack, Policy
from plancheck.params.rankings import Rankings
from plancheck.params.retrieval import Atoms
from plancheck.params.study import Params, parse_params
from plancheck.plumbing.files import DATA, read_json, read_table, write_table
from plancheck.records import GIVEN_CONTEXTS, PLANS, RANKINGS, Benchmark, Question, Span
from plancheck.stages import atoms, benchmark, pack, split
from plancheck.tables import read_atoms, read_packed_contexts
from validation import atoms as atoms_gate
from validation import packed as packed_gate
from validation.inputs import Inputs

ROOT = Path(__file__).parents[2]
VALUES = yaml.safe_load((ROOT / "params.yaml").read_text())
PROGRAM = ROOT / "docs" / "paragraph_atoms.py"
FILE = Path("given/atoms/paragraphs.jsonl")
PARAGRAPHS = ["First words\nof {}.", "A second paragraph, the longest.", "The end: é😀."]
GAP = "\n\n  \n"
POLICIES = {name: Policy(fill=name) for name in ("head", "head_tail", "bm25")}


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The demo's parameters with another benchmark, a file of ten questions, and paragraphs as atoms."""
    monkeypatch.chdir(tmp_path)
    FILE.parent.mkdir(parents=True)
    values = copy.deepcopy(VALUES)
    values["benchmark"] |= {"source": "file", "path": "questions.jsonl"}
    values["split"]["sizes"] = {"train": 0.5, "dev": 0.2, "test": 0.3}
    values["atoms"]["path"] = FILE.as_posix()
    ranked = {"bm25": {"kind": "bm25", "variant": "lucene"}, "hybrid": {"kind": "fusion", "weights": {"bm25": 1}}}
    own = {
        "rankings": TypeAdapter(Rankings).validate_python(ranked),
        "pack": Pack(budgets_chars=[70, 36], overflow="cut", merge_overlaps=False, policies=POLICIES),
    }
    return parse_params(values, name="params.yaml").model_copy(update=own)


def write_benchmark():
    choices = {f"choice_{letter}": letter for letter in "ABCD"}
    texts = [GAP.join(PARAGRAPHS).format(number) for number in range(10)]
    records = [
        {"_id": f"q{number}", "question": "?", "answer": "A", "context": text, **choices}
        for number, text in enumerate(texts)
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def chunk():
    """What the example of the docs makes of the benchmark."""
    names = [(row["question_id"], row["context_id"]) for row in read_table(DATA / "questions.parquet").to_pylist()]
    texts = read_contexts()
    rows = [{"question_id": name, "context_id": context_id, "context": texts[context_id]} for name, context_id in names]
    Path("texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    subprocess.run([sys.executable, "-I", str(PROGRAM), "texts.jsonl", str(FILE)], check=True)


def write_rankings():
    """The last paragraph of each context is best."""
    own, rows = read_atoms(), []
    for question in read_table(DATA / "questions.parquet").to_pylist():
        for ranking in ("bm25", "hybrid"):
            rows += [
                {"question_id": question["question_id"], "ranking": ranking, "atom_id": atom.atom_id,
                 "score": float(-rank), "rank": rank, "tokens": None, "truncated": None}
                for rank, atom in enumerate(reversed(own[question["context_id"]]), start=1)
            ]  # fmt: skip
    write_table(DATA / "rankings.parquet", rows, RANKINGS)
    for name, schema in (("rerank", RANKINGS), ("rerank_tuned", RANKINGS), ("plans", PLANS), ("given_plans", PLANS),
                         ("given_contexts", GIVEN_CONTEXTS)):  # fmt: skip
        write_table(DATA / f"{name}.parquet", [], schema)


def test_paragraphs_are_the_atoms_of_a_study_and_what_is_between_them_is_told(params, caplog):
    write_benchmark()
    benchmark.run(params)
    split.run(params)
    chunk()
    with caplog.at_level(logging.INFO, logger="plancheck"):
        atoms.run(params)
        write_rankings()
        pack.run(params)

    texts, own = read_contexts(), read_atoms()
    found = {context_id: [texts[context_id][atom.start : atom.end] for atom in own[context_id]] for context_id in texts}
    assert sorted(found.values()) == [[text.format(number) for text in PARAGRAPHS] for number in range(10)]
    assert all(atom.atom_id.endswith(f"-{place:05}") for found in own.values() for place, atom in enumerate(found))
    length = len(GAP.join(PARAGRAPHS).format(0))
    assert read_json(atoms.REPORT)["uncovered"] == {"characters": 100, "share": 10 / length, "contexts": 10}
    assert any("100 characters (14.1 %) of 10 of 10 contexts are in no atom" in line for line in caplog.messages)

    rows = read_table(DATA / "packed.parquet").to_pylist()
    contexts = {
        row["question_id"]: texts[row["context_id"]] for row in read_table(DATA / "questions.parquet").to_pylist()
    }
    pieces = {packed.packed_id: packed.pieces for packed in read_packed_contexts()}
    shown = {
        (row["policy"], row["budget_chars"]): packed_text(contexts["q3"], pieces[row["packed_id"]])
        for row in rows
        if row["question_id"] == "q3"
    }
    text = contexts["q3"]
    assert shown["head", 70] == text[:70] and shown["head", 36] == text[:36]
    assert shown["head_tail", 36] == text[:17] + SEPARATOR + text[-17:]
    assert shown["bm25", 70] == SEPARATOR.join([PARAGRAPHS[2], PARAGRAPHS[1], PARAGRAPHS[0].format(3)])
    assert [row["atom_ids"][1] for row in rows if row["policy"] == "head"] == ["17-22"] * 20

    names = ("questions", "contexts", "atoms", "plans", "given_plans", "given_contexts", "packed")
    judged = Inputs(params, {name: read_table(DATA / f"{name}.parquet") for name in names})
    by_context = atoms_gate.frames(judged)["atoms_by_context"]
    assert (by_context[["without_atoms", "misplaced"]] == 0).all(axis=None)
    assert (by_context["uncovered_chars"] == 10).all()
    packed = packed_gate.frames(judged)["packed"]
    assert (packed[["unknown_atoms", "foreign_atoms", "stray_pieces"]] == 0).all(axis=None)


texts = st.lists(
    st.sampled_from(["=== Title ===", "# Head", "words of a line", "\f", "é😀 漢字", " ", "end"]), min_size=1
)
contexts = st.lists(texts.map("\n".join).filter(str.strip), min_size=1, max_size=3, unique=True)


@given(
    contexts, st.integers(1, 30), st.integers(0, 29), st.booleans(), st.booleans(), st.randoms(use_true_random=False)
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_windows_of_ours_written_as_a_file_are_the_same_atoms(
    tmp_path, monkeypatch, texts, window, overlap, by_question, multiple, random
):
    monkeypatch.chdir(tmp_path)
    values = {"window_chars": window, "overlap_chars": min(overlap, window - 1)}
    domains = {"domains": ["d"] if multiple else [], "separators": ["=== .+ ===$"]}
    ours = {"multi_document": values | domains, "other": values}
    names = {f"{place:016x}": text for place, text in enumerate(texts)}
    questions = [Question(f"q{name}", "d", "", "", "", "?", ("1", "2"), "A", name) for name in names]
    made = Benchmark(tuple(questions), names, {next(iter(names)): (Span(0, len(texts[0])),)})
    write_questions(made)
    write_contexts(made)

    def run(**changes):
        atoms.run(Params.model_construct(atoms=Atoms.model_validate(ours | changes)))
        return (DATA / "atoms.parquet").read_bytes(), read_json(atoms.REPORT)

    by_windows, report = run()
    rows = [(atom.context_id, atom.start, atom.end) for own in read_atoms().values() for atom in own]
    random.shuffle(rows)
    named = ((("question_id", f"q{name}") if by_question else ("context_id", name), *span) for name, *span in rows)
    lines = [json.dumps({field: value, "start": start, "end": end}) for (field, value), start, end in named]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("\n".join(lines))
    assert run(path=FILE.as_posix()) == (
        by_windows, report | {"uncovered": {"characters": 0, "share": 0, "contexts": 0}},
    )  # fmt: skip
