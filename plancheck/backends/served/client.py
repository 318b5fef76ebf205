"""Talking to a server with OpenAI's protocol: so many requests at once, tried again, counted, within a budget."""

import asyncio
import logging
import re
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import openai
from openai import AsyncOpenAI

from plancheck.backends.served.keys import key_of
from plancheck.params.models import ServedModel
from plancheck.plumbing.errors import StudyError

LOG = logging.getLogger("plancheck.served")

START = "Start the server, such as `vllm serve MODEL` or `transformers serve MODEL` (docs/served-models.md)"
KEPT = "What it said so far is kept: run it again and only the rest is asked."
TOO_LONG = re.compile(
    r"context.{0,3}(length|size|window)|maximum.{0,40}tokens|(prompt|input).{0,20}too (long|large)", re.I
)
MALFORMED_TRIES = 3

T = TypeVar("T")


class RequestRefused(Exception):
    """The server takes this request for wrong or too long; others may do."""

    def __init__(self, reason: str, *, too_long: bool) -> None:
        super().__init__(reason)
        self.too_long = too_long


class RequestFailed(Exception):
    """The server failed at this request, however often it was tried."""


@dataclass(slots=True)
class Spent:
    """What a process has used of a server, as the server counts it."""

    prompt_tokens: int = 0
    reply_tokens: int = 0

    def add(self, usage: Mapping[str, Any] | None) -> None:
        if usage:
            self.prompt_tokens += int(usage.get("prompt_tokens") or 0)
            self.reply_tokens += int(usage.get("completion_tokens") or 0)


class Client:
    """A server that is asked from any thread; its requests share one event loop, one budget and one bound."""

    def __init__(self, spec: ServedModel) -> None:
        self.spec = spec
        self.spent = Spent()
        self._key = key_of(spec)
        self._openai = AsyncOpenAI(
            base_url=spec.base_url,
            api_key=self._key or "none",
            timeout=spec.timeout_seconds,
            max_retries=spec.retries,  # back-off with jitter after 408, 409, 429, 5xx and lost connections; Retry-After
        )
        self.slots = asyncio.Semaphore(spec.concurrency)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name=f"served {spec.model}", daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work returns, which runs on the client's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def post(self, path: str, body: Mapping[str, Any], *, retries: int | None = None) -> dict[str, Any]:
        """The JSON object that the server replies to a request.

        Raises:
            RequestRefused: a 4xx reply that concerns this request.
            RequestFailed: 5xx, or no JSON object, however often it was tried.
            StudyError: the budget is spent, the server is not there, or it takes no request at all.
        """
        self._refuse_overspending()
        client = self._openai if retries is None else self._openai.with_options(max_retries=retries)
        for _ in range(MALFORMED_TRIES):
            try:
                found = await client.post(path, cast_to=object, body={"model": self.spec.model, **body})
            except ValueError:  # no JSON
                continue
            except openai.OpenAIError as error:
                raise self._told(error) from error
            if isinstance(found, dict) and isinstance(found.get("choices"), list) and found["choices"]:
                self.spent.add(found.get("usage"))
                return found
        raise RequestFailed("its replies are no JSON objects with choices")

    async def get(self, path: str) -> Any:
        """What the server says under a path beside its protocol; None where it says nothing."""
        try:
            return await self._openai.get(path, cast_to=object)
        except openai.APIConnectionError as error:
            raise self._told(error) from error
        except (openai.OpenAIError, ValueError):
            return None

    def scrubbed(self, text: str) -> str:
        """A text of the server's without the key, which some repeat; at most 300 characters."""
        shown = text.replace(self._key, "***") if self._key else text
        return " ".join(shown.split())[:300]

    def _told(self, error: openai.OpenAIError) -> Exception:
        spec, reason = self.spec, self.scrubbed(str(error))
        tried = f"after {spec.retries + 1} tries"
        match error:
            case openai.APITimeoutError():
                return StudyError(
                    f"{spec.base_url}: no reply within {spec.timeout_seconds:g} s {tried}. Raise "
                    f"timeout_seconds or lower concurrency of the served model in conf/models. {KEPT}"
                )
            case openai.APIConnectionError():
                cause = self.scrubbed(str(error.__cause__ or error))
                return StudyError(f"{spec.base_url}: no connection ({cause}) {tried}. {START}. {KEPT}")
            case openai.RateLimitError():
                return StudyError(
                    f"{spec.base_url}: takes no more requests for now ({reason}) {tried}. Lower concurrency, or wait. "
                    f"{KEPT}"
                )
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                named = spec.key_variable or "none is named: set key_variable"
                return StudyError(f"{spec.base_url}: refuses the key ({reason}). The variable that holds it: {named}.")
            case openai.NotFoundError():
                return StudyError(
                    f"{spec.base_url}: has no model {spec.model!r} or no such address ({reason}). Mend model "
                    "and base_url, which ends in /v1 for most servers."
                )
            case openai.APIStatusError() if error.status_code < 500:
                return RequestRefused(reason, too_long=bool(TOO_LONG.search(str(error))))
        return RequestFailed(reason)

    def _refuse_overspending(self) -> None:
        spec, spent = self.spec, self.spent
        tokens = spent.prompt_tokens + spent.reply_tokens
        cost = (spent.prompt_tokens * spec.prompt_price + spent.reply_tokens * spec.reply_price) / 1e6
        if spec.budget_tokens is not None and tokens >= spec.budget_tokens:
            raise StudyError(
                f"{spec.model}: the budget of {spec.budget_tokens:,} tokens for one run of a stage is spent "
                f"({tokens:,}). {KEPT} Each run has the budget anew; budget_tokens in conf/models raises it."
            )
        if spec.budget_cost is not None and cost >= spec.budget_cost:
            raise StudyError(
                f"{spec.model}: the budget of {spec.budget_cost:g} for one run of a stage is spent ({cost:.2f}, "
                f"{tokens:,} tokens). {KEPT} Each run has the budget anew; budget_cost in conf/models raises it."
            )
