"""What a kept reply looks like, for replies that come from elsewhere."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError


class _Part(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="ignore")


class _Usage(_Part):
    prompt_tokens: int | None
    reply_tokens: int | None
    requests: int


class _Reply(_Part):
    usage: _Usage | None = None
    prompt_tokens: int | None = None


class _Scored(_Reply):
    log_likelihoods: list[float]


class _Said(_Reply):
    text: str
    ends: list[int] = []
    letters: list[list[float | None]] = []


def reply_problem(reply: dict[str, Any]) -> str | None:
    """What is wrong with a reply: it holds ``log_likelihoods``, or ``text`` and perhaps ``ends`` and ``letters``."""
    kind = _Scored if "log_likelihoods" in reply else _Said
    try:
        kind.model_validate(reply)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return f"reply.{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return None
