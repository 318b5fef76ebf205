"""A real server, `transformers serve`, against the same model in this process."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from plancheck.answering.asking import Prompt, ask
from plancheck.answering.prompt import asker
from plancheck.answering.serving import ask_served
from plancheck.backends.cache import GenerationCache
from plancheck.backends.generation import load_causal_model
from plancheck.backends.served.client import Client
from plancheck.backends.served.server import Abilities, ServedServer
from plancheck.params.answer import Answer
from plancheck.params.models import ServedModel
from plancheck.records import Question

SECONDS = 180


@pytest.fixture
def address(tiny_qwen2, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    command = [
        sys.executable, "-m", "transformers.cli.transformers", "serve", str(tiny_qwen2), "--host", "127.0.0.1",
        "--port", str(port), "--device", "cpu", "--dtype", "float32",
    ]  # fmt: skip
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", server, tmp_path / "log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()
            server.wait()


def wait_for(url, server, log):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.2)
    raise AssertionError(log.read_text())


def test_a_real_server_replies_as_the_model_in_this_process(address, tiny_qwen2, tmp_path):
    settings = {"max_new_tokens": 8, "pass_tokens": 512, "batch_size": 2, "device": "cpu", "dtype": "float32"}
    messages = asker(Answer(mode="generate", **settings))
    prompts = [
        Prompt(str(number), "q", messages(question(number), "The mill is in Tarn."), ("A", "B")) for number in range(3)
    ]
    spec = ServedModel(source="served", base_url=address, model=str(tiny_qwen2), concurrency=2)
    server = ServedServer(Client(spec), None, Abilities(spec.model, None, None, 0), "transformers serve")
    model = load_causal_model(tiny_qwen2, device="cpu", dtype="float32")
    with GenerationCache(tmp_path / "cache") as cache:
        served = ask_served(prompts, server, cache, mode="generate", max_new_tokens=6)
        own = ask(
            prompts, model, cache, mode="generate", pass_tokens=500, batch_size=1, max_new_tokens=6, identity="here",
            errors_are_rows=False,
        )  # fmt: skip
        again = ask_served(prompts, server, cache, mode="generate", max_new_tokens=6)

    outcomes = [(answer.letter, answer.failure, answer.prompt_tokens) for answer in served.answers]
    assert outcomes == [(answer.letter, answer.failure, answer.prompt_tokens) for answer in own.answers]
    assert served.usage["prompt_tokens"] == sum(answer.prompt_tokens for answer in own.answers)
    assert (again.calls, again.answers) == (0, served.answers)


def question(number):
    return Question(f"q{number}", "Single", "", "", "", f"Where is mill {number}?", ("A", "B"), "A", "c", ())
