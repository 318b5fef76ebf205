"""What does a server cost beside the model in this process, and does it say the same? Measured side by side.

Asks a running server and the model in this process the same prompts of some questions of a study, in its folder once
the stages up to pack have run (`make demo`). Each way begins with an empty prefix cache where the server lets it be
emptied (vLLM with VLLM_SERVER_DEV_MODE=1); its hit rate is what the server counts under /metrics. CPU seconds are those
of this process and of the server's (``--pid``), for a machine that does other work too. Prints a table and writes it to
benchmarks/served.csv.

    python benchmarks/served.py --url http://127.0.0.1:8000/v1 --model smollm2 --pid 1234 [--questions 2]
        [--ways "in process" logprob_token_ids] [--adapter models/planner]
"""

import argparse
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil

from plancheck.answering.asking import Asked, Mode, Prompt, ask, read_reply
from plancheck.answering.ports import Request
from plancheck.answering.serving import serve, total
from plancheck.backends.adapters import load_planner
from plancheck.backends.device import one_thread
from plancheck.backends.generation import CausalModel
from plancheck.backends.models import locked
from plancheck.backends.served import protocol
from plancheck.backends.served.client import Client
from plancheck.backends.served.server import Abilities, ServedServer, chat_tokens
from plancheck.benchmark.tables import read_questions
from plancheck.params.models import ServedModel
from plancheck.params.study import read_params
from plancheck.tables import read_packed_contexts
from tasks.answer import prompts_of

OUTPUT = Path(__file__).with_name("served.csv")
SEED = 20261203
LM_EVAL = "lm-eval local-completions"
MAX_NEW_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Way:
    """A way to have prompts answered: what it is called, its mode, and what asks."""

    name: str
    mode: Mode
    ask: Callable[[Sequence[Prompt]], Asked]


class Forgetful:
    """No reply is known, none is kept."""

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        return {}

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--pid", type=int, help="of the server, whose children count too")
    parser.add_argument("--questions", type=int, default=2)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--chat", action="store_true", help="the server takes chats, not tokens")
    parser.add_argument("--adapter", type=Path, help="a LoRA adapter's folder, for the model in this process")
    parser.add_argument("--ways", nargs="+", help="names of ways; all by default")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    asked = parser.parse_args()
    one_thread()
    spec = ServedModel(
        source="served", base_url=asked.url, model=asked.model, concurrency=asked.concurrency, timeout_seconds=3600
    )
    folder = locked("answer").path
    causal = load_planner(folder, asked.adapter, device="cpu", dtype="float32")
    found = [*own_ways(causal), *served_ways(spec, folder, chat=asked.chat), lm_eval_way(spec, folder)]
    if asked.ways:
        found = [way for way in found if way.name in asked.ways]
    table = compared(found, some_prompts(asked.questions), spec, asked.pid)
    table.to_csv(asked.output, index=False, lineterminator="\n")
    print(table.to_string(index=False))


