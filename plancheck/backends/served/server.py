"""A served model as answering and planning ask it."""

import asyncio
import functools
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from plancheck.answering.ports import Request
from plancheck.backends.chat_tokens import ChatTokens
from plancheck.backends.models import LockedModel
from plancheck.backends.served import protocol
from plancheck.backends.served.client import Client, RequestFailed, RequestRefused
from plancheck.backends.served.fingerprint import FINGERPRINTS, WORDS, said_otherwise
from plancheck.params.models import ServedModel
from plancheck.plumbing.errors import StudyError

LOG = logging.getLogger("plancheck.served")

UNREADABLE = (KeyError, IndexError, TypeError, ValueError, AttributeError)

_OPENING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a server was found to do.

    Attributes:
        answers_as: what its replies call the model.
        context_tokens: most tokens of prompt and reply together; None where nobody tells.
        likelihood: the way of `protocol.WAYS` to have choices scored; None where there is none.
        weighed: how many likeliest tokens it tells at each step.
    """

    answers_as: str
    context_tokens: int | None
    likelihood: str | None
    weighed: int


def open_server(model: LockedModel) -> "ServedServer":
    """The server of a pinned model, found once a process to be the one that the lock pins.

    Raises:
        StudyError: it is not there, is another, or is described otherwise than in the lock.
    """
    if model.server is None:
        raise ValueError(f"{model.role} is no served model")
    with _OPENING:
        return _open(model.server, model.path, model.identity)


@functools.lru_cache(maxsize=8)
def _open(spec: ServedModel, path: Path, identity: str) -> "ServedServer":
    told = json.loads(identity)
    server = ServedServer(Client(spec), chat_tokens(path) if spec.tokenizer else None, abilities_of(told), identity)
    server.refuse_another(told["fingerprint"])
    return server


def abilities_of(told: Mapping[str, Any]) -> Abilities:
    return Abilities(told["answers_as"], told["context_tokens"], told["likelihood"], told["weighed"])


def chat_tokens(folder: Path) -> ChatTokens:
    """The tokenizer in a folder.

    Raises:
        StudyError: there is none, or it has no chat template.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # what is raised depends on which file is missing
        reason = str(error).strip().partition("\n")[0]
        raise StudyError(
            f"{folder}: holds no tokenizer in Transformers' format ({reason}). Mend tokenizer of the served model in "
            "conf/models."
        ) from error
    if not tokenizer.chat_template:
        raise StudyError(f"{folder}: its tokenizer has no chat template. Use an instruction-tuned model's.")
    return ChatTokens(tokenizer)


