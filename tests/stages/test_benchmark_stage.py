import gzip
import hashlib
import json
import logging

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plancheck.benchmark.tables import read_contexts, read_questions
from plancheck.params.benchmark import BenchmarkParams
from plancheck.params.study import Params
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.files import read_json
from plancheck.records import CONTEXTS, QUESTIONS
from plancheck.stages import benchmark as stage

LONG_ID = "q" * 300
PIN = {"repo": "owner/set", "revision": "0" * 40, "file": "data.json", "sha256": "0" * 64}


def params(path="questions.json", **changes):
    settings = {
        "source": "file",
        "path": path,
        "seed": 5,
        "controlled": {
            "questions": 12,
            "context_chars": 2_000,
            "lexical_gap": 0.5,
            "two_hops": 0.5,
            "near_misses": 2,
            "shared_contexts": 0.3,
        },
    }
    return Params.model_construct(benchmark=BenchmarkParams.model_validate(settings | changes))


def record(name="q1", **changes):
    choices = {f"choice_{letter}": f"answer {letter}" for letter in "ABCD"}
    rest = {"_id": name, "domain": "Code", "question": "Which?", "answer": "A", "context": f"Text of {name}."}
    return choices | rest | changes


def without(field):
    return {name: value for name, value in record().items() if name != field}


def array(*records):
    return json.dumps(records).encode()


def parquet(*records):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(list(records)), sink)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_tables_and_summary_of_a_file(study, caplog):
    shared = "One text."
    questions = [record("q1", context=shared), record("q2", domain="Tables"), record("q3", context=shared)]
    (study / "questions.json").write_bytes(array(*questions))
    with caplog.at_level(logging.INFO, logger="plancheck.benchmark"):
        stage.run(params())
    assert [question.question_id for question in read_questions()] == ["q1", "q2", "q3"]
    assert sorted(read_contexts().values()) == ["One text.", "Text of q2."]
    assert pq.read_schema("data/questions.parquet").equals(QUESTIONS)
    assert pq.read_schema("data/contexts.parquet").equals(CONTEXTS)
    assert read_json(stage.REPORT) == {
        "questions": 3,
        "choices": {"4": 3},
        "evidence": 0,
        "contexts": 2,
        "domains": {"Code": 2, "Tables": 1},
        "context_chars": {"min": 9, "median": 10.0, "max": 11},
        "shared_contexts": {"groups": 1, "questions": 2},
        "near_equal_contexts": {"groups": 0, "contexts": 0},
        "equal_choices": {"questions": 0, "with_gold": 0},
    }
    assert "3 questions over 2 contexts written" in caplog.messages


def test_near_equal_contexts_are_told_and_of_one_group(study, caplog):
    texts = {"q1": "One text.", "q2": "One text.\r\n", "q3": "Another."}
    records = [record(name, context=text) for name, text in texts.items()]
    (study / "questions.json").write_bytes(array(*records))
    stage.run(params())
    groups = {question.question_id: question.context_group for question in read_questions()}
    ids = {question.question_id: question.context_id for question in read_questions()}
    assert groups == {"q1": min(ids["q1"], ids["q2"]), "q2": min(ids["q1"], ids["q2"]), "q3": ids["q3"]}
    assert len(read_contexts()) == 3
    report = read_json(stage.REPORT)
    assert report["near_equal_contexts"] == {"groups": 1, "contexts": 2}
    assert report["shared_contexts"] == {"groups": 1, "questions": 2}
    assert any(message.startswith("2 contexts differ from another only in white space") for message in caplog.messages)


def test_equal_choices_are_counted_and_told_with_their_questions(study, caplog):
    twice = [record(f"q{number}", choice_B="answer A") for number in range(6)]
    other = [record("q6", choice_C="answer  b"), record("q7")]
    (study / "questions.json").write_bytes(array(*twice, *other))
    with caplog.at_level(logging.WARNING, logger="plancheck.benchmark"):
        stage.run(params())
    assert read_json(stage.REPORT)["equal_choices"] == {"questions": 7, "with_gold": 6}
    assert [message for message in caplog.messages if "choices" in message] == [
        "7 question(s) have choices that are equal but for white space, case and Unicode form: q0, q1, q2, q3, q4 and "
        "2 more. The text of the gold choice stands under another letter too in 6 of them: there both letters count as "
        "right."
    ]


