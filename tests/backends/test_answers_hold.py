"""What an answer depends on: asked of a tiny model for real, in one go, in two, and beside other prompts."""

import itertools

import pytest

from plancheck.answering.asking import Prompt, ask
from plancheck.backends.generation import load_causal_model

CHOICES = ("in Tarn", "at the river", "in the mill", "at sea")
PIECES = ("The mill is in Tarn.", "The river is by the mill.", "Who was at sea?", "A bridge is old.")


class Memory(dict):
    """Replies that were given; the run is killed before those of a group are kept, after so many groups."""

    def __init__(self, groups=None):
        super().__init__()
        self.groups = groups

    def get(self, keys):
        return {key: self[key] for key in keys if key in self}

    def put(self, replies):
        if self.groups == 0:
            raise KeyboardInterrupt
        if self.groups:
            self.groups -= 1
        self.update(replies)


def shown(question, policies):
    """The prompts of a question: a policy shows some pieces in some order, as packed contexts do."""
    orders = itertools.islice(itertools.permutations(PIECES, 3), policies)
    return [
        Prompt(f"{question}-{number}", question, [{"role": "user", "content": "\n".join([*order, question])}], CHOICES)
        for number, order in enumerate(orders)
    ]


def answers(prompts, model, replies, mode):
    settings = {"pass_tokens": 40, "batch_size": 3, "max_new_tokens": 5, "identity": "m", "errors_are_rows": False}
    found = ask(prompts, model, replies, mode=mode, **settings)
    return {answer.prompt_id: answer for answer in found.answers}


@pytest.fixture(scope="module", params=["float32", "bfloat16"])
def model(tiny_qwen2, request):
    return load_causal_model(tiny_qwen2, device="cpu", dtype=request.param)


@pytest.mark.parametrize("mode", ["likelihood", "generate"])
def test_a_run_that_was_killed_and_goes_on_gives_the_bytes_of_one_in_one_go(model, mode):
    prompts = [prompt for question in ("Where?", "Who?", "What is old?") for prompt in shown(question, 8)]
    whole = answers(prompts, model, Memory(), mode)
    killed = Memory(groups=1)
    with pytest.raises(KeyboardInterrupt):
        answers(prompts, model, killed, mode)
    killed.groups = None

    assert len(killed) == 8
    assert answers(prompts, model, killed, mode) == whole


@pytest.mark.parametrize("mode", ["likelihood", "generate"])
def test_a_study_with_more_policies_gives_the_letters_of_the_one_without(model, mode):
    few, more = shown("Where?", 7), shown("Where?", 16)
    before = answers(few, model, Memory(), mode)
    after = answers(more, model, Memory(), mode)
    alone = {prompt.prompt_id: answers([prompt], model, Memory(), mode)[prompt.prompt_id] for prompt in few}

    assert [after[name].letter for name in before] == [answer.letter for answer in before.values()]
    assert [alone[name].letter for name in before] == [answer.letter for answer in before.values()]