class ServedServer:
    """See Server in the ports of answering. Safe to call from several threads."""

    def __init__(self, client: Client, tokens: ChatTokens | None, abilities: Abilities, identity: str) -> None:
        self.client = client
        self.tokens = tokens
        self.abilities = abilities
        self._identity = identity

    @property
    def identity(self) -> str:
        return self._identity

    def replies(self, requests: Sequence[Request], keep: Callable[[int, Mapping[str, Any]], None]) -> None:
        """See Server."""
        self.client.run(self._replies(requests, keep))

    async def _replies(self, requests: Sequence[Request], keep: Callable[[int, Mapping[str, Any]], None]) -> None:
        troubles: list[Exception] = []

        async def one(place: int) -> None:
            # First come, first served: requests leave in the order given.
            async with self.client.slots:
                if troubles:
                    return
                try:
                    keep(place, await self._kept(requests[place]))
                except Exception as error:  # those under way are paid for: they end before it is raised
                    troubles.append(error)

        await asyncio.gather(*(one(place) for place in range(len(requests))))
        if troubles:
            raise troubles[0]

    async def _kept(self, request: Request) -> Mapping[str, Any]:
        """The reply to a request, or the failure that stands for it."""
        try:
            return await self.reply(request)
        except RequestRefused as error:
            LOG.warning("%s refuses a prompt: %s", self.client.spec.base_url, error)
            return {"failure": "too_long" if error.too_long else "error"}
        except RequestFailed as error:
            await self._refuse_dead(error)
            LOG.warning("%s fails at a prompt: %s", self.client.spec.base_url, error)
            return {"failure": "error"}

    async def reply(self, request: Request) -> Mapping[str, Any]:
        """The reply to a request, as the port says.

        Raises:
            RequestRefused: it is refused as wrong or too long.
            RequestFailed: the server fails at it.
        """
        prompt = None if self.tokens is None else self.tokens.tokens(request.messages, request.reply_start)
        if prompt is None and (request.reply_start or request.mode == "likelihood"):
            raise StudyError(
                f"{self.client.spec.model}: a served model without a tokenizer neither scores choices nor goes "
                "on with a reply that is begun for it. Name its tokenizer, or use answer.mode=generate and "
                "mine.begin_reply=false."
            )
        if request.mode == "likelihood":
            return await self._scored(request, prompt or [])
        if prompt is not None and self._too_long(len(prompt) + request.max_new_tokens):
            return {"failure": "too_long", "prompt_tokens": len(prompt)}
        path, body = protocol.generation(request, prompt, weighed=self.abilities.weighed)
        found = await self._post(path, body)
        usage = self._counted(found, None if prompt is None else len(prompt))
        try:
            reply: dict[str, Any] = {
                "text": protocol.text(found),
                "usage": usage,
                "prompt_tokens": usage["prompt_tokens"],
            }
            if request.mode == "generate":
                reply["ends"], reply["letters"] = protocol.weighed_letters(found, len(request.choices))
        except UNREADABLE as error:
            raise RequestFailed(f"a reply that cannot be read ({error!r:.80})") from error
        return reply

    async def _scored(self, request: Request, prompt: list[int]) -> Mapping[str, Any]:
        if self.tokens is None or self.abilities.likelihood is None:
            raise StudyError(
                f"{self.client.spec.base_url}: does not score choices: models/lock.json names what it was asked and "
                "replied (likelihood_refused). Use answer.mode=generate, or another server (docs/served-models.md)."
            )
        ends = [self.tokens.text_tokens(choice) for choice in request.choices]
        if self._too_long(len(prompt) + max(map(len, ends)) + 1):
            return {"failure": "too_long", "prompt_tokens": len(prompt)}
        values, usage = await self.scores(prompt, ends, way=self.abilities.likelihood)
        means = [sum(one) / len(one) for one in values]
        return {"log_likelihoods": means, "usage": usage, "prompt_tokens": len(prompt)}

    async def scores(
        self, prompt: Sequence[int], ends: Sequence[Sequence[int]], *, way: str
    ) -> tuple[list[list[float]], dict[str, int | None]]:
        """The log-probability of every token of each end after the prompt, and what that cost.

        Raises:
            RequestRefused: the server refuses this way.
            RequestFailed: it fails, or its reply does not hold what the way needs.
        """
        bodies, values = protocol.WAYS[way]
        asked = bodies(prompt, ends)
        # One after the other: each has the beginning of those before in the server's cache.
        replies = [await self._post("/completions", body) for body in asked]
        counted = [self._counted(reply, None) for reply in replies]
        try:
            found = values(replies, prompt, ends)
        except UNREADABLE as error:
            raise RequestFailed(f"{way}: {self.client.scrubbed(str(error))}") from error
        if any(not value <= 0 for one in found for value in one):
            raise RequestFailed(f"{way}: log-probabilities that are above 0 or no numbers")
        told = [usage for usage in counted if usage["prompt_tokens"] is not None]
        unknown = len(told) < len(counted)
        return found, {
            "prompt_tokens": None if unknown else sum(usage["prompt_tokens"] or 0 for usage in told),
            "reply_tokens": None if unknown else sum(usage["reply_tokens"] or 0 for usage in told),
            "requests": len(asked),
        }

    def refuse_another(self, fingerprint: Sequence[str | None]) -> None:
        """Make sure that the server still replies what the lock says that it replies.

        Raises:
            StudyError: it does not.
        """
        found = self.client.run(self.fingerprint())
        if said_otherwise(fingerprint, found):
            raise StudyError(
                f"{self.client.spec.base_url}: {self.client.spec.model!r} replies otherwise than the model that "
                "models/lock.json pins, so it is another, or is served otherwise. Serve the pinned one, or run "
                "`dvc repro --force --single-item models` to pin this one: it is asked everything anew."
            )

    async def fingerprint(self) -> list[str]:
        """The likeliest reply to each of the fixed prompts."""
        requests = [Request("text", messages, max_new_tokens=WORDS) for messages in FINGERPRINTS]
        try:
            return [str((await self.reply(request))["text"]) for request in requests]
        except (RequestRefused, RequestFailed) as error:
            raise StudyError(f"{self.client.spec.base_url}: does not reply to a short prompt: {error}") from error

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        found = await self.client.post(path, body)
        name = found.get("model")
        if name != self.abilities.answers_as:
            raise StudyError(
                f"{self.client.spec.base_url}: was asked for {self.client.spec.model!r}, and replies as "
                f"{name!r} instead of "
                f"{self.abilities.answers_as!r}. Its replies are not used; serve the model that models/lock.json pins."
            )
        return found

    def _counted(self, found: Mapping[str, Any], sent: int | None) -> dict[str, int | None]:
        """The usage of a reply.

        Raises:
            StudyError: the server read another number of tokens than it was sent: it cuts prompts or changes them.
        """
        usage = protocol.usage(found)
        if sent is not None and usage["prompt_tokens"] not in (None, sent):
            raise StudyError(
                f"{self.client.spec.base_url}: was sent {sent} tokens and counts {usage['prompt_tokens']}: it "
                "cuts prompts or adds to them. Raise its context length, or leave out tokenizer."
            )
        return usage

    def _too_long(self, needed: int) -> bool:
        limit = self.abilities.context_tokens
        return limit is not None and needed > limit

    async def _refuse_dead(self, error: RequestFailed) -> None:
        """One prompt may be too much for a server; when it fails at a short one too, it is the server."""
        request = Request("text", FINGERPRINTS[0], max_new_tokens=1)
        try:
            await self.reply(request)
        except (RequestRefused, RequestFailed) as reason:
            raise StudyError(
                f"{self.client.spec.base_url}: fails at every prompt ({error}). Look into the server's log and "
                "start it again. What it said so far is kept: run it again and only the rest is asked."
            ) from reason
