"""Plans of a user's own, in their three forms, and every fault of a file at once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.atoms import cut
from plancheck.given.about import About, read_about
from plancheck.given.plans import GivenPlan, read_given_plans
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question, Span, is_span_id, span_id

TEXT = "The boat lies in Tarn. The house is blue. The boat is red. " * 3 + "The key is under the mat."
QUESTIONS = {
    name: Question(name, "d", "", "", "", "?", ("1", "2", "3", "4"), "A", "c", (Span(0, 5),)) for name in ("q1", "q2")
}
ATOMS = {"c": cut("c", TEXT, window_chars=40, overlap_chars=10)}


def read(tmp_path, *lines):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return read_given_plans(path, QUESTIONS, {"c": TEXT}, ATOMS)


def test_a_plan_names_atoms_spans_or_quotes_in_its_own_order(tmp_path):
    second, first = ATOMS["c"][1], ATOMS["c"][0]
    by_atom = read(tmp_path, {"question_id": "q1", "atom_ids": [second.atom_id, first.atom_id]})
    assert by_atom == {
        "q1": GivenPlan((second.atom_id, first.atom_id), (Span(second.start, second.end), Span(first.start, first.end)))
    }
    start = TEXT.index("The key")
    expected = {"q2": GivenPlan((f"{start}-{start + 7}",), (Span(start, start + 7),))}
    assert read(tmp_path, {"question_id": "q2", "spans": [[start, start + 7]]}) == expected
    assert read(tmp_path, {"question_id": "q2", "quotes": ["The key"]}) == expected


def test_an_empty_list_and_a_missing_row_are_no_plan(tmp_path):
    assert read(tmp_path, {"question_id": "q1", "spans": []}) == {}


def test_a_header_is_no_row_and_says_who_made_the_file(tmp_path):
    about = {"about": {"name": "ours", "model": "m", "revision": "1", "trained_on": ["q1"]}}
    assert read(tmp_path, about, {"question_id": "q1", "spans": [[0, 3]]})["q1"].atom_ids == ("0-3",)
    assert read_about(tmp_path / "mine.jsonl") == About("ours", "m", "1", ("q1",))
    read(tmp_path, {"question_id": "q1", "spans": []})
    assert read_about(tmp_path / "mine.jsonl") == About()


FAULTS = {
    "no JSON": ("{\n", ["line 1: not JSON"]),
    "a text": ('"q1"\n', ["line 1: must be an object"]),
    "two fields of one name": ('{"question_id": "q1", "question_id": "q2", "spans": []}\n', ["line 1", "question_id"]),
    "no ID": ({"spans": []}, ["line 1: question_id is missing"]),
    "an ID that is a number": ({"question_id": 7, "spans": []}, ["line 1: question_id must be a text, is 7"]),
    "an unknown question": ({"question_id": "q9", "spans": []}, ["(q9): no question of the study has this ID"]),
    "no form": ({"question_id": "q1"}, ["must hold one of atom_ids, spans, quotes, holds none"]),
    "two forms": ({"question_id": "q1", "spans": [], "quotes": []}, ["holds spans, quotes"]),
    "a form that is no list": ({"question_id": "q1", "spans": "0-3"}, ["spans must be a list"]),
    "an unknown atom": (
        {"question_id": "q1", "atom_ids": ["a9"]},
        ["no atom of the question's context has the ID 'a9'"],
    ),
    "an atom that is a number": ({"question_id": "q1", "atom_ids": [3]}, ["has the ID 3"]),
    "an atom twice": ({"question_id": "q1", "atom_ids": [ATOMS["c"][0].atom_id] * 2}, ["holds", "twice"]),
    "a span of three": ({"question_id": "q1", "spans": [[1, 2, 3]]}, ["a span must be [start, end]"]),
    "a span of fractions": ({"question_id": "q1", "spans": [[0.0, 2.0]]}, ["a span must be [start, end]"]),
    "a span of truths": ({"question_id": "q1", "spans": [[False, True]]}, ["a span must be [start, end]"]),
    "an empty span": ({"question_id": "q1", "spans": [[3, 3]]}, ["span [3, 3] is empty or outside"]),
    "a span beyond the context": ({"question_id": "q1", "spans": [[0, 999]]}, ["characters 0 to 202"]),
    "a span before it": ({"question_id": "q1", "spans": [[-1, 3]]}, ["span [-1, 3]"]),
    "a span of NaN": ('{"question_id": "q1", "spans": [[0, NaN]]}\n', ["a span must be [start, end]"]),
    "a quote that is not there": ({"question_id": "q1", "quotes": ["The cat"]}, ["is not in the context: 'The cat'"]),
    "a quote found thrice": ({"question_id": "q1", "quotes": ["The boat"]}, ["more than once, give its span"]),
    "a quote that is no text": ({"question_id": "q1", "quotes": [None]}, ["a quote must be a text"]),
    "an empty quote": ({"question_id": "q1", "quotes": [""]}, ["a quote must be a text"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_with_its_line_and_the_remedy(tmp_path, fault):
    line, parts = FAULTS[fault]
    with pytest.raises(StudyError) as caught:
        read(tmp_path, line)
    message = str(caught.value)
    assert all(part in message for part in parts), message
    assert "1 fault(s):" in message and "leave a question's row out" in message


def test_all_faults_are_told_at_once(tmp_path):
    with pytest.raises(StudyError) as caught:
        read(tmp_path, {"question_id": "q1", "spans": [[3, 3], [0, 999]]}, {"question_id": "q1", "spans": []}, "7\n")
    message = str(caught.value)
    assert "4 fault(s)" in message and "line 2 (q1): the question has a row already, line 1" in message


@pytest.mark.parametrize(
    ("content", "part"),
    [(b"", "holds no row"), (b"\n \n", "holds no row"), (b'{"about": {}}\n', "holds no row"), (b"\xff\xfe{", "UTF-8")],
)
def test_a_file_without_rows_is_refused(tmp_path, content, part):
    (tmp_path / "mine.jsonl").write_bytes(content)
    with pytest.raises(StudyError, match=part):
        read_given_plans(tmp_path / "mine.jsonl", QUESTIONS, {"c": TEXT}, ATOMS)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(StudyError, match="no such file"):
        read_given_plans(tmp_path / "none.jsonl", QUESTIONS, {"c": TEXT}, ATOMS)


@given(st.integers(0, 10**9), st.integers(1, 10**6))
def test_ids_of_spans_are_told_from_those_of_atoms(start, chars):
    assert is_span_id(span_id(Span(start, start + chars)))
    assert not is_span_id(f"{start:016x}-{chars}")
