"""The prompt as asked: where its evidence is, and what is left out of a long one."""

from dataclasses import replace

import pytest

from plancheck.answering.prompt import asker
from plancheck.inspection.conditions import Shown
from plancheck.inspection.passages import Run, asked, shortened
from plancheck.packing import packed_text
from plancheck.params.answer import Answer
from plancheck.records import Piece, Question, Span

CONTEXT = "Read the keeper's note: the key is under the mat. Nothing else is said."
QUESTION = Question(
    "q", "Lore", "", "", "", "Where is the key?", ("mat", "roof"), "A", "c", evidence=(Span(24, 49),)
)  # fmt: skip

SETTINGS = {"max_new_tokens": 4, "pass_tokens": 64, "batch_size": 2, "device": "cpu", "dtype": "float32"}
ASK = {mode: asker(Answer(mode=mode, **SETTINGS)) for mode in ("likelihood", "generate")}


def shown(*pieces, text=None):
    return Shown("id", tuple(Piece("a", *piece) for piece in pieces), 0, False, 0, None, False, text)


def evidence(messages):
    return [run.text for message in messages for run in message.runs if run.evidence]


@pytest.mark.parametrize("mode", ["likelihood", "generate"])
@pytest.mark.parametrize("pieces", [[(0, 71)], [(50, 71), (24, 49)], [(24, 49), (0, 10)], []])
def test_runs_together_are_the_prompt_that_was_asked(mode, pieces):
    made = asked(QUESTION, CONTEXT, shown(*pieces), ask=ASK[mode])
    exact = ASK[mode](QUESTION, packed_text(CONTEXT, shown(*pieces).pieces))
    assert [{"role": m.role, "content": "".join(run.text for run in m.runs)} for m in made] == exact


@pytest.mark.parametrize("mode", ["likelihood", "generate"])
def test_evidence_is_marked_where_a_piece_holds_it_whole_or_in_part(mode):
    assert evidence(asked(QUESTION, CONTEXT, shown((0, 71)), ask=ASK[mode])) == ["the key is under the mat."]
    assert evidence(asked(QUESTION, CONTEXT, shown((40, 60), (10, 31)), ask=ASK[mode])) == [" the mat.", "the key"]
    assert evidence(asked(QUESTION, CONTEXT, shown((0, 10)), ask=ASK[mode])) == []


def test_what_the_frame_says_too_is_not_taken_for_the_context():
    # The frame of mode generate begins with "Read the", as this context does.
    question = replace(QUESTION, evidence=(Span(0, 8),))
    made = asked(question, CONTEXT, shown((0, 8)), ask=ASK["generate"])
    assert made[0].runs[0].text == "Read the text, then answer the question about it.\n\n"
    assert made[0].runs[1] == Run("Read the", evidence=True)


def test_in_a_text_of_the_users_own_evidence_is_what_stands_there_word_for_word():
    text = "Summary: the key is under the mat. Again: the key is under the mat. The Key is lost."
    assert (
        evidence(asked(QUESTION, CONTEXT, shown(text=text), ask=ASK["generate"])) == ["the key is under the mat."] * 2
    )


def test_a_long_run_keeps_its_ends_and_counts_what_is_left_out():
    runs = [Run("a" * 10), Run("b" * 4, evidence=True)]
    assert shortened(runs, around=2) == [Run("aa"), Run("", left_out=6), Run("aa"), Run("b" * 4, evidence=True)]
    assert shortened([Run("abcd")], around=2) == [Run("abcd")]
