"""What files say of the systems that made them, and systems that learned from test questions."""

import json
from pathlib import Path

import pytest

from plancheck.given.about import beside, hashed, read_about
from plancheck.given.sources import refuse_test_questions, source_rows, sources
from plancheck.params.study import parse_params
from plancheck.plumbing.digests import file_sha256
from plancheck.plumbing.errors import StudyError


@pytest.fixture
def params(composed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plans.jsonl").write_text(
        json.dumps({"about": {"name": "ours", "model": "m", "trained_on": ["q1", "q7", "q8"]}}) + "\n"
        + json.dumps({"question_id": "q2", "spans": [[0, 1]]}) + "\n"
    )  # fmt: skip
    (tmp_path / "answers.csv").write_text("question_id,letter\nq2,A\n")
    (tmp_path / "given" / "runs").mkdir(parents=True)
    (tmp_path / "given" / "runs" / "mine.run").write_text("q2 Q0 a 1 2.5 mine\n")
    values = composed("demo")
    values["rankings"]["outside"] = {"kind": "run", "path": "given/runs/mine.run"}
    values["pack"]["policies"]["outside"] = "outside"
    values["selectors"]["mine"] = {"kind": "plans", "path": "plans.jsonl"}
    values["predictions"] = {"agent": {"path": "answers.csv"}}
    return parse_params(values, name="demo")


def sources_of(params):
    return sources(params.atoms, params.rankings, params.selectors, params.contexts, params.predictions)


def test_every_file_is_told_with_its_digest_and_what_it_says(params):
    run, plans, answers = source_rows(sources_of(params), ["q1", "q2", "q8"])
    assert (run["section"], run["name"], run["file"], run["system"]) == ("rankings", "outside", "mine.run", None)
    assert plans == {
        "section": "selectors", "name": "mine", "file": "plans.jsonl", "system": "ours", "model": "m", "revision": None,
        "trained_on": 3, "trained_on_known": 2, "sha256": file_sha256(params.selectors["mine"].path),
    }  # fmt: skip
    assert (answers["section"], answers["name"], answers["system"]) == ("predictions", "agent", None)


def test_a_system_that_learned_from_test_questions_is_refused(params):
    refuse_test_questions(sources_of(params), ["q2", "q3"])
    with pytest.raises(StudyError) as caught:
        refuse_test_questions(sources_of(params), ["q7", "q3", "q8"])
    assert "selectors.mine: plans.jsonl was trained on 2 test question(s), such as q7" in str(caught.value)


def test_a_chunker_that_learned_from_test_questions_is_refused_too(params, composed):
    Path("chunks.jsonl").write_text(json.dumps({"about": {"name": "cutter", "trained_on": ["q4"]}}) + "\n{}\n")
    values = composed("demo")
    values["atoms"]["path"] = "chunks.jsonl"
    files = list(sources_of(parse_params(values, name="demo")))
    assert [(row["section"], row["name"], row["system"]) for row in source_rows(files, ["q4"])] == [
        ("atoms", "path", "cutter")
    ]
    with pytest.raises(StudyError, match=r"atoms\.path: chunks\.jsonl was trained on 1 test question"):
        refuse_test_questions(files, ["q4"])


def test_what_is_said_of_a_file_of_any_kind_may_lie_beside_it(params):
    beside(Path("given/runs/mine.run")).write_text(json.dumps({"name": "engine", "trained_on": ["q3", hashed("q2")]}))
    run = source_rows(sources_of(params), ["q1", "q2", "q3"])[0]
    assert (run["system"], run["trained_on"], run["trained_on_known"]) == ("engine", 2, 2)
    with pytest.raises(StudyError, match=r"rankings\.outside: given/runs/mine\.run was trained on 1 test .* q2"):
        refuse_test_questions(sources_of(params), ["q2"])


WRONG = {
    "no object": ("[]", "may hold name, model, revision and trained_on alone"),
    "no JSON": ("{", "cannot be read as a JSON object"),
    "another field": ('{"names": "x"}', "may hold name, model, revision and trained_on alone"),
    "a number": ('{"model": 7}', "model must be a text"),
    "no list": ('{"trained_on": "q1"}', "must be a list of question IDs"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_said_beside_a_file_is_checked(params, fault):
    text, part = WRONG[fault]
    beside(Path("answers.csv")).write_text(text)
    with pytest.raises(StudyError, match=part) as caught:
        read_about(Path("answers.csv"))
    assert "answers.csv.about.json" in str(caught.value)


def test_a_file_says_what_it_is_in_one_place(params):
    beside(Path("plans.jsonl")).write_text("{}")
    with pytest.raises(StudyError, match=r"begins with about, and plans\.jsonl\.about\.json lies beside it"):
        read_about(Path("plans.jsonl"))
