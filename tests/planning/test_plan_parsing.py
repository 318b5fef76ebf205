import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.planning.parsing import parse_plan
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
