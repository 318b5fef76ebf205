"""Asking a model that a server runs: each reply is kept as soon as it is there, and is not asked for again."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from plancheck.answering.asking import Asked, Mode, Prompt, read_reply, reply_key
from plancheck.answering.ports import Replies, Request, Server
from plancheck.plumbing.errors import StudyError


@dataclass(frozen=True, slots=True)
class Served:
    """Replies in the order of their requests, and how many the server was asked for now and gave."""

    replies: tuple[Mapping[str, Any], ...]
    asked: tuple[bool, ...]


def serve(requests: Sequence[Request], server: Server, replies: Replies, *, groups: Sequence[str]) -> Served:
    """A reply to every request; what failed holds ``failure`` and is not kept.

    Requests of one group are sent next to each other, in the order of their texts: those that share the longest
    beginnings follow each other, so that the server's prefix cache serves.

    Raises:
        StudyError: as `Server.replies`; or every prompt scored all its choices alike.
    """
    keys = [reply_key(identity=server.identity, **asdict(request)) for request in requests]
    known: dict[str, Mapping[str, Any]] = dict(replies.get(keys))
    ordered = sorted(range(len(requests)), key=lambda index: (groups[index], _text(requests[index])))
    first = {keys[index]: index for index in reversed(ordered)}  # requests that are the same are sent once
    missing = [index for index in ordered if keys[index] not in known and first[keys[index]] == index]
    silent: dict[str, Mapping[str, Any]] = {}
    fresh: set[int] = set()

    def keep(place: int, reply: Mapping[str, Any]) -> None:
        index = missing[place]
        known[keys[index]] = reply
        if "failure" in reply:
            return
        fresh.add(index)
        if _alike(reply, requests[index]):
            silent[keys[index]] = reply  # kept only once the server has told any choices apart
        else:
            replies.put({keys[index]: reply})

    server.replies([requests[index] for index in missing], keep)
    scored = [
        (reply, request)
        for request, key in zip(requests, keys, strict=True)
        if "log_likelihoods" in (reply := known[key])
    ]
    if len(scored) > 1 and all(_alike(reply, request) for reply, request in scored):
        raise StudyError(
            f"all choices of all {len(scored)} prompts of a shard have the same likelihood, so the server does not "
            "score them. Use answer.mode=generate, or a server that scores prompts (docs/served-models.md), and run "
            "`dvc repro --force --single-item models` to probe it."
        )
    replies.put(silent)
    return Served(tuple(known[key] for key in keys), tuple(index in fresh for index in range(len(keys))))


def ask_served(
    prompts: Sequence[Prompt], server: Server, replies: Replies, *, mode: Mode, max_new_tokens: int
) -> Asked:
    """An answer to every prompt, as `plancheck.answering.asking.ask` gives it; a reply depends on its prompt alone."""
    requests = [
        Request(mode, prompt.messages, choices=prompt.choices, max_new_tokens=max_new_tokens * (mode == "generate"))
        for prompt in prompts
    ]
    served = serve(requests, server, replies, groups=[prompt.group for prompt in prompts])
    answers = (
        read_reply(prompt, reply, mode=mode, prompt_tokens=reply.get("prompt_tokens"))
        for prompt, reply in zip(prompts, served.replies, strict=True)
    )
    return Asked(tuple(answers), sum(served.asked), total(served.replies))


def total(replies: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Tokens and requests of the replies in use, whenever they were asked for; ``unmetered`` replies told no tokens."""
    found: Counter[str] = Counter()
    for reply in replies:
        usage = reply.get("usage")
        if usage is None:
            continue
        found["replies"] += 1
        found["requests"] += usage["requests"]
        if usage["prompt_tokens"] is None:
            found["unmetered"] += 1
        else:
            found["prompt_tokens"] += usage["prompt_tokens"]
            found["reply_tokens"] += usage["reply_tokens"]
    return found


def _alike(reply: Mapping[str, Any], request: Request) -> bool:
    """Whether choices of different texts have one likelihood."""
    return len(set(request.choices)) > 1 and len(set(reply.get("log_likelihoods", (0, 1)))) == 1


def _text(request: Request) -> str:
    return json.dumps([message["content"] for message in request.messages])
