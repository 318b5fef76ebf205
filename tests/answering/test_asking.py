"""Asking with a five-line model at the port."""

import pytest

from plancheck.answering.asking import Prompt, ask, failure_of, read_reply
from plancheck.answering.ports import Generated
from plancheck.records import LETTERS

CHOICES = ("red", "green", "blue", "grey")
PROMPT = Prompt("p", "q", [], CHOICES)


class Memory(dict):
    def get(self, keys):
        return {key: self[key] for key in keys if key in self}

    def put(self, replies):
        self.update(replies)


class Model:
    """Likes the choice that its prompt names; answers in words with the prompt's last word."""

    max_tokens = 40

    def __init__(self, fails=()):
        self.asked, self.together, self.fails = [], [], set(fails)

    def tokens(self, messages):
        return [ord(letter) for letter in messages[0]["content"]]

    def text_tokens(self, text):
        return [ord(letter) for letter in text]

    def log_likelihoods(self, prompts, choices, *, pass_tokens):
        texts = ["".join(map(chr, prompt)) for prompt in prompts]
        if self.fails & set(texts):
            raise RuntimeError("out of memory")
        self.asked += texts
        self.together.append(len(texts))
        return [
            [-1.0 if "".join(map(chr, choice)) in text else -2.0 for choice in group]
            for text, group in zip(texts, choices, strict=True)
        ]

    def generate(self, prompts, choices, *, max_new_tokens, pass_tokens, batch_size):
        words = ["".join(map(chr, prompt)).split()[-1] for prompt in prompts]
        self.asked += words
        return [
            Generated(
                word, tuple(range(1, len(word) + 1)), tuple((-float(i), *[-9.0] * (k - 1)) for i in range(len(word)))
            )
            for word, k in zip(words, choices, strict=True)
        ]


def prompts(*texts):
    """A prompt of each text; what stands before a bar names its group."""
    split = [text.rpartition("|") for text in texts]
    return [
        Prompt(f"p{i}", group, [{"role": "user", "content": text}], CHOICES) for i, (group, _, text) in enumerate(split)
    ]


def asked(model, replies, *texts, mode="likelihood", **settings):
    defaults = {"pass_tokens": 64, "batch_size": 1, "max_new_tokens": 4, "identity": "m", "errors_are_rows": False}
    return ask(prompts(*texts), model, replies, mode=mode, **{**defaults, **settings})


def test_the_likeliest_choice_is_the_answer_and_ties_go_to_the_earlier_letter():
    found = asked(Model(), Memory(), "it is blue", "nothing")

    assert [answer.letter for answer in found.answers] == ["C", "A"]
    assert found.answers[0].probabilities[2] == max(found.answers[0].probabilities)
    assert found.answers[1].probabilities == pytest.approx((0.25,) * 4)
    assert found.calls == 2


def test_what_was_said_is_not_asked_again():
    model, replies = Model(), Memory()
    first = asked(model, replies, "a|it is blue", "b|it is red")
    again = asked(model, replies, "b|it is red", "c|it is green", "a|it is blue")

    assert (first.calls, again.calls, len(model.asked)) == (2, 1, 3)
    assert [answer.letter for answer in again.answers] == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("changed", "calls"),
    [
        ({"identity": "another"}, 1),
        ({"pass_tokens": 65}, 1),
        ({"batch_size": 2}, 0),
        ({"max_new_tokens": 9}, 0),
        ({"errors_are_rows": True}, 0),
    ],
)
def test_whatever_can_change_a_reply_is_part_of_its_key(changed, calls):
    replies = Memory()
    asked(Model(), replies, "it is blue")
    assert asked(Model(), replies, "it is blue", **changed).calls == calls


def test_the_other_prompts_of_a_group_are_part_of_a_key_whatever_was_asked_before():
    replies = Memory()
    asked(Model(), replies, "it is blue")
    assert asked(Model(), replies, "it is blue", "it is red").calls == 2
    assert asked(Model(), replies, "it is red", "it is blue").calls == 0
    assert asked(Model(), replies, "it is blue", "x" * 40).calls == 0, "one that is never asked is beside none"


def test_the_length_of_a_generated_reply_and_its_batch_are_part_of_its_key():
    replies = Memory()
    asked(Model(), replies, "say B", mode="generate")
    assert asked(Model(), replies, "say B", mode="generate", max_new_tokens=9).calls == 1
    assert asked(Model(), replies, "say B", mode="generate", batch_size=2).calls == 1
    assert asked(Model(), replies, "say B", mode="likelihood").calls == 1


def test_a_prompt_beyond_the_models_positions_is_a_failed_row_and_not_asked():
    model = Model()
    found = asked(model, Memory(), "x" * 40, "it is red")

    assert [(answer.letter, answer.failure) for answer in found.answers] == [(None, "too_long"), ("A", None)]
    assert model.asked == ["it is red"]
    assert found.answers[0].prompt_tokens == 40


