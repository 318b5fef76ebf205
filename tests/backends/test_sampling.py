"""Sampled replies of a tiny Qwen2 with random weights."""

import pytest
import torch
from transformers import Lfm2Config, Lfm2ForCausalLM, MistralConfig, MistralForCausalLM, Qwen2ForCausalLM

from plancheck.backends.generation import load_causal_model
from plancheck.backends.sampling import WIDTH, sample

SEEDS = list(range(20, 31))


def never(text):
    return False


DRAWN = {"temperature": 0.7, "top_p": 0.9, "max_new_tokens": 12, "complete": never}


@pytest.fixture(scope="module", params=["float32", "bfloat16"])
def model(tiny_qwen2, request):
    return load_causal_model(tiny_qwen2, device="cpu", dtype=request.param)


@pytest.fixture(scope="module")
def prompt(model):
    return model.tokens([{"role": "user", "content": "Where is the mill? Which of the passages?"}], "[")


def test_a_sample_depends_on_its_seed_alone(model, prompt):
    together = model.sample(prompt, seeds=SEEDS, **DRAWN)

    assert len(SEEDS) > WIDTH
    assert [model.sample(prompt, seeds=[seed], **DRAWN)[0] for seed in SEEDS] == together
    assert model.sample(prompt, seeds=SEEDS[::-1], **DRAWN) == together[::-1]
    assert model.sample(prompt, seeds=SEEDS[:3], **DRAWN) == together[:3]
    assert len(set(together)) > 1


def test_the_global_generator_is_neither_read_nor_moved(model, prompt):
    torch.manual_seed(1)
    first = model.sample(prompt, seeds=SEEDS[:2], **DRAWN)
    state = torch.random.get_rng_state()
    assert model.sample(prompt, seeds=SEEDS[:2], **DRAWN) == first
    assert torch.equal(torch.random.get_rng_state(), state)


def windowed():
    """A model each of whose tokens attends to the 4 tokens up to it alone."""
    config = MistralConfig(
        vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, sliding_window=4, eos_token_id=2, initializer_range=0.3,
    )  # fmt: skip
    return MistralForCausalLM(config)


def stateful():
    """A model one of whose layers keeps a running state instead of keys and values."""
    config = Lfm2Config(
        vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, layer_types=["conv", "full_attention"], eos_token_id=2, initializer_range=0.3,
    )  # fmt: skip
    return Lfm2ForCausalLM(config)


@pytest.fixture(scope="module", params=["whole", windowed, stateful])
def plain(request, tiny_qwen2):
    torch.manual_seed(3)
    model = Qwen2ForCausalLM.from_pretrained(tiny_qwen2) if request.param == "whole" else request.param()
    return model.eval()


def test_a_sample_is_what_plain_passes_over_the_whole_text_draw(plain):
    prompt, stop = [7, 8, 9, 40, 41], {plain.config.eos_token_id}
    settings = {name: value for name, value in DRAWN.items() if name != "complete"}
    found = sample(plain, prompt, seeds=[3, 4], ended=lambda tokens: tokens[-1] in stop, **settings)
    for seed, reply in zip([3, 4], found, strict=True):
        generator, ids = torch.Generator().manual_seed(seed), list(prompt)
        with torch.inference_mode():
            for _ in range(DRAWN["max_new_tokens"]):
                probabilities = torch.softmax(plain(torch.tensor([ids])).logits[0, -1].float() / 0.7, dim=-1)
                ordered, order = probabilities.sort(descending=True)
                kept = (ordered.cumsum(0) - ordered) < 0.9
                nucleus = torch.zeros_like(probabilities)
                nucleus[order[kept]] = ordered[kept]
                ids.append(int(torch.multinomial(nucleus / nucleus.sum(), 1, generator=generator)))
                if ids[-1] in stop:
                    break
        assert reply[: len(ids) - len(prompt)] == ids[len(prompt) :]


def test_the_coldest_sample_is_the_greedy_reply(model, prompt):
    cold = {"temperature": 1e-4, "top_p": 1.0, "max_new_tokens": 8, "complete": never}
    assert model.sample(prompt, seeds=[1, 2], **cold) == model.greedy(
        [prompt, prompt], max_new_tokens=8, complete=[never] * 2
    )


def test_the_greedy_reply_is_the_answer_models(model, prompt):
    (greedy,) = model.greedy([prompt], max_new_tokens=8, complete=[never])
    assert greedy == model.generate([prompt], [4], max_new_tokens=8, pass_tokens=64, batch_size=1)[0].text


def test_samples_end_when_all_are_complete(model, prompt):
    whole = model.sample(prompt, seeds=SEEDS[:3], **DRAWN)
    short = model.sample(prompt, seeds=SEEDS[:3], **{**DRAWN, "complete": lambda text: len(text) >= 3})
    assert all(long.startswith(text) for text, long in zip(short, whole, strict=True))
    assert sum(map(len, short)) < sum(map(len, whole))


def test_a_prompt_of_one_token_and_no_seeds(model):
    assert len(model.sample([5], seeds=[1], **DRAWN)) == 1
    assert model.sample([5, 6], seeds=[], **DRAWN) == []


def test_the_begun_reply_follows_the_prompt_as_text(model):
    messages = [{"role": "user", "content": "Where?"}]
    begun = "The needed passages are [<|im_end|>"
    assert model.tokens(messages, begun) == model.tokens(messages) + model.text_tokens(begun)