def test_the_case_of_a_gold_text_that_stands_twice_is_counted(study, cases, caplog):
    with caplog.at_level(logging.WARNING, logger="plancheck.benchmark"):
        stage.run(params(str(cases / "gold_text_stands_twice.json")))
    assert read_json(stage.REPORT)["equal_choices"] == {"questions": 2, "with_gold": 2}
    assert "case-0, case-1" in caplog.text


def test_a_second_run_writes_the_same_bytes(study):
    (study / "questions.json").write_bytes(array(*(record(f"q{n}") for n in range(9))))
    stage.run(params(limit=5))
    before = files(study)
    stage.run(params(limit=5))
    assert files(study) == before


def test_a_limit_keeps_only_the_contexts_it_needs(study):
    (study / "questions.json").write_bytes(array(*(record(f"q{n}") for n in range(9))))
    stage.run(params(limit=4))
    questions = read_questions()
    assert len(questions) == 4
    assert set(read_contexts()) == {question.context_id for question in questions}


def test_the_controlled_source_needs_only_its_lexicon(study):
    stage.run(params(path=stage.__file__.replace("stages/benchmark.py", "benchmark/lexicon.yaml"), source="controlled"))
    questions, contexts = read_questions(), read_contexts()
    assert len(questions) == 12
    assert all(question.evidence for question in questions)
    assert read_json(stage.REPORT)["shared_contexts"]["questions"] >= 2
    assert {question.context_id for question in questions} == set(contexts)


def test_a_pinned_file_is_fetched_at_its_commit(study, monkeypatch):
    (study / "fetched").write_bytes(array(record()))
    (study / "set.hub.json").write_text(json.dumps(PIN))
    asked = []
    monkeypatch.setattr(stage, "download_dataset_file", lambda *pin: asked.append(pin) or study / "fetched")
    stage.run(params("set.hub.json"))
    assert asked == [("owner/set", "0" * 40, "data.json", "0" * 64)]
    assert len(read_questions()) == 1


