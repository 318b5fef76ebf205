"""Stage atoms: the windows of each context, and what it says of documents and domains."""

import json
import logging
from pathlib import Path

import pytest
import yaml

from plancheck.benchmark.questions import read_benchmark
from plancheck.benchmark.tables import write_contexts, write_questions
from plancheck.params.formats import FORMATS
from plancheck.params.retrieval import Atoms
from plancheck.params.study import Params
from plancheck.plumbing.files import read_json, read_table
from plancheck.stages import atoms as stage

ATOMS = yaml.safe_load((Path(__file__).parents[2] / "params.yaml").read_text())["atoms"]


@pytest.fixture
def run(tmp_path, monkeypatch, caplog):
    """Runs the stage on a benchmark file; the report, the lines of the log, documents by context."""

    def run(file, **multi_document):
        monkeypatch.chdir(tmp_path)
        benchmark = read_benchmark(file, FORMATS["longbench_v2"].columns)
        write_questions(benchmark)
        write_contexts(benchmark)
        settings = ATOMS | {"multi_document": ATOMS["multi_document"] | {"window_chars": 2000} | multi_document}
        with caplog.at_level(logging.INFO, logger="plancheck.atoms"):
            stage.run(Params.model_construct(atoms=Atoms.model_validate(settings)))
        table = read_table("data/atoms.parquet").to_pandas()
        return read_json(stage.REPORT), caplog.messages, table.groupby("context_id")["document"].nunique().tolist()

    return run


def test_documents_are_counted_in_classes(cases, run):
    report, messages, found = run(cases / "crlf_between_documents.json")
    assert set(found) == {6}
    assert report["multi_document"] == {
        "contexts": len(found),
        "documents": {"1": 0, "2-5": 0, "6-50": len(found), "more": 0},
        "domains": {"asked": ["Multi-Document QA"], "present": ["Multi-Document QA"]},
    }
    assert report["atoms"] > report["multi_document"]["contexts"]
    assert (
        f"of {len(found)} multi-document contexts 0 have 1 document, 0 have 2-5, {len(found)} have 6-50, 0 have more"
        in (messages)
    )


def test_a_domain_in_another_case_is_taken_and_told(cases, run):
    report, messages, found = run(cases / "domain_in_other_case.json")
    assert set(found) == {6}
    assert report["multi_document"]["domains"] == {"asked": ["Multi-Document QA"], "present": ["Multi-document QA"]}
    assert (
        "atoms.multi_document.domains has 'Multi-Document QA'; the benchmark's Multi-document QA is taken for it"
        in messages
    )


@pytest.mark.parametrize("asked", [" multi-document  qa", "\uff2dulti-Document QA", "MULTI-DOCUMENT\u00a0QA"])
def test_blanks_and_unicode_form_tell_no_domains_apart(cases, run, asked):
    assert set(run(cases / "indented_document_headings.json", domains=[asked])[2]) == {6}


def test_a_domain_that_is_not_there_is_told_with_those_that_are(cases, run):
    report, messages, found = run(cases / "crlf_between_documents.json", domains=["Many texts"])
    assert set(found) == {1}
    assert report["multi_document"]["contexts"] == 0
    told = [line for line in messages if "no question is of Many texts" in line]
    assert len(told) == 1
    assert told[0].endswith("domains are: Multi-Document QA")


def test_mostly_single_documents_name_the_two_parameters(cases, run):
    _, messages, _ = run(cases / "headings_within_one_document.json")
    assert any("1 have 1 document" in line and "atoms.multi_document.separators" in line for line in messages)


def test_a_context_of_another_domain_is_one_document_whatever_stands_in_it(tmp_path, cases, run):
    records = json.loads((cases / "form_feeds_between_documents.json").read_text())
    file = tmp_path / "one.json"
    file.write_text(json.dumps([record | {"domain": "Novel"} for record in records]))
    assert set(run(file)[2]) == {1}


def test_documents_that_are_given_are_the_documents_whatever_the_domain(tmp_path, run):
    texts = ["Report.\f# One\n" + "x" * 30, "=== Two ===\ny", "Document 3:\nz"]
    choices = {"choice_A": "a", "choice_B": "b"}
    made = [
        {"_id": "q1", "domain": "Code", "question": "?", "answer": "A", "context": texts, **choices},
        {"_id": "q2", "domain": "Code", "question": "?", "answer": "A", "context": "Document 1:\nu", **choices},
    ]
    (tmp_path / "made.json").write_text(json.dumps(made))
    report, _, found = run(tmp_path / "made.json", window_chars=20, overlap_chars=5)
    assert sorted(found) == [1, 3]
    assert report["multi_document"]["documents"] == {"1": 0, "2-5": 1, "6-50": 0, "more": 0}
    cut = read_table("data/atoms.parquet").to_pandas()
    cut = cut[cut["context_id"].isin(cut["context_id"][cut["document"] > 0])]
    text = "\n\n".join(texts)
    firsts = cut.groupby("document")["start"].min().tolist()
    assert [text[start:].startswith(given) for start, given in zip(firsts, texts, strict=True)] == [True] * 3
    assert (cut["end"] - cut["start"]).max() == 20