def test_a_model_error_is_raised_for_another_try_and_at_last_becomes_a_row():
    replies = Memory()
    with pytest.raises(RuntimeError, match="out of memory"):
        asked(Model(fails=["it is red"]), replies, "it is red", "it is blue")
    found = asked(Model(fails=["it is red"]), replies, "it is red", "it is blue", errors_are_rows=True)

    assert [answer.failure for answer in found.answers] == ["error", None]
    assert len(replies) == 1, "a failure is not remembered"


def test_on_the_last_try_only_the_prompt_that_fails_alone_is_a_failed_row():
    model, replies = Model(fails=["it is a long red"]), Memory()
    texts = "it is a long red", "it is blue", "it is green", "it is grey"
    settings = {"errors_are_rows": True}
    found = asked(model, replies, *texts, **settings)

    assert [(answer.letter, answer.failure) for answer in found.answers] == [
        (None, "error"), ("C", None), ("B", None), ("D", None)
    ]  # fmt: skip
    assert (found.calls, len(replies)) == (3, 3)
    assert asked(Model(), replies, *texts, **settings).calls == 1, "the others are remembered, the failure is not"


def test_before_the_last_try_a_group_that_fails_is_raised_and_not_taken_apart():
    model = Model(fails=["it is a long red"])
    with pytest.raises(RuntimeError, match="out of memory"):
        asked(model, Memory(), "it is a long red", "it is blue")
    assert model.asked == []


def test_lack_of_memory_is_a_failure_of_its_own():
    class OutOfMemoryError(RuntimeError):
        pass

    assert failure_of(OutOfMemoryError("CUDA")) == "out_of_memory"
    assert failure_of(RuntimeError("shape")) == "error"


def test_a_reply_without_a_letter_is_unparsable_and_keeps_its_confidence():
    found = asked(Model(), Memory(), "say hello", mode="generate").answers[0]
    assert (found.letter, found.failure) == (None, "unparsable")
    assert found.probabilities is not None


def test_confidence_is_taken_where_the_letter_stands():
    reply = {
        "text": "so (B)",
        "ends": [2, 4, 5, 6],
        "letters": [[0.0] * 4, [0.0] * 4, [-9.0, 0.0, -9.0, -9.0], [0.0] * 4],
    }
    found = read_reply(PROMPT, reply, mode="generate", prompt_tokens=1)
    assert found.letter == "B"
    assert found.probabilities[1] > 0.99


def replied(*words):
    """A reply of these tokens, each of which weighs its own letter (none: all alike)."""
    ends = [len("".join(words[: index + 1])) for index in range(len(words))]
    letters = [[0.0 if word.strip(" (.)") == letter else -9.0 for letter in "ABCD"] for word in words]
    return {"text": "".join(words), "ends": ends, "letters": letters}


@pytest.mark.parametrize(
    ("words", "letter", "weighed"),
    [
        (["<think>", "A", "</think>", "\n", "B"], "B", "B"),
        (["A", " is wrong.", " So it is", " B", ". Option", " C", " is wrong"], "B", "B"),
        (["A", "</think>", "C", " or", " D"], None, "C"),
        (["<think>", "A", "</think>"], None, None),
        (["<think>", "A", " fits"], None, None),
    ],
)
def test_confidence_is_taken_after_the_reasoning(words, letter, weighed):
    found = read_reply(PROMPT, replied(*words), mode="generate", prompt_tokens=1)
    assert found.letter == letter
    assert (found.probabilities is None) == (weighed is None)
    if weighed is not None:
        assert found.probabilities["ABCD".index(weighed)] > 0.99


def test_a_reply_that_ends_inside_its_reasoning_is_a_failure_of_its_own():
    for words, failure in ((["<think>", "A"], "cut_off"), (["<think>", "</think>"], "unparsable")):
        assert read_reply(PROMPT, replied(*words), mode="generate", prompt_tokens=1).failure == failure


def test_prompts_of_a_group_are_asked_together_and_their_replies_kept_together():
    model, replies = Model(fails=["it is grey"]), Memory()
    with pytest.raises(RuntimeError):
        asked(model, replies, "a|it is red", "b|it is grey", "a|it is blue", "b|it is green")
    assert (model.together, len(replies)) == ([2], 2)

    again = asked(Model(), replies, "a|it is red", "b|it is grey", "a|it is blue", "b|it is green")
    assert again.calls == 2


@pytest.mark.parametrize("count", [2, 5, 10])
def test_any_number_of_choices_is_weighed(count):
    choices = tuple(f"choice {letter}" for letter in LETTERS[:count])
    prompt = Prompt("p", "q", [], choices)
    values = [-2.0] * (count - 1) + [-1.0]
    found = read_reply(prompt, {"log_likelihoods": values}, mode="likelihood", prompt_tokens=1)
    assert (found.letter, len(found.probabilities)) == (LETTERS[count - 1], count)
    reply = {"text": LETTERS[count - 1], "ends": [1], "letters": [values]}
    assert read_reply(prompt, reply, mode="generate", prompt_tokens=1) == found
    beyond = {"text": LETTERS[count] if count < 10 else "K", "ends": [1], "letters": [values]}
    assert read_reply(prompt, beyond, mode="generate", prompt_tokens=1).failure == "unparsable"