def some_prompts(questions: int) -> dict[Mode, list[Prompt]]:
    """By mode, every prompt of so many questions, spread over the study."""
    known = sorted({packed.question_id for packed in read_packed_contexts()})
    chosen = known[:: max(1, len(known) // questions)][:questions]
    settings = read_params().answer
    modes: tuple[Mode, ...] = ("likelihood", "generate")
    return {
        mode: prompts_of(read_packed_contexts(chosen), settings.model_copy(update={"mode": mode})) for mode in modes
    }


def own_ways(causal: CausalModel) -> list[Way]:
    """The model in this process, as stage answer asks it; the reference in each mode."""
    settings = read_params().answer

    def asks(mode: Mode) -> Callable[[Sequence[Prompt]], Asked]:
        return lambda prompts: ask(
            prompts, causal, Forgetful(), mode=mode, pass_tokens=settings.pass_tokens, batch_size=settings.batch_size,
            max_new_tokens=MAX_NEW_TOKENS, identity="", errors_are_rows=False,
        )  # fmt: skip

    return [
        Way("in process", "likelihood", asks("likelihood")),
        Way("in process, letters", "generate", asks("generate")),
    ]


def served_ways(spec: ServedModel, folder: Path, *, chat: bool) -> list[Way]:
    """As stage answer asks a server, with each way to score choices; and with the prompts shuffled."""
    client = Client(spec)
    tokens = None if chat else chat_tokens(folder)

    def asks(mode: Mode, way: str | None, *, shuffled: bool = False) -> Callable[[Sequence[Prompt]], Asked]:
        server = ServedServer(client, tokens, Abilities(spec.model, None, way, 0 if chat else 20), "")
        return lambda prompts: served(prompts, server, mode, shuffled=shuffled)

    letters = [
        Way("letters", "generate", asks("generate", None)),
        Way("letters, shuffled", "generate", asks("generate", None, shuffled=True)),
    ]
    if chat:
        return letters
    best = next(iter(protocol.WAYS))
    scored = [Way(way, "likelihood", asks("likelihood", way)) for way in protocol.WAYS]
    return [*scored, Way(f"{best}, shuffled", "likelihood", asks("likelihood", best, shuffled=True)), *letters]


def served(prompts: Sequence[Prompt], server: ServedServer, mode: Mode, *, shuffled: bool) -> Asked:
    """As `plancheck.answering.serving.ask_served`; shuffled, each prompt is a group of its own, in no order."""
    requests = [
        Request(mode, prompt.messages, choices=prompt.choices, max_new_tokens=MAX_NEW_TOKENS * (mode == "generate"))
        for prompt in prompts
    ]
    order = np.random.default_rng(SEED).permutation(len(prompts))
    groups = [f"{place:06}" for place in order] if shuffled else [prompt.group for prompt in prompts]
    found = serve(requests, server, Forgetful(), groups=groups)
    answers = [
        read_reply(prompt, reply, mode=mode, prompt_tokens=reply.get("prompt_tokens"))
        for prompt, reply in zip(prompts, found.replies, strict=True)
    ]
    return Asked(tuple(answers), sum(found.asked), total(found.replies))


def lm_eval_way(spec: ServedModel, folder: Path) -> Way:
    """lm-eval's client of the same server, with the same tokens and as many requests at once."""

    def asks(prompts: Sequence[Prompt]) -> Asked:
        from lm_eval.models.openai_completions import LocalCompletionsAPI

        tokens = chat_tokens(folder)
        backend = LocalCompletionsAPI(
            model=spec.model, base_url=f"{spec.base_url}/completions", tokenizer=str(folder), max_length=8192,
            tokenizer_backend="huggingface", num_concurrent=spec.concurrency, timeout=int(spec.timeout_seconds),
        )  # fmt: skip
        asked = [
            ((prompt.prompt_id, choice), tokens.tokens(prompt.messages), tokens.text_tokens(choice))
            for prompt in prompts
            for choice in prompt.choices
        ]
        sums = [value for value, _ in backend._loglikelihood_tokens(asked)]
        means = iter([value / len(choice) for value, (_, _, choice) in zip(sums, asked, strict=True)])
        replies = [{"log_likelihoods": list(islice(means, len(prompt.choices)))} for prompt in prompts]
        return Asked(
            tuple(
                read_reply(prompt, reply, mode="likelihood", prompt_tokens=None)
                for prompt, reply in zip(prompts, replies, strict=True)
            ),
            len(prompts),
        )

    return Way(LM_EVAL, "likelihood", asks)


def compared(
    ways: Sequence[Way], prompts: Mapping[Mode, Sequence[Prompt]], spec: ServedModel, pid: int | None
) -> pd.DataFrame:
    """A row for each way; letters and probabilities are compared with those of the mode's first way."""
    gold = {question.question_id: question.answer for question in read_questions()}
    rows: list[dict[str, object]] = []
    first: dict[Mode, Asked] = {}
    for way in ways:
        asking = prompts[way.mode]
        emptied = empty_cache(spec)
        before, hits, began = cpu_seconds(pid), cached(spec), time.monotonic()
        found = way.ask(asking)
        seconds, cpu, now = time.monotonic() - began, cpu_seconds(pid) - before, cached(spec)
        known = first.setdefault(way.mode, found)
        queried = None if now is None or hits is None else now[0] - hits[0]
        rows.append(
            {
                "way": way.name,
                "prompts": len(asking),
                "seconds": round(seconds, 1),
                "prompts_a_second": round(len(asking) / seconds, 2),
                "cpu_seconds": round(cpu, 1),
                "correct": sum(
                    answer.letter == gold[prompt.group] for answer, prompt in zip(found.answers, asking, strict=True)
                ),
                "same_letters": sum(
                    one.letter == other.letter for one, other in zip(found.answers, known.answers, strict=True)
                ),
                "largest_difference": largest_difference(found, known),
                "requests": found.usage["requests"] or None,
                "prompt_tokens": queried if queried else found.usage["prompt_tokens"] or None,
                "hit_rate": round((now[1] - hits[1]) / queried, 3) if queried and now and hits else None,
                "cache": "emptied" if emptied else "as it was",
            }
        )
        print(json.dumps(rows[-1]), flush=True)
        for answer, other, prompt in zip(found.answers, known.answers, asking, strict=True):
            if answer.letter != other.letter:
                print(f"  {prompt.prompt_id}: {shown(answer)} instead of {shown(other)}", flush=True)
    return pd.DataFrame(rows)


def shown(answer: Any) -> str:
    weights = [None if value is None else round(value, 4) for value in answer.probabilities or ()]
    return f"{answer.letter or answer.failure} {weights}"


def largest_difference(found: Asked, known: Asked) -> float | None:
    """Of a choice's probability, among those that both tell."""
    differences = [
        abs(value - other)
        for one, two in zip(found.answers, known.answers, strict=True)
        for value, other in zip(one.probabilities or (), two.probabilities or (), strict=False)
        if value is not None and other is not None
    ]
    return float(f"{max(differences):.2g}") if differences else None


def cpu_seconds(pid: int | None) -> float:
    """Of this process, and of the server's with its children."""
    processes = [psutil.Process()]
    if pid is not None:
        server = psutil.Process(pid)
        processes += [server, *server.children(recursive=True)]
    times = [process.cpu_times() for process in processes]
    return float(sum(one.user + one.system for one in times))


def cached(spec: ServedModel) -> tuple[float, float] | None:
    """Tokens that vLLM looked for in its prefix cache so far, and that it found; None where nothing is told."""
    try:
        with urllib.request.urlopen(beside(spec, "/metrics"), timeout=60) as reply:
            text = reply.read().decode()
    except urllib.error.HTTPError:
        return None
    counted = [
        re.findall(rf"^vllm:prefix_cache_{kind}_total\{{.*\}} (\S+)$", text, re.M) for kind in ("queries", "hits")
    ]
    return (sum(map(float, counted[0])), sum(map(float, counted[1]))) if all(counted) else None


def empty_cache(spec: ServedModel) -> bool:
    request = urllib.request.Request(beside(spec, "/reset_prefix_cache"), method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return bool(reply.status == 200)
    except urllib.error.HTTPError:
        return False


def beside(spec: ServedModel, path: str) -> str:
    return spec.base_url.removesuffix("/v1") + path


if __name__ == "__main__":
    main()
