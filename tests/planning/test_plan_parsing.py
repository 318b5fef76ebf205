import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.planning.parsing import parse_plan, unknown_numbers
from plancheck.planning.prompt import REPLY_START, completion


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("[2] [5]", (2, 5)),
        ("[5] [2] [5]", (5, 2)),
        ("The needed passages are [2], [3], and [4].", (2, 3, 4)),
        ("[2, 5; 7]", (2, 5, 7)),
        ("[Passage 3] and [passages 4 and 6]", (3, 4, 6)),
        ("[ 9 ]", (9,)),
        ("[2-4]", (2, 4)),
        ("[0] [13] [99] [007] [12]", (12,)),
        ("[1][2][3][4][5]", (1, 2, 3, 4)),
        ("The needed passages are [3, 4, 1", (3, 4)),
        ("[3", ()),
        ("[3 is the one", (3,)),
        ("The answer is B, as passage 3 says.", ()),
        ("(2) 3.", ()),
        ("[]", ()),
        ("[B] [two]", ()),
        ("", ()),
        (f"[{'9' * 6000}] [2]", (2,)),
    ],
)
def test_known_replies(reply, numbers):
    assert parse_plan(reply, candidates=12, max_atoms=4) == numbers


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ("Passages: 2, 5, 7", (2, 5, 7)),
        ("The needed passages are 2, 5 and 7.", (2, 5, 7)),
        ("The needed passages are: **2**, **5**", (2, 5)),
        ("passage 3-5", (3, 5)),
        ("[9] </think>\n[2]", (2,)),
        ("<think>passages 1, 2</think>Passages 3 and 4 are needed.", (3, 4)),
        ('["2", "5"]', (2, 5)),
        ('{"passages": "2, 5"}', (2, 5)),
        ("[Passage 2], [Passage 5]", (2, 5)),
        ("【2】【5】", (2, 5)),
        ("［２］［５］", (2, 5)),
        ("段落2和5", (2, 5)),
        ("Passagen 2 und 5", (2, 5)),
        ("Passages 2 et 5.", (2, 5)),
        ("Pasajes 2, 5 y 7", (2, 5, 7)),
        ("2. The mill\n5. The town", ()),
        ("The answer is B, as passage 3 says.", ()),
        ("Passage 3 says that the mill is 12 m high.", ()),
        ("The year is 1984.", ()),
        ("I need passage 2 and passage 5.", (2, 5)),
        ("Passages 2, 5, and 7 are relevant", (2, 5, 7)),
        ("Passage 99", ()),
        ("[2] and passage 5", (2,)),
        ("[P2, P5]", (2, 5)),
        ("[#2]", (2,)),
        ("Passages 2, 5 and 7 say so", ()),
        ("The needed passages are [<think>[4]</think>[2]", (2,)),
        ("[Doc 2]", (2,)),
        ("Passages **2** and **5**", (2, 5)),
    ],
)
def test_replies_of_todays_models(reply, numbers):
    assert parse_plan(reply, candidates=12, max_atoms=8) == numbers


def test_the_shared_cases(cases):
    for line in (cases / "plan_replies.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        # null: either the first alone or both; a number in brackets counts whatever is said of it.
        expected = [2, 7] if case["plan"] is None else case["plan"]
        assert list(parse_plan(case["reply"], candidates=12, max_atoms=8)) == expected, case["reply"]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8, unique=True), st.booleans())
def test_reasoning_before_a_plan_changes_nothing(numbers, begin_reply):
    reply = completion(numbers, begin_reply=begin_reply)
    for trace in ("<think>[9] says so, passage 8 too</think>", "[9]?</think>\n"):
        assert parse_plan(trace + reply, candidates=30, max_atoms=8) == tuple(numbers)
    assert parse_plan(f"<think>{reply}", candidates=30, max_atoms=8) == ()


@pytest.mark.parametrize(
    ("reply", "unknown"),
    [
        ("[2] [5]", 0),
        ("[2] [99] [99]", 1),
        ("[0] [13] [007]", 3),
        ("<think>[99]</think>[2]", 0),
        ("Passages 2 and 40", 1),
    ],
)
def test_numbers_of_no_candidate_are_counted(reply, unknown):
    assert unknown_numbers(reply, candidates=12) == unknown


@given(st.text(alphabet="[]0123456789, andx", max_size=60), st.integers(1, 30), st.integers(1, 8))
def test_a_plan_names_distinct_candidates_and_no_more_than_allowed(reply, candidates, max_atoms):
    found = parse_plan(reply, candidates=candidates, max_atoms=max_atoms)
    assert len(found) == len(set(found)) <= max_atoms
    assert all(1 <= number <= candidates for number in found)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=8, unique=True), st.booleans())
def test_the_reply_that_a_plan_is_reads_back_as_the_plan(numbers, begin_reply):
    reply = completion(numbers, begin_reply=begin_reply)
    assert parse_plan(reply, candidates=30, max_atoms=8) == tuple(numbers)
    assert reply.startswith(REPLY_START) == begin_reply
