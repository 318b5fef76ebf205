"""The prompts are pinned: what a model is asked decides every result, so a change must be meant."""

import dataclasses

import pytest

from plancheck.answering.prompt import asker
from plancheck.params.answer import Answer
from plancheck.records import Question

QUESTION = Question("q", "d", "s", "easy", "short", "Where is the mill?", ("Tarn", "Ost", "Lund", "Vik"), "B", "c")


def answering(mode, prompt=None):
    return Answer(
        mode=mode, prompt=prompt, max_new_tokens=4, pass_tokens=64, batch_size=2, device="cpu", dtype="float32"
    )


likelihood_messages, generate_messages = asker(answering("likelihood")), asker(answering("generate"))


def test_the_likelihood_prompt_is_pinned():
    assert likelihood_messages(QUESTION, "The mill is in Ost.") == [
        {"role": "user", "content": "The mill is in Ost.\n\nWhere is the mill?"}
    ]
    assert likelihood_messages(QUESTION, "") == [{"role": "user", "content": "Where is the mill?"}]


def test_the_generate_prompt_is_pinned():
    asked = (
        "Question: Where is the mill?\nA. Tarn\nB. Ost\nC. Lund\nD. Vik\n\n"
        "Reply with the letter of the right choice and nothing else: A, B, C or D."
    )
    assert generate_messages(QUESTION, "The mill is in Ost.") == [
        {
            "role": "user",
            "content": f"Read the text, then answer the question about it.\n\nThe mill is in Ost.\n\n{asked}",
        }
    ]
    assert generate_messages(QUESTION, "") == [{"role": "user", "content": asked}]


@pytest.mark.parametrize(
    ("choices", "letters"), [("ab", "A or B"), ("abcde", "A, B, C, D or E"), ("abcdefghij", "G, H, I or J")]
)
def test_the_generate_prompt_names_the_letters_that_there_are(choices, letters):
    content = generate_messages(dataclasses.replace(QUESTION, choices=tuple(choices)), "")[0]["content"]
    assert content.endswith(f"{letters}.")
    assert content.count("\n") == len(choices) + 2


@pytest.mark.parametrize("messages", [likelihood_messages, generate_messages])
def test_the_gold_letter_and_the_metadata_are_not_asked(messages):
    other = dataclasses.replace(QUESTION, answer="D", domain="x", difficulty="hard", question_id="z")
    assert messages(QUESTION, "text") == messages(other, "text")
