"""What OpenAI's protocol asks and replies: bodies of requests, and what is read from the replies. Pure functions.

Reading raises KeyError, IndexError, TypeError or ValueError where a reply lacks what it should hold.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from scipy.special import logsumexp

from plancheck.answering.ports import Request
from plancheck.records import LETTERS

Body = dict[str, Any]
Reply = Mapping[str, Any]


def generation(request: Request, prompt: Sequence[int] | None, *, weighed: int) -> tuple[str, Body]:
    """Path and body of a request for a reply.

    Args:
        request: in mode "generate" or "text".
        prompt: its tokens; None leaves the template to the server.
        weighed: how many likeliest tokens the server tells at each step; 0 for none.
    """
    body: Body = {
        "max_tokens": request.max_new_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "seed": request.seed,
    }
    tells = weighed if request.mode == "generate" else 0
    if prompt is None:
        weights = {"logprobs": True, "top_logprobs": tells} if tells else {}
        return "/chat/completions", body | {"messages": [dict(one) for one in request.messages]} | weights
    return "/completions", body | {"prompt": list(prompt)} | ({"logprobs": tells} if tells else {})


def text(reply: Reply) -> str:
    """The text of a reply; a chat's may be null when it is empty."""
    choice = reply["choices"][0]
    found = choice["message"]["content"] if "message" in choice else choice["text"]
    if found is not None and not isinstance(found, str):
        raise TypeError(f"a reply's text is a {type(found).__name__}")
    return found or ""


def steps(reply: Reply) -> list[tuple[str, dict[str, float]]]:
    """Each token of a reply, with the log-probabilities of the likeliest tokens there; empty where none are told."""
    choice = reply["choices"][0]
    told = choice.get("logprobs")
    if not told:
        return []
    if "message" in choice:
        return [
            (step["token"], {one["token"]: float(one["logprob"]) for one in step.get("top_logprobs") or ()})
            for step in told.get("content") or ()
        ]
    tops = told.get("top_logprobs") or [{}] * len(told["tokens"])
    return [
        (token, {name: float(value) for name, value in (top or {}).items()})
        for token, top in zip(told["tokens"], tops, strict=True)
    ]


def weighed_letters(reply: Reply, letters: int) -> tuple[list[int], list[list[float | None]]]:
    """As Generated: ends and weights of the letters, for every token of the reply.

    A letter is that with and without a space before it, added up; None where the server tells neither. Both lists are
    empty where the tokens do not add up to the text.
    """
    told = steps(reply)
    begin = "".join(token for token, _ in told).find(text(reply))
    if begin < 0:
        return [], []
    ends = [end - begin for end in accumulate(len(token) for token, _ in told)]
    return ends, [[_weight(top, letter) for letter in LETTERS[:letters]] for _, top in told]


def _weight(top: Mapping[str, float], letter: str) -> float | None:
    forms = [top[form] for form in (letter, f" {letter}") if form in top and math.isfinite(top[form])]
    return float(logsumexp(forms)) if forms else None


def usage(reply: Reply) -> dict[str, int | None]:
    """Tokens as the server counts them, null where it does not."""
    told = reply.get("usage") or {}
    return {"prompt_tokens": told.get("prompt_tokens"), "reply_tokens": told.get("completion_tokens"), "requests": 1}


# Ways to have a text scored. Each has the bodies that score ends after one prompt, and reads the log-probabilities of
# each end's tokens from the replies.


def echo_bodies(prompt: Sequence[int], ends: Sequence[Sequence[int]]) -> list[Body]:
    return [_whole(prompt, ends) | {"echo": True, "logprobs": 1}]


def echo_values(replies: Sequence[Reply], prompt: Sequence[int], ends: Sequence[Sequence[int]]) -> list[list[float]]:
    """From the echoed prompt, which one generated token follows."""
    found = []
    for choice, end in zip(_choices(replies[0], len(ends)), ends, strict=True):
        values = choice["logprobs"]["token_logprobs"]
        if len(values) not in (len(prompt) + len(end), len(prompt) + len(end) + 1):
            raise ValueError(f"log-probabilities of {len(values)} tokens, of {len(prompt) + len(end)} that were echoed")
        found.append([float(value) for value in values[len(prompt) : len(prompt) + len(end)]])
    return found


def prompt_bodies(prompt: Sequence[int], ends: Sequence[Sequence[int]]) -> list[Body]:
    return [_whole(prompt, ends) | {"prompt_logprobs": 0}]


def prompt_values(replies: Sequence[Reply], prompt: Sequence[int], ends: Sequence[Sequence[int]]) -> list[list[float]]:
    """From vLLM's own field."""
    found = []
    for choice, end in zip(_choices(replies[0], len(ends)), ends, strict=True):
        values = choice["prompt_logprobs"]
        if len(values) != len(prompt) + len(end):
            raise ValueError(f"log-probabilities of {len(values)} tokens, of a prompt of {len(prompt) + len(end)}")
        told = values[len(prompt) :]
        found.append([float(step[str(token)]["logprob"]) for step, token in zip(told, end, strict=True)])
    return found


def token_bodies(prompt: Sequence[int], ends: Sequence[Sequence[int]]) -> list[Body]:
    return [
        {
            "prompt": [*prompt, *end[:place]],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": 1,
            "allowed_token_ids": [token],
        }
        for end in ends
        for place, token in enumerate(end)
    ]


def token_values(replies: Sequence[Reply], prompt: Sequence[int], ends: Sequence[Sequence[int]]) -> list[list[float]]:
    """From a generated token each, the only one that is allowed."""
    values = iter([float(reply["choices"][0]["logprobs"]["token_logprobs"][0]) for reply in replies])
    return [[next(values) for _ in end] for end in ends]


# The cheapest first: docs/served-models.md.
WAYS: Final = {
    "echo": (echo_bodies, echo_values),
    "prompt_logprobs": (prompt_bodies, prompt_values),
    "allowed_token_ids": (token_bodies, token_values),
}


def _whole(prompt: Sequence[int], ends: Sequence[Sequence[int]]) -> Body:
    return {"prompt": [[*prompt, *end] for end in ends], "max_tokens": 1, "temperature": 0}


def _choices(reply: Reply, count: int) -> list[Mapping[str, Any]]:
    found = sorted(reply["choices"], key=lambda choice: int(choice["index"]))
    if len(found) != count:
        raise ValueError(f"{len(found)} replies to {count} prompts")
    return found