BAD = {
    "no JSON at all": (b"<html>Not found</html>", ["starts with '<'", "JSON array, JSON Lines or Parquet"]),
    "a Git LFS pointer": (b"version https://git-lfs.github.com/spec/v1\n", ["Git LFS pointer", "git lfs pull"]),
    "an empty file": (b"", ["is empty", "benchmark.path"]),
    "only white space": (b" \n\t\n", ["is empty"]),
    "an empty array": (b"[]", ["holds no record", "benchmark.path"]),
    "a truncated array": (
        array(record())[:-20],
        ["not valid JSON at line 1, column", "truncated", "download it again"],
    ),
    "two arrays": (array(record()) * 2, ["not valid JSON at line 1", "Extra data"]),
    "too deep nesting": (b"[" * 200_000, ["not usable as JSON", "array of flat objects"]),
    "a bad line": (
        json.dumps(record()).encode() + b'\n{"_id": \n{]\n',
        ["2 line(s)", "line 2, column 9", "line 3, column 2", "one whole object a line"],
    ),
    "invalid UTF-8": (array(record()).replace(b"Which", b"Whi\xff"), ["invalid UTF-8 at byte", "convert it to UTF-8"]),
    "UTF-16": (array(record()).decode().encode("utf-16"), ["is UTF-16 text", "must be UTF-8", "iconv -f UTF-16 "]),
    "truncated gzip": (gzip.compress(array(record()))[:-12], ["damaged gzip", "Download or compress it again"]),
    "broken gzip": (b"\x1f\x8bnonsense, not deflated", ["damaged gzip"]),
    "damaged Parquet": (parquet(record())[:-30], ["damaged Parquet", "again"]),
    "Parquet of no row": (parquet(), ["holds no record"]),
    "Parquet with a missing column": (parquet(without("answer")), ["row 1 (_id 'q1'): has no answer"]),
    "Parquet with an empty cell": (parquet(record(context=None), record("q2")), ["row 1 (_id 'q1'): has no context"]),
    "a number for a record": (array(7), ["record 1: must be an object with named fields, got a number"]),
    "a null record": (array(record(), None), ["record 2: must be an object", "got null"]),
    "no ID": (array(without("_id")), ["record 1: has no _id"]),
    "a blank ID": (array(record("  ")), ["record 1: _id must hold more than white space"]),
    "a true ID": (array(record(True)), ["record 1: _id must be text or a whole number, got true or false"]),
    "a fractional ID": (array(record(1.5)), ["record 1: _id must be text or a whole number, got a number"]),
    "a doubled ID": (
        array(record(), record("q2"), record()),
        ["record 3 (_id 'q1'): _id is also the ID of record 1"],
    ),
    "a number and a text as one ID": (array(record(1), record("1")), ["record 2 (_id '1')", "also the ID of record 1"]),
    "no question": (array(without("question")), ["record 1 (_id 'q1'): has no question"]),
    "three choices": (array(without("choice_C")), ["(_id 'q1'): has no choice_C"]),
    "several fields missing": (array({"_id": "q1", "context": "x"}), ["has no question, choice_A, choice_B, answer"]),
    "an empty choice": (array(record(choice_D="")), ["choice_D must not be empty"]),
    "a number for a choice": (array(record(choice_B=4)), ["choice_B must be text, got a number"]),
    "an answer outside A to D": (
        array(record(answer="E")),
        ["answer must mean one choice: its letter A to D or its exact text, got 'E'"],
    ),
    "a small letter": (
        array(record(answer="a")),
        ["answer must mean one choice: its letter A to D or its exact text, got 'a'"],
    ),
    "a numbered answer": (array(record(answer=0)), ["answer: 1 answer(s) are numbers, from 0 to 0", "answer_index=0"]),
    "a list of answers": (
        array(record(answer=["A"])),
        ["answer must mean one choice: its letter A to D or its exact text, got ['A']"],
    ),
    "an empty context": (array(record(context="")), ["context must not be empty"]),
    "a blank context": (array(record(context=" \n")), ["context must hold more than white space"]),
    "a number for a context": (array(record(context=7)), ["context must be text or a list of texts, got a number"]),
    "half a surrogate pair": (
        array(record(context="ab\ud800")),
        ["context holds half a surrogate pair at character 2"],
    ),
    "half a pair in a length class": (array(record(length="\udc00")), ["length holds half a surrogate pair"]),
    "a domain in one record only": (array(without("domain"), record("q2")), ["record 1 (_id 'q1'): has no domain"]),
    "a blank domain": (array(record(domain=" ")), ["domain must hold more than white space"]),
    "a long ID": (array(record(LONG_ID, answer="E")), [f"(_id '{'q' * 59}...)", "answer must mean"]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_message_and_writes_nothing(study, name):
    content, expected = BAD[name]
    (study / "questions.json").write_bytes(content)
    refused(study, params(), ["questions.json", *expected])


BAD_PINS = {
    "a branch": (PIN | {"revision": "main"}, ["revision: 'main' can move", "40-digit commit"]),
    "a short commit": (PIN | {"revision": "0" * 7}, ["revision: '0000000' can move"]),
    "a bad digest": (PIN | {"sha256": "00"}, ["sha256:"]),
    "a misspelt key": (PIN | {"branch": "x"}, ["branch:"]),
    "nothing": ({}, ["repo: Field required", "revision: Field required", "file:", "sha256:"]),
    "a path out of the repository": (PIN | {"file": "../../etc/passwd"}, ["file:"]),
    "a list": ([], ["file: Input should be an object", "A pin is a JSON object"]),
}


@pytest.mark.parametrize("name", BAD_PINS)
def test_a_bad_pin_is_one_message_and_writes_nothing(study, name):
    content, expected = BAD_PINS[name]
    (study / "set.hub.json").write_text(json.dumps(content))
    refused(study, params("set.hub.json"), ["set.hub.json", *expected])


@pytest.mark.parametrize("path", ["questions.json", "set.hub.json"])
def test_a_missing_file_and_a_folder_are_one_message(study, path):
    refused(study, params(path), [path, "o such file", "benchmark.path"])
    (study / path).mkdir()
    refused(study, params(path), [path, "benchmark.path"])


def refused(folder, given, expected):
    before = files(folder)
    with pytest.raises(StudyError) as caught:
        stage.run(given)
    assert [part for part in expected if part not in str(caught.value)] == []
    assert files(folder) == before
    assert not (folder / "data").exists()
    assert not (folder / "reports").exists()
