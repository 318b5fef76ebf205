"""What a server is found to be and to do, before it is believed: for models/lock.json."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Final

from plancheck.answering.ports import Request
from plancheck.backends.chat_tokens import ChatTokens
from plancheck.backends.served import protocol
from plancheck.backends.served.client import Client, RequestFailed, RequestRefused
from plancheck.backends.served.fingerprint import FINGERPRINTS, WORDS, repeated
from plancheck.backends.served.server import Abilities, ServedServer, chat_tokens
from plancheck.params.models import ServedModel
from plancheck.plumbing.errors import StudyError

REPEATS: Final = 5
WEIGHED: Final = (20, 5)  # how many likeliest tokens are asked for; servers bound them
CLOSE: Final = 0.1  # what batching moves a log-probability in bfloat16, and more
APART: Final = 3 * CLOSE
PROMPT: Final = FINGERPRINTS[1]


def probed(spec: ServedModel) -> dict[str, Any]:
    """What the lock says of a served model: see models/README.md.

    Raises:
        StudyError: the server is not there, has no such model, or replies as another.
    """
    tokens = None if spec.tokenizer is None else chat_tokens(spec.tokenizer)
    client = Client(spec)
    return client.run(_probed(client, tokens))


async def _probed(client: Client, tokens: ChatTokens | None) -> dict[str, Any]:
    spec = client.spec
    listed = await _listed(client)
    first = await _first(client, tokens)
    if tokens is not None:
        _refuse_other_tokens(spec, first, len(tokens.tokens(PROMPT)))
    limits = (spec.context_tokens, listed.get("max_model_len"), listed.get("context_length"))
    context = next((limit for limit in limits if isinstance(limit, int)), None)
    server = ServedServer(client, tokens, Abilities(first["model"], context, None, 0), "")
    weighed = await _weighed(server)
    likelihood, refused = await _likelihood(server, weighed)
    rounds = await asyncio.gather(*(server.fingerprint() for _ in range(REPEATS)))
    stable, alike = repeated(list(zip(*rounds, strict=True)))
    version = await client.get(re.sub(r"/v1$", "", spec.base_url) + "/version")
    return {
        "identity": {
            "backend": "served",
            "model": spec.model,
            "answers_as": first["model"],
            "owned_by": listed.get("owned_by"),
            "version": version.get("version") if isinstance(version, dict) else None,
            "system_fingerprint": first.get("system_fingerprint"),
            "endpoint": "chat" if tokens is None else "completions",
            "context_tokens": context,
            "likelihood": likelihood,
            "weighed": weighed,
            "fingerprint": stable,
        },
        "likelihood_refused": refused,
        "repeats": {"asked": REPEATS, "alike": alike},
    }


async def _listed(client: Client) -> dict[str, Any]:
    """What the server's list says of the model; nothing where it has no list, or the list lacks the model.

    vLLM gives a LoRA adapter no length of its own: it has that of the model that is named as its parent.
    """
    found = await client.get("/models")
    listed = found.get("data") if isinstance(found, dict) else None
    models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    by_name = {one.get("id"): one for one in models}
    own = by_name.get(client.spec.model, {})
    length = own.get("max_model_len") or by_name.get(own.get("parent"), {}).get("max_model_len")
    return own | {"max_model_len": length}


async def _first(client: Client, tokens: ChatTokens | None) -> dict[str, Any]:
    """The first reply.

    Raises:
        StudyError: there is none, or it is another model's.
    """
    spec = client.spec
    request = Request("text", PROMPT, max_new_tokens=WORDS)
    path, body = protocol.generation(request, None if tokens is None else tokens.tokens(PROMPT), weighed=0)
    try:
        found = await client.post(path, body)
        protocol.text(found)
    except (RequestRefused, RequestFailed, *_UNREADABLE) as error:
        hint = " Leave out tokenizer if it takes no prompts as tokens." if tokens else ""
        raise StudyError(f"{spec.base_url}{path}: does not reply to a short prompt ({error}).{hint}") from error
    name = found.get("model")
    if not isinstance(name, str) or not re.fullmatch(rf"{re.escape(spec.model)}([@:-].*)?", name):
        raise StudyError(
            f"{spec.base_url}: was asked for {spec.model!r} and replies as {name!r}. Give the name of the model "
            "that it serves as model of the served model in conf/models."
        )
    return found


_UNREADABLE = (KeyError, IndexError, TypeError, ValueError, AttributeError)


def _refuse_other_tokens(spec: ServedModel, reply: dict[str, Any], sent: int) -> None:
    counted = protocol.usage(reply)["prompt_tokens"]
    if counted not in (None, sent):
        raise StudyError(
            f"{spec.base_url}: was sent {sent} tokens and counts {counted}: it adds to prompts, or tokenises "
            "them anew. Leave out tokenizer, so that the server applies the template."
        )


async def _weighed(server: ServedServer) -> int:
    """How many likeliest tokens the server tells at each step; 0 for none."""
    request = Request("generate", PROMPT, choices=("a", "b"), max_new_tokens=1)
    prompt = None if server.tokens is None else server.tokens.tokens(PROMPT)
    for count in WEIGHED:
        path, body = protocol.generation(request, prompt, weighed=count)
        try:
            told = protocol.steps(await server.client.post(path, body))
        except (RequestRefused, RequestFailed, *_UNREADABLE):
            continue
        if told and told[0][1]:
            return count
    return 0


async def _likelihood(server: ServedServer, weighed: int) -> tuple[str | None, dict[str, str]]:
    """The first way that scores a known answer right, and why those before it are refused."""
    if server.tokens is None:
        return None, dict.fromkeys(protocol.WAYS, "needs the model's tokenizer")
    refused: dict[str, str] = {}
    try:
        known = await _known(server, server.tokens, weighed)
    except (RequestRefused, RequestFailed, *_UNREADABLE) as error:
        return None, dict.fromkeys(protocol.WAYS, f"cannot be checked: {error}")
    for way in protocol.WAYS:
        try:
            values, _ = await server.scores(known.prompt, known.ends, way=way)
        except (RequestRefused, RequestFailed) as error:
            refused[way] = str(error)
            continue
        if reason := known.contradicts(values):
            refused[way] = reason
        else:
            return way, refused
    return None, refused


class Known:
    """Ends of a prompt whose log-probabilities are known from the server's own generation."""

    def __init__(self, prompt: Sequence[int], ends: Sequence[Sequence[int]], logprobs: Sequence[float]) -> None:
        self.prompt, self.ends, self.logprobs = prompt, ends, logprobs

    def contradicts(self, values: Sequence[Sequence[float]]) -> str | None:
        """Why scores of the ends are wrong, None where they are right."""
        found = [sum(one) for one in values]
        if max(found) == min(found):
            return "scores all continuations alike"
        for known, value in zip(self.logprobs, found, strict=True):
            if abs(known - value) > CLOSE:
                return f"scores {value:.3f} what the server itself generates at {known:.3f}"
        return None


