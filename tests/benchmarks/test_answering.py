"""The ways that benchmarks/answering.py compares score the same."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from plancheck.backends.generation import CausalModel, read_causal_model

answering = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "benchmarks/answering.py")))


def test_every_way_gives_the_same_values(tiny_qwen2):
    model, tokenizer = read_causal_model(tiny_qwen2, device="cpu", dtype="float32")
    ways = answering.ways(CausalModel(model.eval(), tokenizer), model, tokenizer, [8, 64])
    prompts = [[5, 6, 7, 8, 9], [5, 6, 7, 10], [5, 6]]
    choices = [[[11, 12], [11], [13, 14, 15], [16]]] * 3
    first, *others = (score(prompts, choices) for score in ways.values())

    assert len(others) >= 3
    for found in others:
        for values, expected in zip(found, first, strict=True):
            assert values == pytest.approx(expected, abs=1e-5)
