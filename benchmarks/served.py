"""What does a server cost beside the model in this process, and does it say the same? Measured side by side.

Asks a running server and the model in this process the same prompts of some questions of a study, in its folder once
the stages up to pack have run (`make demo`): answers by likelihood, generated letters, and plans. Served prompts go in
the tree's order, as stage answer sends them, and shuffled over all questions. lm-eval's `local-completions` (of
`lm-eval[api]`) asks the same server, which for this runs without adapters. Each way is asked a few prompts of another
question first, and begins with an empty prefix cache where the server lets it be emptied (vLLM with
VLLM_SERVER_DEV_MODE=1); its hit rate is what the server counts under /metrics. CPU seconds are those of this process
and of the server's (``--pid``), for a machine that does other work too. Letters and plans are compared with those of
the kind's first way. Prints a row for each way and writes it to benchmarks/served.csv at once; ``--append`` adds the
rows, for a server with another cache.

    python benchmarks/served.py --url http://127.0.0.1:8000/v1 --model smollm2 --pid 1234 [--questions 4]
        [--ways "in process" logprob_token_ids] [--adapter models/planner] [--append]
"""

import argparse
import json
import re
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import psutil

from plancheck.answering.asking import Asked, Mode, Prompt, ask, read_reply
from plancheck.answering.ports import Request
from plancheck.answering.serving import serve, total
from plancheck.backends.adapters import load_planner
from plancheck.backends.chat_tokens import ChatTokens
from plancheck.backends.device import one_thread
from plancheck.backends.generation import CausalModel
from plancheck.backends.models import locked
from plancheck.backends.served import protocol
from plancheck.backends.served.client import Client
from plancheck.backends.served.server import Abilities, ServedServer, chat_tokens
from plancheck.benchmark.tables import read_questions
from plancheck.params.models import ServedModel
from plancheck.params.study import read_params
from plancheck.planning import replies
from plancheck.planning.mining import greedy_plans
from plancheck.planning.plans import Pool
from plancheck.planning.served import ServedPlanner
from plancheck.pools import read_pools
from plancheck.tables import read_packed_contexts
from tasks.answer import prompts_of

OUTPUT = Path(__file__).with_name("served.csv")
SEED = 20261203
LM_EVAL = "lm-eval local-completions"
MAX_NEW_TOKENS = 8
WARMING = 2  # prompts

Kind = Literal["likelihood", "generate", "plan"]
Item = Prompt | Pool
Tokens = Sequence[int]