async def _known(server: ServedServer, tokens: ChatTokens, weighed: int) -> Known:
    """Tokens that may begin a reply, and a second one after the likeliest, with what the server says of each.

    Raises:
        ValueError: the server tells too few tokens that are one token here.
    """
    prompt = tokens.tokens(PROMPT)
    single = await _likeliest(server, tokens, prompt, weighed)
    best = max(single, key=lambda token: single[token])
    after = await _likeliest(server, tokens, [*prompt, best], weighed)
    second = max(after, key=lambda token: after[token])
    worst = min(single, key=lambda token: single[token])
    if single[best] - single[worst] < APART:
        raise ValueError("no two tokens whose likelihoods differ")
    return Known(prompt, [[best], [worst], [best, second]], [single[best], single[worst], single[best] + after[second]])


async def _likeliest(server: ServedServer, tokens: ChatTokens, prompt: list[int], weighed: int) -> dict[int, float]:
    request = Request("generate", PROMPT, choices=("a", "b"), max_new_tokens=1)
    path, body = protocol.generation(request, prompt, weighed=weighed)
    told = protocol.steps(await server.client.post(path, body))
    found = {}
    for text, value in told[0][1].items() if told else ():
        ids = tokens.text_tokens(text)
        if len(ids) == 1:
            found[ids[0]] = value
    if not found:
        raise ValueError("the server tells no log-probabilities of the tokens that it generates")
    return found
