import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plancheck.params.planning import Planner
from plancheck.planning.mining import messages_of
from plancheck.planning.parsing import parse_plan
from plancheck.planning.prompt import completion, example, planner_messages
from plancheck.records import Question, Span


def shown(snippet_chars=None):
    return Planner(max_atoms=3, snippet_chars=snippet_chars, max_new_tokens=8, device="cpu", dtype="float32")


SHOWN = shown()


def test_it_shows_question_choices_and_numbered_candidates(pool_of):
    (message,) = planner_messages(pool_of().pool.question, ["The mill.", "The boat."], SHOWN)
    text = message["content"]

    assert message["role"] == "user"
    assert text.startswith(
        "[1] The mill.\n\n[2] The boat.\n\nQuestion: Where is the mill?\nPossible answers: in Tarn / by "
    )
    assert "at most 3" in text


def make_question(text):
    return Question("q", "Single", "", "", "", text, ("a", "b", "c", "d"), "A", "0" * 64)


@pytest.mark.parametrize(
    "changes",
    [
        {"answer": "D"},
        {"domain": "Multi-Document QA", "sub_domain": "Legal"},
        {"difficulty": "easy", "length": "long"},
        {"evidence": None},
        {"evidence": (Span(0, 3), Span(100, 120))},
        {"question_id": "another"},
    ],
)
def test_gold_letter_metadata_and_evidence_change_nothing_that_the_planner_sees(pool_of, changes):
    pool = pool_of().pool
    changed = dataclasses.replace(pool, question=dataclasses.replace(pool.question, **changes))
    for chars in (None, 12):
        assert messages_of(changed, shown(chars)) == messages_of(pool, shown(chars))


def test_only_candidates_are_shown(pool_of):
    made = pool_of(candidates=[1, 3])
    (message,) = messages_of(made.pool, SHOWN)
    texts = [made.pool.context[atom.start : atom.end] for atom in made.atoms]

    assert [text in message["content"] for text in texts] == [False, True, False, True, False]


@given(st.text(max_size=20), st.integers(1, 30))
def test_the_example_is_a_plan_of_distinct_candidates(text, candidates):
    question = make_question(text)
    found = parse_plan(example(question, candidates), candidates=candidates, max_atoms=8)
    assert len(found) == min(candidates, 2)


def test_examples_put_no_passage_first():
    firsts = [example(make_question(f"Who was number {number}?"), 10).split("]")[0] for number in range(500)]
    assert all(25 < firsts.count(f"[{number}") < 80 for number in range(1, 11))


def test_there_is_no_reply_for_an_empty_plan():
    with pytest.raises(ValueError, match="at least one"):
        completion([], begin_reply=True)
