"""What benchmarks/served.py sends, counts and reads."""

import importlib.util
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from plancheck.answering.asking import Prompt
from plancheck.backends.served.client import Client
from plancheck.backends.served.server import chat_tokens
from plancheck.params.models import ServedModel

ROOT = Path(__file__).parents[2]
_spec = importlib.util.spec_from_file_location("fake_server", ROOT / "tests/backends/fake_server.py")
fake_server = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake_server)

served = SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks/served.py")))

METRICS = """\
# HELP vllm:prefix_cache_queries_total Prefix cache queries, in terms of number of queried tokens.
vllm:prefix_cache_queries_total{engine="0",model_name="smollm2"} 1200.0
vllm:prefix_cache_queries_total{engine="1",model_name="smollm2"} 34.0
vllm:prefix_cache_hits_total{engine="0",model_name="smollm2"} 640.0
vllm:external_prefix_cache_hits_total{engine="0",model_name="smollm2"} 7.0
vllm:cache_config_info{block_size="32",cache_dtype="auto",enable_prefix_caching="True",num_gpu_blocks="192"} 1.0
"""


@pytest.mark.parametrize(
    ("text", "expected"), [(METRICS, (1234.0, 640.0, 32, 6144)), ("python_gc_objects 3.0\n", (0, 0, 0, 0))]
)
def test_metrics_of_the_prefix_cache_are_read(text, expected):
    found = served.read_metrics(text)

    assert (found.queried, found.hit, found.block, found.tokens) == expected


@pytest.mark.parametrize(
    ("prompts", "expected"),
    [
        ([[1, 2, 3, 4, 5]], 0),
        ([[1, 2, 3, 4, 5], [1, 2, 3, 4, 6]], 4 / 10),
        ([[1, 2, 3, 4], [1, 2, 3, 4]], 2 / 8),  # the last token is computed, and so the block that it ends
        ([[1, 2, 3, 4, 5], [9, 2, 3, 4, 5]], 0),  # blocks are told by all that is before them
        ([[1, 2, 3], [7, 7, 7], [1, 2, 8]], 2 / 9),
    ],
)
def test_a_cache_without_bounds_serves_whole_blocks_of_known_beginnings(prompts, expected):
    assert served.best_hit_rate(prompts, 2) == pytest.approx(expected)
    assert served.best_hit_rate(prompts[::-1], 2) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("found", "known", "expected"),
    [
        ([(0.5, 0.5)], [(0.25, 0.75)], 0.25),
        ([(0.5, None)], [(None, 0.75)], None),
        ([()], [(0.25, 0.75)], None),
    ],
)
def test_probabilities_are_compared_where_both_are_told(found, known, expected):
    assert served.largest_difference(found, known) == expected


def test_prompts_of_a_question_are_spread_over_it():
    prompts = [
        Prompt(f"{group}{text}", group, [{"role": "user", "content": text}], ("a", "b"))
        for text in "hcgbfaed"
        for group in ("q0", "q1")
    ]

    def spread(most):
        return [prompt.prompt_id for prompt in served.spread(prompts, most)]

    assert spread(3) == ["q0a", "q0c", "q0f", "q1a", "q1c", "q1f"]
    assert spread(None) == spread(9) == [f"{group}{text}" for group in ("q0", "q1") for text in "abcdefgh"]


def test_shuffled_prompts_are_sent_in_another_order_and_answered_alike(tiny_qwen2):
    texts = ["The mill stands", "The mill stands in Tarn", "A town", "The mill"]
    prompts = [
        Prompt(f"{group}{place}", group, [{"role": "user", "content": f"{text}?"}], ("A mill", "B", "Tarn"))
        for group in ("q0", "q1", "q2")
        for place, text in enumerate(f"{group} {text}" for text in texts)
    ]
    with fake_server.running(tiny_qwen2) as running:
        spec = ServedModel(source="served", base_url=running.url, model="tiny", concurrency=1)
        tokens = chat_tokens(tiny_qwen2)
        known = [tokens.tokens(prompt.messages) for prompt in prompts]

        def whole(sent):
            """The places of the prompts that were sent, without those sent with the beginning of a choice."""
            return [known.index(list(tokens)) for tokens in sent if list(tokens) in known]

        ways = {way.name: way for way in served.served_ways(Client(spec), tokens)}
        for name, kind in (("letters", "generate"), ("logprob_token_ids", "likelihood")):
            ordered, shuffled = ways[name].ask(prompts), ways[f"{name}, shuffled"].ask(prompts)

            assert ways[name].kind == kind
            assert ordered.said == shuffled.said
            assert whole(ordered.sent) == [2, 1, 0, 3, 6, 5, 4, 7, 10, 9, 8, 11]
            assert whole(shuffled.sent) != whole(ordered.sent)
            assert sorted(whole(shuffled.sent)) == sorted(whole(ordered.sent))
