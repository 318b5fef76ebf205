"""How fast the models that are here read and reply: on 20 prompts of the study each, with a stage's workers."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Final

from plancheck.answering.asking import Prompt
from plancheck.answering.prompt import asker
from plancheck.answering.serving import ask_served
from plancheck.backends.device import one_thread, pick_device
from plancheck.backends.encoding import load_encoder
from plancheck.backends.generation import CausalModel, load_causal_model
from plancheck.backends.models import LOCK, LockedModel, locked
from plancheck.backends.reranking import load_reranker
from plancheck.backends.serving import open_server
from plancheck.estimating.cost import Rates
from plancheck.estimating.demand import MOST_TOKENS, Reader, candidates
from plancheck.estimating.material import Material
from plancheck.estimating.showing import on_trial, sample
from plancheck.packing import packed_text
from plancheck.params.rankings import CrossEncoder, Dense
from plancheck.params.study import Params
from plancheck.planning.plans import Pool, candidate_texts
from plancheck.planning.prompt import planner_messages
from plancheck.plumbing.errors import StudyError
from plancheck.plumbing.workers import workers
from plancheck.records import Question
from plancheck.retrieval.query import query_text

MEASURED: Final = 20  # prompts
A_QUESTION: Final = 5  # prompts of one question, which begin alike


def measured(material: Material, params: Params) -> Rates:
    """Tokens a second of every kind of model that the study uses, nothing remembered.

    A served model is asked 20 prompts, which cost what they cost; its reading rate holds what it replied.

    Raises:
        StudyError: models are not fetched, or the texts are not here.
    """
    if not LOCK.exists() or material.text is None:
        raise StudyError("--measure asks the models that are here about the study's own texts. Run `dvc repro models`.")
    answerer = locked("answer", served=params.models["answer"])
    reads: dict[Reader, float] = {}
    replies: float | None
    if answerer.server is not None:
        reads["causal"], replies = served_rate(answerer, material, params), math.inf
    else:
        reads["causal"], replies = causal_rates(answerer, material, params)
    if encoded := encoder_rate(material, params):
        reads["encoder"] = encoded
    if reranked := reranker_rate(material, params):
        reads["reranker"] = reranked
    return Rates("measured", reads, replies)


def served_rate(model: LockedModel, material: Material, params: Params) -> float:
    prompts = prompts_of(material, params)
    server, settings = open_server(model), params.answer
    started = time.perf_counter()
    asked = ask_served(prompts, server, Forgetful(), mode=settings.mode, max_new_tokens=settings.max_new_tokens)
    seconds = time.perf_counter() - started
    tokens = asked.usage["prompt_tokens"] or sum(answer.prompt_tokens or 0 for answer in asked.answers)
    if not tokens:
        raise StudyError("--measure: the server counts no tokens. Give --tokens-per-second instead.")
    return tokens / seconds


def causal_rates(model: LockedModel, material: Material, params: Params) -> tuple[float, float]:
    """Tokens read a second, shared beginnings read once, and tokens generated a second."""
    settings = params.answer
    causal = load_causal_model(model.path, device=settings.device, dtype=settings.dtype)
    prompts = prompts_of(material, params)
    groups = [prompts[start : start + A_QUESTION] for start in range(0, len(prompts), A_QUESTION)]

    def read(group: Sequence[Prompt]) -> int:
        tokens = [causal.tokens(prompt.messages) for prompt in group]
        choices = [[causal.text_tokens(choice) for choice in prompt.choices] for prompt in group]
        causal.log_likelihoods(tokens, choices, pass_tokens=settings.pass_tokens)
        return fresh_tokens(tokens) + sum(len(choice) for own in choices for choice in own)

    total, seconds = side_by_side(read, groups, settings.device)
    rate = total / seconds
    chats = [planner_chat(question, material, params) for question in sample(material.questions)[:MEASURED]]

    counted: list[tuple[int, int]] = []

    def count(chat: list[dict[str, str]]) -> int:
        read, made = replied(causal, chat, params.planner.max_new_tokens)
        counted.append((read, made))
        return made

    generated, seconds = side_by_side(count, chats, params.planner.device)
    reading = sum(read for read, _ in counted[1:]) / rate  # the first was not timed
    # What is left after reading; at least a tenth, for the reading rate is of other prompts.
    return rate, generated / max(seconds - reading, seconds / 10)


def replied(model: CausalModel, chat: list[dict[str, str]], most: int) -> tuple[int, int]:
    """Tokens read, and tokens of a reply that goes on as long as it may."""
    prompt = model.tokens(chat)
    text = model.greedy([prompt], max_new_tokens=most, complete=[lambda _: False])[0]
    return len(prompt), len(model.text_tokens(text)) + 1


def encoder_rate(material: Material, params: Params) -> float | None:
    specs = [spec for spec in params.rankings.values() if isinstance(spec, Dense)]
    if not specs:
        return None
    settings = params.retrieve
    encoder = load_encoder(locked(specs[0].model).path, device=settings.device, dtype=settings.dtype)

    def read(texts: Sequence[str]) -> int:
        encoder.encode(texts, batch_size=settings.batch_size)
        return sum(min(count, MOST_TOKENS["encoder"]) for count in encoder.token_counts(texts))

    total, seconds = side_by_side(read, pools(material, params), settings.device)
    return total / seconds


def reranker_rate(material: Material, params: Params) -> float | None:
    specs = [
        spec for spec in params.rankings.values() if isinstance(spec, CrossEncoder) and spec.model != params.tune.role
    ]
    if not specs:
        return None
    spec, settings = specs[0], params.rerank
    reranker = load_reranker(locked(spec.model).path, device=settings.device, dtype=settings.dtype)
    some = sample(material.questions)[:MEASURED]
    queries = [query_text(question) for question in some]
    most = spec.chars(params.planner.snippet_chars)
    texts = [[text[:most] for text in own] for own in pools(material, params)]
    groups = list(zip(queries, texts, strict=True))

    def read(group: tuple[str, list[str]]) -> int:
        query, own = group
        reranker.scores([(query, text) for text in own], batch_size=settings.batch_size)
        asked = reranker.token_counts([query])[0]
        return sum(min(asked + count, MOST_TOKENS["reranker"]) for count in reranker.token_counts(own))

    total, seconds = side_by_side(read, groups, settings.device)
    return total / seconds


def side_by_side(work: Callable[[Any], int], items: Sequence[Any], device: str) -> tuple[int, float]:
    """The sum of what the items give, and the seconds they take as a stage's workers do them; the first is done before,
    for models are slow on their first call.
    """

    def alone(item: Any) -> int:
        one_thread()
        return work(item)

    with ThreadPoolExecutor(workers(pick_device(device))) as pool:
        pool.submit(alone, items[0]).result()
        started = time.perf_counter()
        total = sum(pool.map(alone, items))
        return total, time.perf_counter() - started


def prompts_of(material: Material, params: Params) -> list[Prompt]:
    """20 prompts, 5 of a question, of contexts packed on trial."""
    messages = asker(params.answer)
    found: list[Prompt] = []
    for question in sample(material.questions):
        text = text_of(question, material)
        for context, _ in on_trial(question, material, params)[:A_QUESTION]:
            chat = messages(question, packed_text(text, context.pieces))
            name = f"{question.question_id}/{context.packed_id}"
            found.append(Prompt(name, question.question_id, chat, question.choices))
        if len(found) >= MEASURED:
            break
    return found[:MEASURED]


def planner_chat(question: Question, material: Material, params: Params) -> list[dict[str, str]]:
    pool = Pool(question, text_of(question, material), candidates(question, material, params))
    shown = candidate_texts(pool, snippet_chars=params.planner.snippet_chars)
    return planner_messages(question, shown, params.planner)


def pools(material: Material, params: Params) -> list[list[str]]:
    """Texts of some questions' candidates."""
    found = []
    for question in sample(material.questions)[:MEASURED]:
        text = text_of(question, material)
        found.append([text[atom.start : atom.end] for atom in candidates(question, material, params)])
    return found


def text_of(question: Question, material: Material) -> str:
    if material.text is None:
        raise ValueError("only sizes are known")
    return material.text(question.context_id)


def fresh_tokens(prompts: Sequence[Sequence[int]]) -> int:
    """Tokens left when beginnings that the prompts share are read once."""
    ordered = sorted(map(list, prompts))
    return sum(map(len, ordered)) - sum(shared(one, other) for one, other in pairwise(ordered))


def shared(one: Sequence[int], other: Sequence[int]) -> int:
    length = min(len(one), len(other))
    return next((place for place in range(length) if one[place] != other[place]), length)


class Forgetful:
    """Replies that are asked for anew each time; see Replies in the ports of answering."""

    def get(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """None is known."""
        return {}

    def put(self, replies: Mapping[str, Mapping[str, Any]]) -> None:
        """Nothing is kept."""