@dataclass(frozen=True, slots=True)
class Found:
    """What was said to each item: a letter, a plan's atoms or a failure; its probabilities, and what a server counted.

    ``sent`` are the prompts that a server was sent, as tokens, in the order in which they left, where that is known.
    """

    said: tuple[str, ...]
    probabilities: tuple[tuple[float | None, ...], ...] = ()
    usage: Counter[str] = field(default_factory=Counter)
    sent: tuple[Tokens, ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """A way to have items answered: what it is called, what of, and what asks."""

    name: str
    kind: Kind
    ask: Callable[[Sequence[Any]], Found]


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
    parser.add_argument("--questions", type=int, default=4)
    parser.add_argument("--most", type=int, help="prompts of a question, spread over its prompts; all by default")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--chat", action="store_true", help="the server takes chats, not tokens")
    parser.add_argument("--adapter", type=Path, help="a LoRA adapter's folder, for the model in this process")
    parser.add_argument("--ways", nargs="+", help="names of ways; all by default")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    parser.add_argument("--append", action="store_true", help="add the rows to those that the output holds")
    asked = parser.parse_args()
    one_thread()
    spec = ServedModel(
        source="served", base_url=asked.url, model=asked.model, concurrency=asked.concurrency, timeout_seconds=3600
    )
    folder = locked("answer").path
    known = sorted({packed.question_id for packed in read_packed_contexts()})
    chosen = known[:: max(1, len(known) // asked.questions)][: asked.questions]
    other = next((question for question in known if question not in chosen), chosen[0])
    ways = [
        *own_ways(folder, asked.adapter),
        *served_ways(Client(spec), None if asked.chat else chat_tokens(folder)),
        *lm_eval_ways(spec, folder),
    ]
    if asked.ways:
        ways = [way for way in ways if way.name in asked.ways]
    before = [pd.read_csv(asked.output, dtype=str)] if asked.append else []  # as they stand
    rows: list[dict[str, object]] = []
    for row in compared(ways, items_of(chosen, asked.most), items_of([other], WARMING), spec, asked.pid):
        print(json.dumps(row), flush=True)
        rows.append({"model": asked.model, "questions": len(chosen), **row})
        pd.concat([*before, pd.DataFrame(rows)]).to_csv(asked.output, index=False, lineterminator="\n")


def items_of(questions: Sequence[str], most: int | None) -> dict[Kind, Sequence[Item]]:
    """By kind, the prompts of the questions, or what their planner is shown."""
    settings, packed = read_params().answer, read_packed_contexts(questions)
    modes: tuple[Mode, ...] = ("likelihood", "generate")
    prompts: dict[Kind, Sequence[Item]] = {
        mode: spread(prompts_of(packed, settings.model_copy(update={"mode": mode})), most) for mode in modes
    }
    return prompts | {"plan": list(read_pools(questions))}


def spread(prompts: Sequence[Prompt], most: int | None) -> list[Prompt]:
    """At most so many prompts of each group, spread evenly over those in the order of their texts."""
    groups: dict[str, list[Prompt]] = {}
    for prompt in sorted(prompts, key=lambda prompt: [message["content"] for message in prompt.messages]):
        groups.setdefault(prompt.group, []).append(prompt)
    return [
        group[place * len(group) // count]
        for group in groups.values()
        for count in [min(most or len(group), len(group))]
        for place in range(count)
    ]


def own_ways(folder: Path, adapter: Path | None) -> list[Way]:
    """The model in this process, as stages answer and plan ask it; the reference of each kind."""
    params = read_params()
    answer, shown = params.answer, params.planner

    def causal() -> CausalModel:
        return load_planner(folder, adapter, device="cpu", dtype="float32")

    def asks(mode: Mode) -> Callable[[Sequence[Prompt]], Found]:
        return lambda prompts: answered(ask(
            prompts, causal(), Forgetful(), mode=mode, pass_tokens=answer.pass_tokens, batch_size=answer.batch_size,
            max_new_tokens=MAX_NEW_TOKENS, identity="", errors_are_rows=False,
        ))  # fmt: skip

    def plans(pools: Sequence[Pool]) -> Found:
        planner = replies.Planner(causal(), Forgetful(), "", "", shown.max_new_tokens, errors_are_rows=False)
        return planned(pools, planner)

    return [
        Way("in process", "likelihood", asks("likelihood")),
        Way("in process, letters", "generate", asks("generate")),
        Way("in process, plans", "plan", plans),
    ]


def served_ways(client: Client, tokens: ChatTokens | None) -> list[Way]:
    """As stages answer and plan ask a server, with each way to score choices; and with the prompts shuffled."""
    name = client.spec.model

    def asks(mode: Mode, way: str | None, *, shuffled: bool = False) -> Callable[[Sequence[Prompt]], Found]:
        server = Watched(client, tokens, Abilities(name, None, way, 20 if tokens else 0), "")
        return lambda prompts: served(prompts, server, mode, shuffled=shuffled)

    def plans(pools: Sequence[Pool]) -> Found:
        server = Watched(client, tokens, Abilities(name, None, None, 0), "")
        return planned(pools, ServedPlanner(server, Forgetful(), "", read_params().planner.max_new_tokens))

    generated = [
        Way("letters", "generate", asks("generate", None)),
        Way("letters, shuffled", "generate", asks("generate", None, shuffled=True)),
        Way("plans", "plan", plans),
    ]
    if tokens is None:
        return generated
    best = next(iter(protocol.WAYS))
    scored = [Way(way, "likelihood", asks("likelihood", way)) for way in protocol.WAYS]
    return [*scored, Way(f"{best}, shuffled", "likelihood", asks("likelihood", best, shuffled=True)), *generated]


class Watched(ServedServer):
    """A served model that remembers which prompts it was sent."""

    def __init__(self, *settings: Any) -> None:
        super().__init__(*settings)
        self.sent: list[Tokens] = []

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        prompt = body.get("prompt", ())
        self.sent += prompt if prompt and isinstance(prompt[0], list) else [prompt] * bool(prompt)
        return await super()._post(path, body)


def served(prompts: Sequence[Prompt], server: Watched, mode: Mode, *, shuffled: bool) -> Found:
    """As `plancheck.answering.serving.ask_served`; shuffled, each prompt is a group of its own, in no order."""
    requests = [
        Request(mode, prompt.messages, choices=prompt.choices, max_new_tokens=MAX_NEW_TOKENS * (mode == "generate"))
        for prompt in prompts
    ]
    order = np.random.default_rng(SEED).permutation(len(prompts))
    groups = [f"{place:06}" for place in order] if shuffled else [prompt.group for prompt in prompts]
    server.sent.clear()
    found = serve(requests, server, Forgetful(), groups=groups)
    answers = [
        read_reply(prompt, reply, mode=mode, prompt_tokens=reply.get("prompt_tokens"))
        for prompt, reply in zip(prompts, found.replies, strict=True)
    ]
    asked = Asked(tuple(answers), sum(found.asked), total(found.replies))
    return answered(asked, sent=tuple(server.sent))


def answered(asked: Asked, sent: tuple[Tokens, ...] = ()) -> Found:
    return Found(
        tuple(answer.letter or str(answer.failure) for answer in asked.answers),
        tuple(answer.probabilities or () for answer in asked.answers),
        asked.usage,
        sent,
    )


def planned(pools: Sequence[Pool], planner: replies.Planner | ServedPlanner) -> Found:
    found = greedy_plans(pools, planner, read_params().planner)
    plans = [found[pool.question.question_id].plans[0] for pool in pools]
    said = tuple(" ".join(plan.atom_ids) or str(plan.failure) for plan in plans)
    return Found(said, usage=planner.usage if isinstance(planner, ServedPlanner) else Counter())


def lm_eval_ways(spec: ServedModel, folder: Path) -> list[Way]:
    """lm-eval's client of the same server, with the same tokens and as many requests at once."""

    def backend() -> Any:
        from lm_eval.models.openai_completions import LocalCompletionsAPI

        return LocalCompletionsAPI(
            model=spec.model, base_url=f"{spec.base_url}/completions", tokenizer=str(folder), max_length=8192,
            tokenizer_backend="huggingface", num_concurrent=spec.concurrency, timeout=int(spec.timeout_seconds),
        )  # fmt: skip

    def scored(prompts: Sequence[Prompt]) -> Found:
        tokens = chat_tokens(folder)
        asked = [
            ((prompt.prompt_id, choice), tokens.tokens(prompt.messages), tokens.text_tokens(choice))
            for prompt in prompts
            for choice in prompt.choices
        ]
        sums = [value for value, _ in backend()._loglikelihood_tokens(asked)]
        means = iter([value / len(choice) for value, (_, _, choice) in zip(sums, asked, strict=True)])
        replies = [{"log_likelihoods": list(islice(means, len(prompt.choices)))} for prompt in prompts]
        return read(prompts, replies, "likelihood")

    def generated(prompts: Sequence[Prompt]) -> Found:
        from lm_eval.api.instance import Instance

        own, tokens = backend(), chat_tokens(folder)
        texts = [own.apply_chat_template([dict(message) for message in prompt.messages]) for prompt in prompts]
        if own.tok_encode(texts, add_special_tokens=False) != [tokens.tokens(prompt.messages) for prompt in prompts]:
            raise ValueError("lm-eval reads other tokens than plancheck")
        told: dict[str, Any] = {"until": [], "max_gen_toks": MAX_NEW_TOKENS, "temperature": 0}
        asked = [
            Instance("generate_until", {}, (text, dict(told)), place, metadata=("letters", place, 1))
            for place, text in enumerate(texts)
        ]
        replies = [{"text": text, "ends": [], "letters": []} for text in own.generate_until(asked)]
        return read(prompts, replies, "generate")

    return [Way(LM_EVAL, "likelihood", scored), Way(f"{LM_EVAL}, letters", "generate", generated)]


def read(prompts: Sequence[Prompt], replies: Sequence[Mapping[str, Any]], mode: Mode) -> Found:
    answers = tuple(
        read_reply(prompt, reply, mode=mode, prompt_tokens=None) for prompt, reply in zip(prompts, replies, strict=True)
    )
    return answered(Asked(answers, len(prompts)))


def compared(
    ways: Sequence[Way],
    items: Mapping[Kind, Sequence[Item]],
    warming: Mapping[Kind, Sequence[Item]],
    spec: ServedModel,
    pid: int | None,
) -> Iterator[dict[str, object]]:
    """A row for each way, as soon as it has asked; what it says is compared with what the kind's first way says."""
    gold = {question.question_id: question.answer for question in read_questions()}
    first: dict[Kind, tuple[str, Found]] = {}
    for way in ways:
        asking = items[way.kind]
        way.ask(warming[way.kind])
        emptied = empty_cache(spec)
        before, hits, began = cpu_seconds(pid), metrics(spec), time.monotonic()
        found = way.ask(asking)
        seconds, cpu, now = time.monotonic() - began, cpu_seconds(pid) - before, metrics(spec)
        reference, known = first.setdefault(way.kind, (way.name, found))
        queried = now.queried - hits.queried
        right = [
            said == gold[item.group] for said, item in zip(found.said, asking, strict=True) if isinstance(item, Prompt)
        ]
        yield {
            "way": way.name,
            "prompts": len(asking),
            "seconds": round(seconds, 1),
            "prompts_a_second": round(len(asking) / seconds, 2),
            "cpu_seconds": round(cpu, 1),
            "correct": sum(right) if right else None,
            "compared_with": reference,
            "same": sum(one == other for one, other in zip(found.said, known.said, strict=True)),
            "largest_difference": largest_difference(found.probabilities, known.probabilities),
            "requests": found.usage["requests"] or None,
            "looked_up_tokens": int(queried) or None,
            "hit_rate": round((now.hit - hits.hit) / queried, 3) if queried else None,
            "best_hit_rate": round(best_hit_rate(found.sent, now.block), 3) if now.block and found.sent else None,
            "cache_tokens": now.tokens if queried else None,
            "cache": "emptied" if emptied else "as it was",
        }
        for item, said, other in zip(asking, found.said, known.said, strict=True):
            if said != other:
                name = item.prompt_id if isinstance(item, Prompt) else item.question.question_id
                print(f"  {name}: {said} instead of {other}", flush=True)


def largest_difference(
    found: Sequence[Sequence[float | None]], known: Sequence[Sequence[float | None]]
) -> float | None:
    """Of a choice's probability, among those that both tell."""
    differences = [
        abs(value - other)
        for one, two in zip(found, known, strict=True)
        for value, other in zip(one, two, strict=False)
        if value is not None and other is not None
    ]
    return float(f"{max(differences):.2g}") if differences else None


def best_hit_rate(prompts: Sequence[Tokens], block: int) -> float:
    """The share of tokens that a cache without bounds would serve: whole blocks of beginnings that were sent before.

    The last token of a prompt is always computed, so a whole block that it ends is too. The order does not matter.
    """
    hit, seen = 0, set()
    for prompt in prompts:
        beginnings = [tuple(prompt[:end]) for end in range(block, len(prompt) + 1, block)]
        hit += block * sum(one in seen for one in beginnings if len(one) < len(prompt))
        seen.update(beginnings)
    return hit / sum(map(len, prompts))


def cpu_seconds(pid: int | None) -> float:
    """Of this process, and of the server's with its children."""
    processes = [psutil.Process()]
    if pid is not None:
        server = psutil.Process(pid)
        processes += [server, *server.children(recursive=True)]
    times = [process.cpu_times() for process in processes]
    return float(sum(one.user + one.system for one in times))


@dataclass(frozen=True, slots=True)
class Metrics:
    """Tokens that vLLM looked for in its prefix cache so far, those found, and the cache's size; 0 where not told."""

    queried: float = 0
    hit: float = 0
    block: int = 0
    tokens: int = 0


def metrics(spec: ServedModel) -> Metrics:
    try:
        with urllib.request.urlopen(beside(spec, "/metrics"), timeout=60) as reply:
            return read_metrics(reply.read().decode())
    except urllib.error.HTTPError:
        return Metrics()


def read_metrics(text: str) -> Metrics:
    """What vLLM's metrics, in Prometheus's format, say of its prefix cache."""
    queried, hit = (
        sum(map(float, re.findall(rf"^vllm:prefix_cache_{kind}_total\{{.*\}} (\S+)$", text, re.M)))
        for kind in ("queries", "hits")
    )
    told = re.search(r"^vllm:cache_config_info\{(.*)\} ", text, re.M)
    sizes = dict(re.findall(r'(\w+)="(\d+)"', told[1])) if told else {}
    block = int(sizes.get("block_size", 0))
    return Metrics(queried, hit, block, block * int(sizes.get("num_gpu_blocks", 0)))


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
